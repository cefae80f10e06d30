"""Quick fixes in place of what fails or is not there yet, and names that are misspelt or renamed."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types

from tests.lsp_server.conftest import (
    Editor,
    place_of,
)
from tests.lsp_server.test_features import edited, fixes

pytestmark = [pytest.mark.lean, pytest.mark.asyncio(loop_scope="module")]

AUTOMATIC = types.CodeActionTriggerKind.Automatic


LATTICE = """\
import Example.Order.Lattice

theorem t {L : Type} [Lattice L] (a b : L) (h : a ≤ b) : a ⊔ b = b := by
  │

theorem u {L : Type} [Lattice L] (a b : L) : a ⊔ b = b ⊔ a := by
  rfl
"""


async def fixed(editor: Editor, marked: str, **context: Any) -> tuple[list[types.CodeAction], list[str]]:
    """The quick fixes at the mark of a text, and the text after each."""
    text = marked.replace("│", "")
    uri = editor.open("Replaced.lean", text)
    actions = await fixes(editor, uri, place_of(marked, "│"), **context)
    edits = [action.edit.changes[uri] for action in actions if action.edit and action.edit.changes]
    return actions, [edited(text, list(one)) for one in edits]


@pytest.mark.parametrize(
    ("typed", "proof"),
    [
        ("exact sup_eq_rightt.mpr h│", "exact sup_eq_right.mpr h"),
        ("exact sup_eq_rihgt.mpr │h", "exact sup_eq_right.mpr h"),
        ("rw [Sup_eq_right│]; exact h", "rw [sup_eq_right]"),
        ("rw [sup_eq_righ│", "rw [sup_eq_right]\n  sorry"),
        ("exact (sup_eq_rigt).mpr\n    h│", "exact (sup_eq_right).mpr\n    h"),
    ],
)
async def test_a_misspelt_name_is_replaced_first(example: Editor, typed: str, proof: str) -> None:
    marked = LATTICE.replace("│", typed)
    actions, texts = await fixed(example, marked)
    accepted = [(one.title.partition("  (")[0], text) for one, text in zip(actions, texts, strict=True)]
    replaced = typed.replace("│", "").partition(";")[0]
    title = f"Replace with: {' '.join(proof.removesuffix('sorry').split())}"
    assert (title, marked.replace("│", "").replace(replaced, proof)) in accepted
    assert actions[0].is_preferred
    assert all(one.title.startswith("Replace with: ") for one in actions)


async def test_the_misspelt_name_is_first_of_all_tactics(example: Editor) -> None:
    marked = LATTICE.replace("│", "exact sup_eq_rightt.mpr h│")
    actions, _ = await fixed(example, marked)
    assert actions[0].title == "Replace with: exact sup_eq_right.mpr h"
    assert [one.is_preferred for one in actions] == [True, *[False] * (len(actions) - 1)]
    place = place_of(marked, "│")
    answer = await example.suggest("Replaced.lean", place.line, place.character, tactics=True)
    assert answer["tactics"][0]["tactic"] == "exact sup_eq_right.mpr h"


async def test_a_failing_tactic_is_replaced_on_its_own(example: Editor) -> None:
    text = LATTICE.replace("│", "have k : a ≤ b := by\n    exact hh│\n  exact sup_eq_right.mpr k")
    actions, texts = await fixed(example, text)
    assert actions[0].title.startswith("Replace with: ")
    assert actions[0].is_preferred
    assert texts[0] == text.replace("exact hh│", actions[0].data["tactic"])  # type: ignore[index]


@pytest.mark.parametrize(
    "marked",
    [
        "theorem t (p : Prop) (h : p) : p := by│",
        "theorem t (p : Prop) (h : p) : p := b│y\n\ntheorem u : True := trivial\n",
        "theorem t (p : Prop) (h : p) : p := by\n  │\n",
        "theorem t (p : Prop) (h : p) : p :=│\n\ntheorem u : True := trivial\n",
        "theorem t (p : Prop) (h : p) : p ∧ p := by\n  constructor\n  · │\n  · exact h\n",
    ],
)
async def test_what_is_not_written_yet(example: Editor, marked: str) -> None:
    actions, texts = await fixed(example, marked, trigger_kind=types.CodeActionTriggerKind.Invoked)
    assert actions[0].title.startswith("Try this: ")
    assert actions[0].is_preferred
    assert actions[0].data["tactic"] in texts[0]  # type: ignore[index]
    assert (await fixed(example, marked, trigger_kind=AUTOMATIC)) == ([], [])


async def test_an_error_is_enough_for_an_editor_that_looks_by_itself(example: Editor) -> None:
    marked = LATTICE.replace("│", "exact sup_eq_rightt.mpr h│")
    text = marked.replace("│", "")
    uri = example.open("Replaced.lean", text)
    place = place_of(marked, "│")
    fault = types.Diagnostic(types.Range(place, place), "Unknown", types.DiagnosticSeverity.Error)
    params = types.CodeActionParams(
        types.TextDocumentIdentifier(uri),
        types.Range(place, place),
        types.CodeActionContext(diagnostics=[fault], trigger_kind=AUTOMATIC),
    )
    found = await example.client.text_document_code_action_async(params)
    actions = [one for one in found or [] if isinstance(one, types.CodeAction)]
    assert actions[0].title == "Replace with: exact sup_eq_right.mpr h"
    assert list(actions[0].diagnostics or ()) == [fault]
    assert (await fixed(example, marked, trigger_kind=AUTOMATIC)) == ([], [])


@pytest.mark.parametrize(
    "typed", ["exact sup_eq_right│.mpr h", "│exact sup_eq_right.mpr h", "exact sup_eq_right.mpr h│"]
)
async def test_a_healthy_tactic_is_left_alone(example: Editor, typed: str) -> None:
    assert await fixed(example, LATTICE.replace("│", typed)) == ([], [])


async def test_only_a_proof_is_preferred(example: Editor) -> None:
    marked = "theorem t (p q : Prop) (h : p → q) : q := by\n  exact no│ne\n"
    actions, _ = await fixed(example, marked)
    assert actions
    assert not any(one.is_preferred for one in actions)
