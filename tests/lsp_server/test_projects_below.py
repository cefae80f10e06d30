"""A folder above a Lean project: every command takes the only project below it, or names those that there are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pygls.exceptions import JsonRpcException

from tests.lsp_server.conftest import QUIET, Cli, answered, start_editor, stop_editor, succeed

pytestmark = [pytest.mark.field_case, pytest.mark.lean]

STATE = "n m : Nat\n⊢ n + m = m + n\n"


def make(root: Path, *names: str) -> Path:
    """A folder with Lean projects of these names, each with one lemma of its own."""
    for name in names:
        folder = root / name
        folder.mkdir(parents=True)
        (folder / "lakefile.toml").write_text('name = "x"\n[[lean_lib]]\nname = "Lib"\n', encoding="utf-8")
        text = f"theorem swap_{folder.name} (n m : Nat) : n + m = m + n := by\n  exact Nat.add_comm n m\n"
        (folder / "Lib.lean").write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def above(tmp_path: Path) -> Path:
    """A repository with one Lean project in a folder of it."""
    return make(tmp_path / f"above-{tmp_path.name}", "lean")


@pytest.fixture
def several(tmp_path: Path) -> Path:
    """A repository with two."""
    return make(tmp_path / f"several-{tmp_path.name}", "one", "two")


def swaps(answer: Any) -> list[str]:
    return [one["name"] for one in answer["premises"] if one["name"].startswith("swap_")]


def test_setup_takes_the_only_project_below(cli: Cli, above: Path) -> None:
    done = succeed(cli, "setup", "--yes", cwd=above)
    lean = above / "lean"
    assert f"project   {lean}" in done.stdout and "Lib.lean:1" in done.stdout
    assert done.stderr.startswith(f"note: {above} is not a Lean project itself; {lean} is the one below it.")


def test_what_doctor_and_search_say_to_do_can_be_done(cli: Cli, above: Path) -> None:
    fix = f"premise-suggest index {above / 'lean'}"
    assert f"to fix it: {fix}" in cli("doctor", cwd=above).stdout
    found = answered(cli, "search", "swap_lean", cwd=above)
    assert found["warnings"][0].endswith(f"Run: {fix}")
    assert cli("index", above / "lean").returncode == 0
    found = answered(cli, "search", "swap_lean", cwd=above)
    assert swaps(found) == ["swap_lean"] and found["warnings"] == []
    found = answered(cli, "suggest", "--state", "-", stdin=STATE, cwd=above)
    assert swaps(found) == ["swap_lean"] and found["warnings"] == []
    assert "up to date" in cli("doctor", cwd=above).stdout


def test_the_only_project_below_is_indexed(cli: Cli, above: Path) -> None:
    assert cli("index", above).stdout.startswith(f"{above / 'lean'}: ")


def test_several_are_named_by_every_command(cli: Cli, several: Path) -> None:
    named = f"Below it are the projects {several / 'one'}, {several / 'two'}."
    for command in (["setup", "--yes"], ["index"], ["http", "--project", "."]):
        done = cli(*command, cwd=several)
        assert done.returncode == 2 and named in done.stderr, command
    done = cli("doctor", "--json", cwd=several)
    [found] = [one for one in json.loads(done.stdout) if one["name"] == "project"]
    assert named in found["message"] and found["fix"] == f"premise-suggest doctor {several / 'one'}"
    for command in (["search", "swap"], ["suggest", "--text", "⊢ 1 = 1"]):
        found = answered(cli, *command, cwd=several)
        assert named in found["warnings"][0] and found["premises"], command


def test_several_below_a_project_without_files_are_named(cli: Cli, several: Path) -> None:
    """A lakefile above them, which names no library: it is a project, and has nothing to index."""
    (several / "lakefile.toml").write_text('name = "all"\n', encoding="utf-8")
    for command in (["setup", "--yes"], ["index"]):
        done = cli(*command, cwd=several)
        assert done.returncode == 2
        assert f"{several} has no .lean file of its own. Below it are the projects" in done.stderr


async def test_a_workspace_above_is_searched_and_indexed_as_its_only_project(
    above: Path, environment: dict[str, str]
) -> None:
    editor = await start_editor(above, environment, options=QUIET)
    assert (await editor.request("premiseSuggest/index", None))["premises"] > 0
    found = await editor.request("premiseSuggest/search", {"query": "swap_lean"})
    assert swaps(found) == ["swap_lean"] and found["warnings"] == []
    await stop_editor(editor)


async def test_a_workspace_above_several_names_them(several: Path, environment: dict[str, str]) -> None:
    editor = await start_editor(several, environment, options=QUIET)
    found = await editor.request("premiseSuggest/search", {"query": "swap"})
    assert f"Below it are the projects {several / 'one'}, {several / 'two'}." in found["warnings"][0]
    with pytest.raises(JsonRpcException, match=r"has no \.lean file of its own"):
        await editor.request("premiseSuggest/index", None)
    await stop_editor(editor)
