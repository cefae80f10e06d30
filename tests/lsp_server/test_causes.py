"""Messages name the cause: imports that do not load, names that are gone, proofs that are not done."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from lsp_server.commands.demo import how_to_call
from lsp_server.engine.freshness import dated, index_item
from retriever.lean.freshness import Freshness
from retriever.lean.index.view import IndexedPackage
from tests.lsp_server.conftest import (
    QUIET,
    Cli,
    Editor,
    answered,
    place_of,
    premise_names,
    start_editor,
    stop_editor,
    write,
)

pytestmark = pytest.mark.lean

THEOREM = "theorem {} (n : Nat) : n + 0 = n := by\n  {}\n"
STATE = "n : ℕ\n⊢ n + 0 = n\n"

_PROGRESS = ("Unpacking", "Lean has elaborated")
"""On a busy machine."""


def asked(cli: Cli, folder: Path, name: str, line: int, *more: str) -> Any:
    return answered(cli, "suggest", "--file", folder / f"{name}.lean", "--line", str(line), *more)


def own(answer: Any) -> list[str]:
    """The project's own premises, less those of Lean's core."""
    return [
        one["name"]
        for one in answer["premises"]
        if one["module"].partition(".")[0] not in ("Init", "MiniCore")
    ]


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A folder of its own name, without Lake."""
    folder = tmp_path / f"lib-{tmp_path.name}"
    folder.mkdir()
    (folder / "lean-toolchain").write_text("leanprover/lean4:v4.35.0\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("files", "error", "hint"),
    [
        (
            {"L": THEOREM.format("l", "exact no_such"), "M": "import L\n"},
            r"/L\.lean:2:9: Unknown identifier `no_such`\. M\.lean imports this file, so",
            "Fix L.lean and save it",
        ),
        (
            {"L": THEOREM.format("l", "exact no_such"), "K": "import L\n", "M": "import K\n"},
            r"/L\.lean:2:9: Unknown .*M\.lean imports this file through K, so",
            "Fix L.lean",
        ),
        ({"L": "import M\n", "M": "import L\n"}, r"cycle: M -> L -> M\.$", "Remove one"),
        ({"M": "import M\n"}, r"cycle: M -> M\.$", "Remove one"),
        (
            {"L": "import Gone.Away\n", "M": "import L\n"},
            r"it imports Gone\.Away through L, and there is no such file",
            "names of the imports",
        ),
        ({"M": "import L\n", "L": "/- never ends" * 2000}, r"/L\.lean:1:1?: ?|L\.lean", "Fix L.lean"),
        ({"M": "import L\n", "L": "theorem x : 1 = 2 := rfl\n" * 300}, r"/L\.lean:1:\d+: ", "Fix L.lean"),
    ],
)
def test_an_import_that_does_not_load_is_told_by_its_cause(
    cli: Cli, library: Path, files: dict[str, str], error: str, hint: str
) -> None:
    files["M"] += THEOREM.format("m", "sorry")
    write(library, **files)
    done = cli("suggest", "--file", library / "M.lean", "--line", "3")
    said = [line for line in done.stderr.splitlines() if not line.startswith(_PROGRESS)]
    assert done.returncode == 1
    assert re.search(error, said[0]), said
    assert hint in said[1]
    assert len(said) == 2


def test_what_was_renamed_on_disk_is_not_offered(cli: Cli, library: Path) -> None:
    write(library, A=THEOREM.format("before_it", "rfl"), B="import A\n" + THEOREM.format("use", "sorry"))
    assert cli("index", library).returncode == 0
    assert "before_it" in premise_names(asked(cli, library, "B", 3))
    write(library, A=THEOREM.format("after_it", "rfl"), New=THEOREM.format("new_one", "rfl"))
    found = asked(cli, library, "B", 3, "--tactics")
    assert "after_it" in premise_names(found)
    assert "new_one" in premise_names(found)
    assert "before_it" not in premise_names(found)
    assert not any("before_it" in tactic["tactic"] for tactic in found["tactics"])
    assert found["index"]["stale_files"] == 0
    (library / "A.lean").unlink()
    found = answered(cli, "suggest", "--state", "-", stdin=STATE, cwd=library)
    assert not {"before_it", "after_it"} & set(premise_names(found))


def test_what_is_gone_is_not_offered_where_too_much_has_changed(cli: Cli, library: Path) -> None:
    write(library, A=THEOREM.format("before_it", "rfl") + THEOREM.format("stays", "rfl"))
    assert cli("index", library).returncode == 0
    write(library, A=THEOREM.format("after_it", "rfl") + THEOREM.format("stays", "rfl"))
    write(library, **{f"N{number}": THEOREM.format(f"n{number}", "rfl") for number in range(65)})
    found = answered(cli, "suggest", "--state", "-", stdin=STATE, cwd=library)
    assert own(found) == ["stays"]
    assert found["index"]["stale_files"] == 66
    assert "66 files newer than the index" in found["index"]["line"]


async def test_a_running_server_reads_what_changed_on_disk(
    cli: Cli, library: Path, environment: dict[str, str]
) -> None:
    """Also for Lean: the file that imports it is broken by the change, so it is not compiled anew."""
    used = THEOREM.format("used", "exact before_it n")
    write(
        library, A=THEOREM.format("before_it", "rfl"), B=f"import A\n{used}" + THEOREM.format("use", "sorry")
    )
    assert cli("index", library).returncode == 0
    editor = await start_editor(library, environment, options={"index": {"auto": False}})
    editor.open("B.lean")
    first = await editor.suggest("B.lean", 4, 2, tactics=True)
    assert any("before_it" in tactic["tactic"] for tactic in first["tactics"])
    write(library, A=THEOREM.format("after_it", "rfl"))
    second = await editor.suggest("B.lean", 4, 2, tactics=True)
    assert "after_it" in premise_names(second)
    assert "before_it" not in premise_names(second)
    tactics = [tactic["tactic"] for tactic in second["tactics"]]
    assert any("after_it" in tactic for tactic in tactics)
    assert not any("before_it" in tactic for tactic in tactics)
    await stop_editor(editor)


async def test_a_server_that_is_to_leave_the_index_alone_does(
    cli: Cli, library: Path, environment: dict[str, str]
) -> None:
    write(library, A=THEOREM.format("before_it", "rfl"), B="import A\n" + THEOREM.format("use", "sorry"))
    assert cli("index", library).returncode == 0
    editor = await start_editor(library, environment, options=QUIET)
    editor.open("B.lean")
    write(library, A=THEOREM.format("after_it", "rfl"))
    found = await editor.suggest("B.lean", 2, 2, goal=STATE)
    assert own(found) == []
    assert found["index"]["stale_files"] == 1
    await stop_editor(editor)


SORRIES = {
    "A": THEOREM.format("open_one", "-- sorry\n  sorry")
    + THEOREM.format("done_one", "rfl -- sorry")
    + 'theorem speaks (n : Nat) : n + 0 = n := (fun _ => rfl : String → n + 0 = n) "sorry"\n',
    "Mid": "import A\n",
    "B": "import Mid\n"
    + THEOREM.format("via", "exact open_one n")
    + THEOREM.format("good", "exact done_one n")
    + THEOREM.format("via_two", "rw [via]"),
    "C": "import B\n"
    + THEOREM.format("own_hole", "admit")
    + THEOREM.format("own_via", "exact via_two n")
    + THEOREM.format("use", "sorry"),
}
RESTING = {"open_one", "via", "via_two", "own_hole", "own_via"}


def resting(answer: Any) -> set[str]:
    return {premise["name"] for premise in answer["premises"] if premise["rests_on_sorry"]}


def test_what_rests_on_sorry_is_marked(cli: Cli, library: Path) -> None:
    write(library, **SORRIES)
    assert cli("index", library).returncode == 0
    found = asked(cli, library, "C", 7, "--k", "100")
    assert set(own(found)) == RESTING | {"done_one", "speaks", "good"}
    assert resting(found) == RESTING
    shown = cli("suggest", f"{library / 'C.lean'}:7", "--no-tactics", "--k", "100").stdout
    assert shown.count("rests on sorry") == len(RESTING)
    assert "theorem · A · rests on sorry" in shown
    write(library, A=SORRIES["A"].replace("  -- sorry\n  sorry", "  rfl"))
    assert resting(asked(cli, library, "C", 7)) == {"own_hole"}


async def test_a_hover_says_what_rests_on_sorry(cli: Cli, library: Path, environment: dict[str, str]) -> None:
    write(library, **SORRIES)
    assert cli("index", library).returncode == 0
    editor = await start_editor(library, environment, options={**QUIET, "hover": {"count": 20}})
    uri = editor.open("C.lean")
    params = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(6, 3))
    found = await editor.client.text_document_hover_async(params)
    assert found
    assert isinstance(found.contents, types.MarkupContent)
    lines = [line for line in found.contents.value.splitlines() if line.startswith("- ")]
    assert {line.split("`")[1] for line in lines if line.endswith(" — rests on sorry")} == RESTING
    await stop_editor(editor)


COMMENTED = """\
theorem c (n : Nat) (s : String) : n + 0 = n ∧ s = "exact sorry" := by
  -- exact sorry
  constructor
  · sorry -- exact sorry
  /- exact
     sorry -/
  · sorry
"""


def test_in_a_string_there_is_no_goal(cli: Cli, library: Path) -> None:
    write(library, A=COMMENTED)
    done = cli("suggest", "--file", library / "A.lean", "--line", "1", "--column", "56")
    assert done.returncode == 2
    assert "Line 1 of A.lean is inside a string at column 56, where there is no goal" in done.stderr


@pytest.mark.asyncio(loop_scope="module")
async def test_the_editor_offers_nothing_in_a_comment(editor: Editor) -> None:
    uri = editor.open("Work.lean", "import Lib.Numbers\n\n" + COMMENTED)
    identifier = types.TextDocumentIdentifier(uri)
    text = "import Lib.Numbers\n\n" + COMMENTED
    for mark in ('exact sorry" :=', "exact sorry\n  constr", "exact sorry\n  /-", "sorry -/"):
        place = place_of(text, mark)
        place = types.Position(place.line, place.character + len("exact "))
        assert await editor.client.text_document_hover_async(types.HoverParams(identifier, place)) is None
        completed = await editor.client.text_document_completion_async(
            types.CompletionParams(identifier, place)
        )
        assert completed is None


TWO = "case a\nn : ℕ\n⊢ n + 0 = n\n\ncase b\nm : ℕ\n⊢ m = m + 0\n"


def test_which_of_several_goals_is_told_and_can_be_chosen(cli: Cli, tmp_path: Path) -> None:
    shown = cli("suggest", "--state", "-", "--k", "1", stdin=TWO, cwd=tmp_path).stdout
    assert shown.startswith("Goal 1 of 2\n  case a\n")
    answer = answered(cli, "suggest", "--state", "-", "--goal", "2", stdin=TWO, cwd=tmp_path)
    assert (answer["goal_number"], answer["goal_count"]) == (2, 2)
    assert answer["goal"].startswith("case b\n")
    done = cli("suggest", "--state", "-", "--goal", "3", stdin=TWO, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "error: There is no goal 3: the state has 2 goals.\nhint: Choose one from 1 to 2.\n"
    )
    assert cli("suggest", "--state", "-", "--goal", "0", stdin=TWO, cwd=tmp_path).returncode == 2


def test_the_goals_of_a_place_are_counted(cli: Cli, library: Path) -> None:
    text = "theorem t (p q : Prop) (h : p) (k : q) : p ∧ q := by\n  constructor\n  exact h\n  sorry\n"
    write(library, A=text)
    assert cli("index", library).returncode == 0
    first = asked(cli, library, "A", 3)
    assert (first["goal_number"], first["goal_count"]) == (1, 2)
    assert first["goal"].endswith("⊢ p")
    assert asked(cli, library, "A", 3, "--goal", "2")["goal"].endswith("⊢ q")
    place = ("--file", library / "A.lean", "--line")
    done = cli("suggest", *place, "4", "--goal", "2")
    assert done.returncode == 2
    assert "error: There is no goal 2: the state has one goal." in done.stderr


@pytest.mark.asyncio(loop_scope="module")
async def test_an_editor_may_choose_a_goal(editor: Editor) -> None:
    editor.open("Work.lean")
    answer = await editor.suggest("Work.lean", 5, 2, goal=TWO, goalNumber=2, tactics=True)
    assert (answer["goal_number"], answer["goal_count"]) == (2, 2)
    assert answer["tactics"] == []
    assert "`case` does not reach it" in answer["warnings"][0]
    assert answer["tactics_status"] == "goal_not_first"


def test_hypotheses_alone_are_ranked_by_and_told(cli: Cli, tmp_path: Path) -> None:
    asking = ("suggest", "--state", "-", "--json")
    answer = json.loads(cli(*asking, stdin="a b : ℕ\nh : a < b\n", cwd=tmp_path).stdout)
    assert answer["premises"]
    assert any("hypotheses only" in note for note in answer["notes"])
    stated = json.loads(
        cli(*asking, stdin="theorem t (a b : ℕ) (h : a < b) : a ≤ b := by", cwd=tmp_path).stdout
    )
    assert stated["goal"] == "a b : ℕ\nh : a < b\n⊢ a ≤ b"
    assert not any("hypotheses only" in note for note in stated["notes"])


@pytest.mark.parametrize(
    ("day", "said"),
    [
        (date(2026, 7, 1), "of 2026-07-01, from today"),
        (date(2026, 6, 1), "of 2026-07-01, from today"),
        (date(2026, 7, 2), "of 2026-07-01, 1 day old"),
        (date(2026, 11, 22), "of 2026-07-01, 4 months old"),
        (date(2028, 8, 1), "of 2026-07-01, 2 years old"),
    ],
)
def test_a_bundled_mathlib_has_an_age(day: date, said: str) -> None:
    bundled = IndexedPackage("mathlib", "2026-07-01", 2, 5, True)
    alone = index_item(Freshness((bundled,), "", ()), "4.35.0", day)
    assert alone.line == f"Mathlib {said} (bundled) · Lean 4.35.0"
    assert (alone.sources[0].date, alone.sources[0].age_days) == (
        "2026-07-01",
        max(0, (day - date(2026, 7, 1)).days),
    )
    own = IndexedPackage("", "", 1, 3, False)
    both = index_item(Freshness((bundled, own), "", ()), "4.35.0", day)
    assert both.line == f"Mathlib {said} (bundled) · this project · Lean 4.35.0 · your files up to date"
    commit = index_item(Freshness((IndexedPackage("mathlib", "a" * 40, 1, 1, False),), "", ()), "4.35.0", day)
    assert commit.line == "Mathlib aaaaaaa · Lean 4.35.0 · up to date"
    assert commit.sources[0].date is None


def test_what_is_no_day_has_no_age() -> None:
    assert [dated(text) for text in ("v4.10.0", "2026-99-99", "20260701")] == [
        "v4.10.0",
        "2026-99-99",
        "20260701",
    ]


def test_doctor_says_how_old_the_bundled_mathlib_is(cli: Cli, project: Path) -> None:
    assert re.search(
        r"names of Mathlib of \d{4}-\d\d-\d\d, .+ old, for --state", cli("doctor", project).stdout
    )


@pytest.mark.parametrize(
    "how", ["--model", "PREMISE_SUGGEST_MODEL", "--generator", "PREMISE_SUGGEST_GENERATOR"]
)
@pytest.mark.parametrize("kind", ["gone", "file"])
def test_a_model_folder_that_is_not_there_is_told_as_that(
    cli: Cli, project: Path, tmp_path: Path, how: str, kind: str
) -> None:
    folder = tmp_path / kind
    if kind == "file":
        folder.write_text("no model", encoding="utf-8")
    place = ("--file", project / "Work.lean", "--line", "6", "--tactics", "--tactics-from", "generator")
    if how.startswith("--"):
        done = cli("suggest", *place, how, folder)
    else:
        done = cli("suggest", *place, **{how: str(folder)})
    assert done.returncode == 1
    by = "" if how.startswith("--") else f", which {how} names,"
    what = "is a file" if kind == "file" else "does not exist"
    assert f"error: The model folder {folder}{by} {what}.\n" in done.stderr


def test_doctor_outlives_a_model_that_is_not_there(cli: Cli, project: Path, tmp_path: Path) -> None:
    for name in (str(tmp_path / "gone"), "no-one/no-such"):
        done = cli("doctor", project, "--json", "--model", name)
        found = {finding["name"]: finding for finding in json.loads(done.stdout)}
        assert found["model"]["status"] == "missing"
        assert name in found["model"]["message"]
        assert found["bundled Mathlib"]["status"] == "ok"


def test_the_demo_says_how_to_call_the_program(tmp_path: Path) -> None:
    scripts = tmp_path / ".venv" / "bin"
    scripts.mkdir(parents=True)
    python = scripts / "python"
    for name in ("python", "premise-suggest", "activate"):
        (scripts / name).touch()
    said = how_to_call(python, None, tmp_path)
    assert f"\n  {scripts / 'premise-suggest'}\n" in said
    assert said.endswith("\n  source .venv/bin/activate")
    other = how_to_call(python, "/usr/bin/env", tmp_path / "elsewhere")
    assert other.endswith(f"\n  source {scripts / 'activate'}")
    assert "not on PATH" not in how_to_call(python, str(scripts / "premise-suggest"), tmp_path)
    (scripts / "premise-suggest").unlink()
    assert f"{python} -m lsp_server" in how_to_call(python, None, tmp_path)
