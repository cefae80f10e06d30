"""Completion where a term is typed inside of another, ranked for what is expected there: the real server."""

from __future__ import annotations

import pytest
from lsprotocol import types

from tests.lsp_server.conftest import Editor, place_of
from tests.lsp_server.test_features import complete, edited

pytestmark = [pytest.mark.lean, pytest.mark.asyncio(loop_scope="module")]

SWAP = "Lib.plus_swap"
"""The lemma for `a + b = b + a`, which is what each place below expects, and the whole goal is not."""
HEAD = "import Lib.Numbers\n\ntheorem t (p : Prop) (hp : p) (a b : Nat) : p ∧ a + b = b + a := "
TAIL = "\n\ntheorem u (a : Nat) : a = a := rfl\n"


@pytest.mark.parametrize(
    "typed",
    [
        "⟨hp, │⟩",
        "⟨hp, │",
        "by\n  exact ⟨hp, │",
        "by\n  refine ⟨?_, │⟩\n  exact hp",
        "by\n  exact And.intro hp (│",
        "by\n  exact And.intro hp (Lib.plu│)",
        "by\n  have h : a + b = b + a := │\n  exact ⟨hp, h⟩",
        "by\n  have h : a + b = b + a := (│\n  exact ⟨hp, h⟩",
        "by exact And.intro hp (show a + b = b + a from │",
        "(fun h => │ : a + b = b + a → a + b = b + a)",
        "⟨hp, by exact (│",
    ],
)
async def test_what_is_expected_at_a_term_comes_first(editor: Editor, typed: str) -> None:
    text = HEAD + typed.replace("│", "") + TAIL
    uri = editor.open("Terms.lean", text)
    place = place_of(HEAD + typed + TAIL, "│")
    found = await complete(editor, uri, place)
    first = found.items[0]
    assert first.label == SWAP
    assert isinstance(first.text_edit, types.TextEdit)
    assert edited(text, [first.text_edit]) == HEAD + typed.replace("Lib.plu", "").replace("│", SWAP) + TAIL


@pytest.mark.parametrize(
    ("statement", "typed", "first"),
    [
        ("(p q : Prop) (h : p ∧ q) : q ∧ p", "│", "Lib.and_swap"),
        ("(p q : Prop) (h : p ∨ q) : q ∨ p", "by\n  have := │", "Lib.or_swap"),
        ("(p q : Prop) (h : p ∧ q) : (q ∧ p) ∧ True ∧ True", "⟨│", "Lib.and_swap"),
        ("(p q : Prop) (h : p ∧ q) (f : q ∧ p → True → p) : p", "by exact f (│", "Lib.and_swap"),
        ("(p q : Prop) : p ∧ q → q ∧ p", "fun h => │", "Lib.and_swap"),
        ("(p q : Prop) : p ∨ q → q ∨ p", "by\n  intro h\n  have k : q ∨ p := by exact (│", "Lib.or_swap"),
    ],
)
async def test_the_expected_type_is_found_though_the_term_lacks_parts(
    editor: Editor, statement: str, typed: str, first: str
) -> None:
    marked = f"import Lib.Numbers\n\ntheorem t {statement} := {typed}{TAIL}"
    uri = editor.open("Terms.lean", marked.replace("│", ""))
    found = await complete(editor, uri, place_of(marked, "│"))
    assert found.items[0].label == first


@pytest.mark.parametrize(
    "typed",
    [
        "by\n  -- exact (│",
        'by\n  exact f "(│"',
        "by\n  /- exact │ -/\n  simp",
        "by\n  exact f ) (│",
        "by\n  exact (" + "(" * 50_000 + "│",
    ],
)
async def test_where_no_term_can_stand_nothing_is_completed_and_the_server_lives(
    editor: Editor, typed: str
) -> None:
    marked = HEAD + typed + TAIL
    uri = editor.open("Broken.lean", marked.replace("│", ""))
    params = types.CompletionParams(types.TextDocumentIdentifier(uri), place_of(marked, "│"))
    assert await editor.client.text_document_completion_async(params) is None
    text = HEAD + "⟨hp, " + TAIL
    again = editor.open("Terms.lean", text)
    assert (await complete(editor, again, place_of(text, "\n\ntheorem u"))).items[0].label == SWAP
