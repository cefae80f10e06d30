"""Tactics from known proofs, in a real Lean: a proof written in one file of the example library is offered in the
next."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.lsp_server.conftest import (
    Cli,
    Editor,
    answered,
    indexed_example,
    place_of,
    premise_names,
    start_editor,
    stop_editor,
)

pytestmark = pytest.mark.lean
NO_GENERATOR = {"index": {"auto": False}, "tactics": {"source": "templates"}}
HEADER = "import Example.Nat.Order\n\n"
FIRST = (
    f"{HEADER}theorem first_of_all (a b c : ℕ) (h : a = b) : c + a = b + c := by\n  rw [h, Nat.add_comm]\n"
)
SECOND = f"{HEADER}example (x y z : ℕ) (e : x = y) : z + x = y + z := by\n  sorry\n"
ADAPTED = "rw [e, Nat.add_comm]"


@pytest.fixture
def library(tmp_path: Path, cli: Cli) -> Path:
    """The example library with two files more, of which the first is still empty; indexed."""
    files = {"Example/First": HEADER, "Example/Second": SECOND}
    return indexed_example(tmp_path / f"library-{tmp_path.name}", cli, **files)


async def asked(editor: Editor) -> list[Any]:
    """The tactics for the goal of the second file."""
    answer = await editor.suggest_at("Example/Second.lean", SECOND, tactics=True)
    found: list[Any] = answer["tactics"]
    return found


async def test_a_proof_written_in_one_file_is_offered_in_the_next(
    library: Path, environment: dict[str, str], cli: Cli
) -> None:
    editor = await start_editor(library, environment, options=NO_GENERATOR)
    editor.open("Example/Second.lean")
    assert ADAPTED not in [one["tactic"] for one in await asked(editor)]
    (library / "Example" / "First.lean").write_text(FIRST, encoding="utf-8")
    uri = editor.open("Example/First.lean")
    editor.client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))
    await editor.indexed()
    [offered] = [one for one in await asked(editor) if one["tactic"] == ADAPTED]
    assert (offered["status"], offered["origin"]) == ("closes", "first_of_all")
    await stop_editor(editor)
    place = place_of(SECOND, "sorry")
    at = f"{library / 'Example' / 'Second.lean'}"
    shown = cli("suggest", "--file", at, "--line", str(place.line + 1), "--tactics")
    assert "as in " in shown.stdout


async def test_a_proof_above_the_goal_is_offered_before_it_is_saved_unless_that_is_turned_off(
    library: Path, environment: dict[str, str]
) -> None:
    text = FIRST + SECOND.removeprefix(HEADER)
    off = {**NO_GENERATOR, "tactics": {"source": "templates", "neighbours": False}}
    origins = {}
    for name, options in (("on", NO_GENERATOR), ("off", off)):
        editor = await start_editor(library, environment, options=options)
        editor.open("Example/First.lean", text)
        answer = await editor.suggest_at("Example/First.lean", text, tactics=True)
        origins[name] = {one["tactic"]: one["origin"] for one in answer["tactics"]}
        await stop_editor(editor)
    assert origins["on"][ADAPTED] == "first_of_all"
    assert origins["off"] and not any(origins["off"].values())


async def test_several_steps_of_a_proof_are_offered_as_one(
    library: Path, environment: dict[str, str]
) -> None:
    text = f"""{HEADER}axiom Ball : Type
axiom mix : Ball → Ball → Ball
axiom Odd : Ball → Prop
axiom mix_of (p : Ball → Prop) (a b : Ball) (h : p a) : p (mix a b)
axiom unmix (p : Ball → Prop) (a b : Ball) (h : p (mix a b)) : p b

theorem odd_one (red : Ball → Prop) (a b : Ball) (o : Odd b) (h : red a) : red b := by
  have k : red (mix a b) := by
    exact mix_of red a b h
  exact unmix red a b k

theorem mine (blue : Ball → Prop) (x k : Ball) (first : blue x) : blue k := by
  sorry
"""
    editor = await start_editor(library, environment, options=NO_GENERATOR)
    editor.open("Example/First.lean", text)
    answer = await editor.suggest_at("Example/First.lean", text, tactics=True)
    await stop_editor(editor)
    found = {one["tactic"]: one for one in answer["tactics"]}
    whole = "have k₁ : blue (mix x k) := by\n  exact mix_of blue x k first\nexact unmix blue x k k₁"
    assert (found[whole]["status"], found[whole]["origin"]) == ("closes", "odd_one"), list(found)
    assert whole.replace("\n", "\n  ") in found[whole]["edit"]["text"]


def age(index: Path) -> None:
    """Make an index what it was before steps were kept."""
    for meta in index.glob("segments/*/meta.json"):
        values = json.loads(meta.read_text(encoding="utf-8"))
        del values["sum"]
        values["files"] = {name: sums for name, sums in values["files"].items() if "step_" not in name}
        meta.write_text(json.dumps(values), encoding="utf-8")
        for left in meta.parent.glob("step_*"):
            left.unlink()


def test_an_index_from_before_steps_were_kept_is_told_and_completed(
    library: Path, environment: dict[str, str], cli: Cli
) -> None:
    [index] = Path(environment["PREMISE_SUGGEST_INDEX"]).glob(f"{library.name}-*")
    assert "kept no proof steps" not in cli("doctor", library).stdout
    age(index)
    told = cli("doctor", library).stdout
    assert "an older version kept no proof steps, votes or doc strings of" in " ".join(told.split())
    assert f"premise-suggest index {library}" in " ".join(told.split())
    assert "The doc strings of" in answered(cli, "search", "commutative", cwd=library)["warnings"][0]
    place = place_of(SECOND, "sorry")
    at = library / "Example" / "Second.lean"
    assert cli("suggest", "--file", at, "--line", str(place.line + 1)).returncode == 0
    assert "0 premises embedded" in cli("index", library).stdout
    assert "kept no proof steps" not in cli("doctor", library).stdout
    assert answered(cli, "search", "commutative", cwd=library)["warnings"] == []


async def test_a_premise_that_a_saved_proof_uses_climbs_in_another_file(
    library: Path, environment: dict[str, str]
) -> None:
    editor = await start_editor(library, environment, options=NO_GENERATOR)
    editor.open("Example/Second.lean")

    async def premises() -> list[str]:
        answer = await editor.suggest_at("Example/Second.lean", SECOND, k=64)
        return premise_names(answer)

    used = (await premises())[30]
    (library / "Example" / "First.lean").write_text(
        FIRST.replace("rw [h, Nat.add_comm]", f"exact {used} h"), encoding="utf-8"
    )
    uri = editor.open("Example/First.lean")
    editor.client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))
    await editor.indexed()
    assert (await premises()).index(used) < 25
    await stop_editor(editor)
