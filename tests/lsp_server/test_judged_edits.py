"""`premiseSuggest/edits` gives the edit that Lean has judged, and what is said of proofs that are not finished."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.lsp_server.conftest import QUIET, Editor, indexed_example, place_of, start_editor, stop_editor
from tests.lsp_server.test_editor_requests import applied, plain, where

pytestmark = [pytest.mark.field_case, pytest.mark.lean, pytest.mark.asyncio(loop_scope="module")]

QUICK = {"tactics": {"source": "templates", "neighbours": True, "count": 16}}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def library(
    tmp_path_factory: pytest.TempPathFactory, cli: Any, environment: dict[str, str]
) -> AsyncIterator[Editor]:
    """A server on a copy of the example library."""
    root = indexed_example(tmp_path_factory.mktemp("library"), cli)
    started = await start_editor(root, environment, options={**QUIET, **QUICK})
    yield started
    await stop_editor(started)


async def suggested(editor: Editor, name: str, text: str, nth: int = 0) -> Any:
    """The answer at a `sorry` of a document that is opened with this text."""
    editor.open(name, text)
    return plain(await editor.suggest_at(name, text, nth=nth, tactics=True))


async def edited(editor: Editor, name: str, text: str, nth: int = 0, **options: Any) -> str:
    place = where(editor, name, place_of(text, "sorry", nth))
    answer = await editor.request("premiseSuggest/edits", {**place, "as": "tactic", **options})
    return applied(text, plain(answer)["edits"])


def titles(answer: Any) -> list[tuple[str, bool]]:
    return [(one["tactic"], one["rests_on_sorry"]) for one in answer["tactics"] if one["status"] == "closes"]


async def test_where_a_tactic_stands_there_is_no_by_and_where_a_term_stands_there_is(library: Editor) -> None:
    text = (
        "import Example\n\ntheorem k (n : Nat) : 0 + n = n := by\n  match n with\n  | 0 => sorry\n"
        "  | k + 1 => exact Nat.zero_add _\n\ntheorem l (n : Nat) : 0 + n = n :=\n  match n with\n"
        "  | 0 => sorry\n  | k + 1 => Nat.zero_add _\n"
    )
    tactic = "exact Nat.zero_add _"
    for nth, shown in ((0, tactic), (1, f"by {tactic}")):
        answer = await suggested(library, f"Match{nth}.lean", text, nth)
        item = next(one for one in answer["tactics"] if one["tactic"] == shown)
        assert (item["status"], item["edit"]["text"]) == ("closes", shown)
        after = await edited(library, f"Match{nth}.lean", text, nth, insert=shown, accepted=True)
        assert f"| 0 => {shown}\n" in after
        place = where(library, f"Match{nth}.lean", place_of(text, "sorry", nth))
        name = await library.request(
            "premiseSuggest/edits", {**place, "insert": "Nat.zero_add", "as": "name"}
        )
        assert f"| 0 => {'exact ' if nth == 0 else ''}Nat.zero_add\n" in applied(text, plain(name)["edits"])


async def test_the_edit_of_a_tactic_is_the_one_that_was_judged(library: Editor) -> None:
    text = "import Example\n\ntheorem t (p q : Prop) (f : p → q → p) (a : p) (b : q) : p :=\n  f sorry b\n"
    answer = await suggested(library, "Argument.lean", text)
    item = next(one for one in answer["tactics"] if one["status"] == "closes")
    assert item["tactic"].startswith("by ")
    assert item["edit"]["text"] == f"({item['tactic']})"
    assert (item["edit"]["line"], item["edit"]["column"], item["edit"]["end_column"]) == (4, 5, 10)
    after = await edited(library, "Argument.lean", text, insert=item["tactic"], accepted=True)
    assert after == text.replace("sorry", f"({item['tactic']})")


async def test_what_lean_does_not_accept_any_more_is_refused(library: Editor) -> None:
    text = "import Example\n\ntheorem t (p q : Prop) (h : p) : p := by\n  sorry\n"
    answer = await suggested(library, "Changed.lean", text)
    assert "exact h" in [one["tactic"] for one in answer["tactics"]] or titles(answer)
    uri = library.uri("Changed.lean")
    changed = text.replace(": p := by", ": q := by")
    change = types.TextDocumentContentChangeWholeDocument(changed)
    which = types.VersionedTextDocumentIdentifier(uri=uri, version=2)
    library.client.text_document_did_change(types.DidChangeTextDocumentParams(which, [change]))
    with pytest.raises(JsonRpcException, match=r"Lean does not accept `exact h` there now: Type mismatch"):
        await edited(library, "Changed.lean", changed, insert="exact h", accepted=True)
    with pytest.raises(JsonRpcException, match="has changed since the suggestion"):
        await edited(library, "Changed.lean", changed, insert="exact h", version=1)
    assert "  exact h\n" in await edited(library, "Changed.lean", changed, insert="exact h", version=2)


async def test_what_rests_on_sorry_stands_below_what_does_not_and_says_so(library: Editor) -> None:
    text = (
        "import Example.Set.Image\ntheorem first_one (s t : Set Nat) : s ⊆ s ∪ t := by\n  sorry\n"
        "theorem second_one (s t : Set Nat) : s ⊆ s ∪ t := by\n  sorry\n"
    )
    answer = await suggested(library, "Rest.lean", text, 1)
    closing = [one for one in answer["tactics"] if one["status"] == "closes"]
    sound = [one["rests_on_sorry"] for one in closing]
    assert sound[0] is False and sound == sorted(sound) and sound[-1] is True
    resting = [one for one in closing if "first_one" in one["tactic"]]
    assert resting and all(one["unfinished"] == ["first_one"] for one in resting)
    assert not any("first_one" in one["origin"] for one in answer["tactics"])


async def test_a_theorem_with_an_error_is_labelled(library: Editor) -> None:
    text = (
        "import Example\n\ntheorem add_is_odd (a b : Nat) : a + b = b + a + 1 := by\n  exact Nat.add_comm a b\n\n"
        "theorem t (a b : Nat) : a + b = b + a + 1 := by\n  sorry\n"
    )
    answer = await suggested(library, "Error.lean", text)
    premise = next(one for one in answer["premises"] if one["name"] == "add_is_odd")
    assert premise["has_error"] is True
    assert not any(one["has_error"] for one in answer["premises"] if one["name"] != "add_is_odd")
    using = [one for one in answer["tactics"] if "add_is_odd" in one["tactic"]]
    assert {one["status"] for one in using} <= {"unjudged"}


async def test_a_name_that_means_something_else_is_written_from_the_root(library: Editor) -> None:
    text = (
        "import Example.Order.Lattice\n\nnamespace Own\nvariable {α : Type u} [Lattice α]\n\n"
        "theorem sup_comm (a b : α) : a ⊔ b = b ⊔ a := by\n  sorry\nend Own\n"
    )
    answer = await suggested(library, "Shadow.lean", text)
    assert any("_root_.sup_comm" in tactic for tactic, _ in titles(answer))
    assert not any(" sup_comm" in one["tactic"] for one in answer["tactics"])
    place = where(library, "Shadow.lean", place_of(text, "sorry"))
    name = {**place, "insert": "sup_comm", "as": "name"}
    answer = plain(await library.request("premiseSuggest/edits", name))
    assert "exact _root_.sup_comm\n" in applied(text, answer["edits"])
    other = {**place, "insert": "le_sup_left", "as": "name"}
    answer = plain(await library.request("premiseSuggest/edits", other))
    assert "exact le_sup_left\n" in applied(text, answer["edits"])


SHORT = {
    "Mine.wrong": (
        "namespace Mine\ntheorem wrong (p q : Prop) (h : q) : p → q := fun _ => h\n\n"
        "theorem t (p q : Prop) (h : q) : p → q := by\n  sorry\nend Mine\n",
        "exact wrong _ _ h",
    ),
    "Mine.shielded": (
        "namespace Mine\nprotected theorem shielded (r : Nat → Prop) (n : Nat) (h : r n ∧ r n) : r n := h.2\n\n"
        "theorem t (r : Nat → Prop) (n : Nat) (h : r n ∧ r n) : r n := by\n  sorry\nend Mine\n",
        "exact Mine.shielded _ _ h",
    ),
    "List.reverse_append": (
        "open List\n\ntheorem t {α : Type} (k l : List α) :\n    (k ++ l).reverse = l.reverse ++ k.reverse := by\n"
        "  sorry\n",
        "exact reverse_append _ _",
    ),
    "A.both": (
        "namespace A\ntheorem both (r : Nat → Prop) (n : Nat) (h : r n ∧ r n) : r n := h.2\nend A\n"
        "namespace B\ntheorem both (r : Nat → Prop) (n : Nat) (h : r n ∧ r n) : r n := h.2\nend B\nopen A B\n\n"
        "theorem t (r : Nat → Prop) (n : Nat) (h : r n ∧ r n) : r n := by\n  sorry\n",
        "exact A.both _ _ h",
    ),
    "Mine.inner": (
        "namespace Mine\ntheorem inner (p q : Prop) (h : q) : p → q := fun _ => h\n\n"
        "theorem t (p q : Prop) (inner : q) : p → q := by\n  sorry\nend Mine\n",
        "exact Mine.inner _ _ inner",
    ),
}


@pytest.mark.parametrize("name", SHORT)
async def test_a_name_is_as_short_as_lean_accepts_it(library: Editor, name: str) -> None:
    body, wanted = SHORT[name]
    text = f"import Example\n\n{body}"
    file = f"Short{name.replace('.', '')}.lean"
    answer = await suggested(library, file, text)
    assert wanted in [tactic for tactic, _ in titles(answer)]
    place = where(library, file, place_of(text, "sorry"))
    answer = plain(await library.request("premiseSuggest/edits", {**place, "insert": name, "as": "name"}))
    assert applied(text, answer["edits"]) == text.replace("sorry", " ".join(wanted.split()[:2]))


async def test_a_proof_that_is_not_finished_or_has_an_error_is_not_cited(library: Editor) -> None:
    first = (
        "theorem first (a b c : Nat) (h : a = b) : c + a = b + c := by\n  have u : a = a := {}\n"
        "  rw [h, Nat.add_comm]\n\n"
    )
    second = "theorem second (x y z : Nat) (e : x = y) : z + x = y + z := by\n  sorry\n"
    for number, (proof, is_cited) in enumerate([("rfl", True), ("sorry", False), ("no_such", False)]):
        text = f"import Example.Nat.Order\n\n{first.format(proof)}{second}"
        answer = await suggested(library, f"Cited{number}.lean", text, text.count("sorry") - 1)
        assert ("first" in [one["origin"] for one in answer["tactics"]]) is is_cited, proof


async def test_what_leaves_goals_comes_with_a_sorry_for_each_and_a_place_for_the_cursor(
    library: Editor,
) -> None:
    text = "import Example\n\ntheorem t (p q : Prop) (h : p ∨ q) : q ∧ p ∨ p ∧ q := by sorry\n"
    answer = await suggested(library, "Left.lean", text)
    item = next(one for one in answer["tactics"] if one["tactic"] == "rcases h with h | h")
    assert (item["status"], len(item["remaining_goals"])) == ("progress", 2)
    expected = text.replace(" sorry", "\n  rcases h with h | h\n  · sorry\n  · sorry")
    assert await edited(library, "Left.lean", text, insert=item["tactic"], accepted=True) == expected
    line, column = item["cursor"]["line"], item["cursor"]["column"]
    assert expected.splitlines()[line - 1][column - 1 :] == "sorry"
    assert (line, column) == (5, len("  · ") + 1)
    cases = text.replace(" sorry", "\n  cases h with\n  | inl h => sorry\n  | inr h => sorry")
    assert await edited(library, "Left.lean", text, insert="cases h", accepted=True) == cases
