"""Completion of terms and rules that Lean has accepted, before the names: the real server with a real Lean."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.hostile.raw_client import RawClient
from tests.lsp_server.conftest import QUIET, Editor, place_of
from tests.lsp_server.test_features import compiles, complete, edited, named, vars_of

pytestmark = pytest.mark.lean
in_order = pytest.mark.asyncio(loop_scope="module")

AND = "import Lib.Numbers\n\ntheorem t (p q : Prop) (h : p ∧ q) : q ∧ p := by\n  {}\n"
SUM = "import Lib.Numbers\n\ntheorem t (a b : Nat) : a + b = b + a := by\n  {}\n"


async def completed(editor: Editor, text: str, typed: str) -> tuple[types.CompletionList, str, str]:
    """The completions at a mark in what is typed in place of a `sorry` whose tactics were shown, and both texts."""
    shown = text.format("sorry")
    editor.open("Verified.lean", shown)
    await editor.suggest_at("Verified.lean", shown, tactics=True)
    written = text.format(typed.replace("│", ""))
    uri = editor.open("Verified.lean", written)
    return await complete(editor, uri, place_of(text.format(typed), "│")), written, shown


def after(text: str, item: types.CompletionItem) -> str:
    """The text after an item is chosen."""
    assert isinstance(item.text_edit, types.TextEdit)
    return edited(text, [item.text_edit])


@in_order
@pytest.mark.parametrize("typed", ["exact │", "exact And│", "exact h│"])
async def test_terms_that_close_the_goal_come_first(editor: Editor, tmp_path: Path, typed: str) -> None:
    found, text, _ = await completed(editor, AND, typed)
    verified = [one for one in found.items if one.sort_text and one.sort_text.startswith("-")]
    assert verified and [*verified, *named(found)] == [*found.items]
    assert [one.preselect for one in found.items] == [True, *[None] * (len(found.items) - 1)]
    assert [one.sort_text for one in found.items] == sorted(str(one.sort_text) for one in found.items)
    for number, item in enumerate(verified):
        assert item.label_details is not None and item.label_details.description == "closes the goal"
        new = after(text, item)
        assert new.startswith(AND.format(f"exact {item.label}")[:-1])
        await asyncio.to_thread(compiles, editor.root, tmp_path / str(number), new)


@in_order
@pytest.mark.parametrize("typed", ["rw [│]", "simp [│]"])
async def test_rules_come_first_with_what_they_leave(editor: Editor, tmp_path: Path, typed: str) -> None:
    found, text, _ = await completed(editor, SUM, typed)
    first = found.items[0]
    assert first.label_details is not None and first.label_details.description == "closes the goal"
    assert "Lib.plus_swap" in first.label
    await asyncio.to_thread(compiles, editor.root, tmp_path, after(text, first))


@in_order
async def test_an_applied_lemma_says_what_it_leaves(editor: Editor) -> None:
    found, text, _ = await completed(editor, AND.replace(" (h : p ∧ q)", ""), "apply │")
    leaving = [
        one for one in found.items if one.label_details and one.label_details.description == "leaves 1 goal"
    ]
    assert "apply Lib.and_swap\n" in [after(text, one).rpartition("  ")[2] for one in leaving]
    assert all(isinstance(one.documentation, types.MarkupContent) for one in leaving)
    assert not any(one.preselect for one in leaving)


@in_order
@pytest.mark.parametrize(
    "typed", ["exact │ h", "rw [│] at h", "rw [Lib.and_swap_iff, │, Lib.plus_swap]", "simp only [│]"]
)
async def test_what_was_judged_otherwise_is_not_called_verified(editor: Editor, typed: str) -> None:
    found, _, _ = await completed(editor, AND, typed)
    assert found.items and named(found) == [*found.items]


@in_order
async def test_rows_show_statements(editor: Editor) -> None:
    found, _, _ = await completed(editor, SUM, "rw [│]")
    details = {one.label: one.label_details for one in named(found)}
    swap = details["Lib.plus_swap"]
    assert swap is not None and (swap.detail, swap.description) == (" : n + m = m + n", "Lib.Numbers")
    assert all(one is None or len(one.detail or "") <= 63 for one in details.values())


def test_a_client_that_shows_no_details_reads_them_in_the_detail(
    project: Path, environment: dict[str, str]
) -> None:
    client = RawClient(environment, seconds=60)
    client.shake_hands(project, {}, QUIET)
    uri = (project / "Verified.lean").as_uri()

    def ask(method: str, text: str, mark: str, **options: Any) -> Any:
        client.open(uri, text.replace("│", ""), 1)
        where = {"textDocument": {"uri": uri}, "position": vars_of(place_of(text, mark)), **options}
        return client.ask(method, where)["result"]

    ask("premiseSuggest/suggest", AND.format("sorry"), "sorry", tactics=True)
    items = ask("textDocument/completion", AND.format("exact │"), "│")["items"]
    client.close()
    assert items[0]["detail"] == "closes the goal"
    assert not any("labelDetails" in one for one in items)
    assert next(one["detail"] for one in items if one["label"] == "Lib.and_swap").endswith(": q ∧ p")


@in_order
async def test_a_long_goal_is_completed(editor: Editor) -> None:
    parts = " ∧ ".join(["a + b = b + a"] * 200)
    text = f"import Lib.Numbers\n\ntheorem t (a b : Nat) : {parts} := by\n  exact "
    found = await complete(editor, editor.open("Long.lean", text), place_of(text + "│", "│"))
    assert named(found)
