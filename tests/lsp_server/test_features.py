"""Hover, completion, quick fixes and the request, in a real server that drives a real Lean."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from lean_extract.toolchains import packaged
from lsp_server.documents.positions import offset_of, split_lines
from lsp_server.documents.utf16 import from_lsp
from tests.lsp_server.conftest import Editor, place_of

pytestmark = [pytest.mark.lean, pytest.mark.asyncio(loop_scope="module")]


def edited(text: str, edits: list[types.TextEdit]) -> str:
    """The text after edits, which do not overlap."""
    lines = split_lines(text)

    def offset(place: types.Position) -> int:
        return offset_of(lines, from_lsp(lines, place))

    for edit in sorted(edits, key=lambda edit: -offset(edit.range.start)):
        text = text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
    return text


async def complete(editor: Editor, uri: str, place: types.Position) -> types.CompletionList:
    params = types.CompletionParams(types.TextDocumentIdentifier(uri), place)
    found = await editor.client.text_document_completion_async(params)
    assert isinstance(found, types.CompletionList)
    return found


def named(found: types.CompletionList) -> list[types.CompletionItem]:
    """The items that are names; those before them were accepted by Lean, and may come later than the names."""
    return [one for one in found.items if not (one.sort_text or "").startswith("-")]


async def hover(editor: Editor, uri: str, place: types.Position) -> types.Hover | None:
    params = types.HoverParams(types.TextDocumentIdentifier(uri), place)
    return await editor.client.text_document_hover_async(params)


async def fixes(editor: Editor, uri: str, place: types.Position, **context: Any) -> list[types.CodeAction]:
    params = types.CodeActionParams(
        types.TextDocumentIdentifier(uri),
        types.Range(place, place),
        types.CodeActionContext(diagnostics=[], **context),
    )
    found = await editor.client.text_document_code_action_async(params)
    return [action for action in found or [] if isinstance(action, types.CodeAction)]


async def test_the_server_says_what_it_can(editor: Editor) -> None:
    assert editor.result is not None
    can = editor.result.capabilities
    assert can.hover_provider
    assert isinstance(can.completion_provider, types.CompletionOptions)
    assert {"[", ",", " ", "←"} <= set(can.completion_provider.trigger_characters or ())
    assert isinstance(can.code_action_provider, types.CodeActionOptions)
    assert list(can.code_action_provider.code_action_kinds or ()) == [types.CodeActionKind.QuickFix]
    assert can.execute_command_provider
    assert set(can.execute_command_provider.commands) == {
        "premise-suggest.suggest",
        "premise-suggest.close",
        "premise-suggest.prove",
        "premise-suggest.insert",
        "premise-suggest.index",
    }
    assert can.code_lens_provider is None


@pytest.mark.parametrize("language", ["lean4", "lean"])
async def test_hover_on_sorry_lists_the_premises_of_its_goal(editor: Editor, language: str) -> None:
    uri = editor.open("Work.lean", language=language)
    place = place_of(editor.text("Work.lean"), "sorry")
    found = await hover(editor, uri, types.Position(place.line, place.character + 2))
    assert found
    assert isinstance(found.contents, types.MarkupContent)
    _, premises = found.contents.value.split("**Premises that fit this goal**\n\n")
    assert premises.startswith("- `Lib.and_swap` · `exact Lib.and_swap h`\n")
    assert "(+" not in found.contents.value and "near in meaning" not in found.contents.value
    assert found.range == types.Range(place, types.Position(place.line, place.character + 5))


async def test_hover_on_a_tactic_is_about_the_goal_before_it(editor: Editor) -> None:
    uri = editor.open("Work.lean")
    found = await hover(editor, uri, place_of(editor.text("Work.lean"), "exact h"))
    assert found
    assert await hover(editor, uri, place_of(editor.text("Work.lean"), "example")) is None
    assert await hover(editor, uri, place_of(editor.text("Work.lean"), "number")) is None


SUM = "import Lib.Numbers\n\ntheorem t (a b : Nat) : a + b = b + a := by\n  {}\n"


@pytest.mark.parametrize(
    ("typed", "after"),
    [
        ("exact │", "exact Lib.plus_swap"),
        ("exact Lib.plu│", "exact Lib.plus_swap"),
        ("apply plus_s│", "apply Lib.plus_swap"),
        ("refine │", "refine Lib.plus_swap"),
        ("rw [│]", "rw [Lib.plus_swap]"),
        ("rw [← │]", "rw [← Lib.plus_swap]"),
        ("rw [│", "rw [Lib.plus_swap"),
        ("simp [│]", "simp [Lib.plus_swap]"),
        ("simp only [Lib.zero_plus, │]", "simp only [Lib.zero_plus, Lib.plus_swap]"),
        ("rw [Lib.plus_swap b, │]", None),
    ],
)
async def test_completion_is_ranked_and_replaces_what_is_typed(
    editor: Editor, typed: str, after: str | None
) -> None:
    text = SUM.format(typed.replace("│", ""))
    uri = editor.open("Completed.lean", text)
    place = place_of(SUM.format(typed), "│")
    found = await complete(editor, uri, place)
    assert [item.sort_text for item in found.items] == sorted(item.sort_text or "" for item in found.items)
    first = named(found)[0]
    assert isinstance(first.text_edit, types.TextEdit)
    assert first.filter_text == first.label == first.text_edit.new_text
    edit_range = first.text_edit.range
    assert edit_range.start.line == edit_range.end.line == place.line
    assert edit_range.start.character <= place.character <= edit_range.end.character
    if after is not None:
        assert edited(text, [first.text_edit]) == SUM.format(after)
        assert first.detail == "(n m : Nat) : n + m = m + n"


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("rw [│]", "Lib.plus_swap"),
        ("rw [│] at h", "Lib.zero_plus"),
        ("simp only [│] at h", "Lib.zero_plus"),
        ("rw [│] at missing", "Lib.plus_swap"),
    ],
)
async def test_at_a_hypothesis_what_rewrites_that_is_first(editor: Editor, typed: str, first: str) -> None:
    text = "import Lib.Numbers\n\ntheorem t (a b : Nat) (h : 0 + a = 3) : a + b = b + a := by\n  {}\n"
    uri = editor.open("Completed.lean", text.format(typed.replace("│", "")))
    found = await complete(editor, uri, place_of(text.format(typed), "│"))
    assert named(found)[0].label == first


STATED = """import Lib.Numbers

axiom F : Nat → Prop
axiom F_and (n : Nat) : F n ↔ n = 1 ∧ n = 2
axiom F_plus (n : Nat) : F n ↔ 0 + n = 3

theorem t : ∀ n, F n := by
  {}
"""


@pytest.mark.parametrize(("typed", "is_and"), [("rw [F_and, │]", True), ("rw [F_plus, │]", False)])
async def test_a_rule_that_lean_does_not_take_is_applied_as_text(
    editor: Editor, typed: str, is_and: bool
) -> None:
    uri = editor.open("Completed.lean", STATED.format(typed.replace("│", "")))
    found = named(await complete(editor, uri, place_of(STATED.format(typed), "│")))
    assert ("Lib.and_swap_iff" in [item.label for item in found]) == is_and


@pytest.mark.parametrize(("opening", "is_first"), [("obtain h | h := │", True), ("have h := │", False)])
async def test_what_cases_are_often_split_with_is_first_after_obtain(
    editor: Editor, opening: str, is_first: bool
) -> None:
    text = """import Lib.Numbers

theorem eq_or_ne (a b : Nat) : a = b ∨ a ≠ b := sorry
theorem eq_or_more (a b : Nat) : a = b ∨ a ≠ b := sorry

theorem t (a b : Nat) : a + b = b + a := by
  {}
"""
    uri = editor.open("Completed.lean", text.format(opening.replace("│", "")))
    found = named(await complete(editor, uri, place_of(text.format(opening), "│")))
    labels = [item.label for item in found]
    assert (labels.index("eq_or_ne") < labels.index("eq_or_more")) == is_first


async def test_rewriting_completes_with_what_rewrites(editor: Editor) -> None:
    text = "import Lib.Basic\n\ntheorem t (p q : Prop) : p ∧ q ↔ q ∧ p := by\n  rw []\n"
    uri = editor.open("Completed.lean", text)
    found = await complete(editor, uri, place_of(text, "]"))
    labels = {item.label for item in named(found)}
    assert "Lib.and_swap_iff" in labels
    assert "Lib.and_swap" not in labels


DOUBLE = """import Lib.Numbers

def half (n : Nat) : Nat := n / 2

theorem t (a b : Nat) : half (Lib.double a) + b = b + half (Lib.double a) := by
  {}
"""


@pytest.mark.parametrize(
    ("typed", "is_offered"),
    [
        ("simp [│]", True),
        ("simp only [Lib.zero_plus, │", True),
        ("rw [│]", True),
        ("rw [← │]", False),
        ("unfold │", True),
        ("skip <;> unfold half │", True),
        ("delta │", True),
        ("apply │", False),
        ("exact │", False),
    ],
)
async def test_definitions_are_offered_where_a_tactic_can_use_them(
    editor: Editor, typed: str, is_offered: bool
) -> None:
    uri = editor.open("Doubled.lean", DOUBLE.format(typed.replace("│", "")))
    found = await complete(editor, uri, place_of(DOUBLE.format(typed), "│"))
    labels = [item.label for item in named(found)]
    names = {"Lib.double", "half"}
    assert names & set(labels) == (names if is_offered else set())
    if typed.startswith(("unfold", "delta", "skip")):
        assert names == set(labels[:2])
        assert "Lib.plus_swap" not in labels
    else:
        assert labels[0] == "Lib.plus_swap"


async def test_where_data_are_asked_for_terms_of_every_kind_are_offered(editor: Editor) -> None:
    text = "import Lib.Numbers\n\ndef t (a : Nat) : Nat := by\n  exact Lib.doub\n"
    uri = editor.open("Data.lean", text)
    end = place_of(text, "doub\n")
    found = await complete(editor, uri, types.Position(end.line, end.character + 4))
    assert named(found)[0].label == "Lib.double"
    assert named(found)[0].kind == types.CompletionItemKind.Function


async def test_a_request_says_what_the_premises_are_for(editor: Editor) -> None:
    text = DOUBLE.format("sorry")
    editor.open("Doubled.lean", text)
    place = place_of(text, "sorry")
    found = {
        caller: await editor.suggest("Doubled.lean", place.line, place.character, caller=caller, k=12)
        for caller in ("", "unfold", "simp only [a]", "exact", "no_such_tactic")
    }
    kinds = {caller: {one["kind"] for one in answer["premises"]} for caller, answer in found.items()}
    assert "def" in kinds["unfold"] & kinds["simp only [a]"]
    assert "theorem" not in kinds["unfold"]
    assert kinds[""] == kinds["exact"] == kinds["no_such_tactic"] == {"theorem"}
    with pytest.raises(JsonRpcException, match="caller must be a string"):
        await editor.suggest("Doubled.lean", place.line, place.character, caller=3)


async def test_definitions_that_the_goal_mentions_are_unfolded_in_tactics(editor: Editor) -> None:
    text = "import Lib.Numbers\n\ntheorem t (a b : Nat) : Lib.double a = b := by\n  sorry\n"
    editor.open("Unfolded.lean", text)
    answer = await editor.suggest_at("Unfolded.lean", text, tactics=True)
    left = [one["remaining_goals"] for one in answer["tactics"] if "Lib.double" in one["tactic"]]
    assert ["a b : ℕ\n⊢ a + a = b"] in left


async def test_completion_counts_columns_in_utf16(editor: Editor) -> None:
    text = "import Lib.Numbers\n\ntheorem t (𝕜 b : Nat) : 𝕜 + b = b + 𝕜 := by /- 𝕜𝕜 -/ exact Lib.pl\n"
    uri = editor.open("Wide.lean", text)
    end = place_of(text, "Lib.pl\n")
    found = await complete(editor, uri, types.Position(end.line, end.character + 6))
    edit = named(found)[0].text_edit
    assert isinstance(edit, types.TextEdit)
    assert edited(text, [edit]) == text.replace("Lib.pl\n", "Lib.plus_swap\n")


async def test_a_premise_out_of_scope_brings_its_import(editor: Editor) -> None:
    text = editor.text("Narrow.lean").replace("sorry", "exact ")
    uri = editor.open("Narrow.lean", text)
    place = place_of(text, "exact ")
    found = await complete(editor, uri, types.Position(place.line, place.character + 6))
    item = next(item for item in found.items if item.label == "Lib.plus_swap")
    assert item.label_details
    assert item.label_details.description == "needs import Lib.Numbers"
    assert isinstance(item.text_edit, types.TextEdit)
    assert item.additional_text_edits
    new = edited(text, [item.text_edit, *item.additional_text_edits])
    assert new.startswith("import Lib.Basic\nimport Lib.Numbers\n")
    assert new.rstrip().endswith("exact Lib.plus_swap")


async def test_no_completion_elsewhere(editor: Editor) -> None:
    uri = editor.open("Work.lean")
    params = types.CompletionParams(
        types.TextDocumentIdentifier(uri), place_of(editor.text("Work.lean"), "number")
    )
    assert await editor.client.text_document_completion_async(params) is None


@pytest.mark.parametrize("nth", [0, 1, 2, 3])
async def test_quick_fixes_are_tactics_that_lean_accepts(editor: Editor, tmp_path: Path, nth: int) -> None:
    uri = editor.open("Work.lean")
    text = editor.text("Work.lean")
    actions = await fixes(editor, uri, place_of(text, "sorry", nth))
    assert actions
    assert [action.is_preferred for action in actions] == [True] + [False] * (len(actions) - 1)
    assert all(action.title.startswith("Try this: ") for action in actions)
    assert all(action.kind == types.CodeActionKind.QuickFix for action in actions)
    first = actions[0]
    assert first.data["status"] == "closes"  # type: ignore[index]
    assert first.title.startswith(f"Try this: {first.data['tactic']}")  # type: ignore[index]
    assert first.edit
    assert first.edit.changes
    fixed = edited(text, list(first.edit.changes[uri]))
    assert fixed.count("sorry") == text.count("sorry") - 1
    await asyncio.to_thread(compiles, editor.root, tmp_path, fixed)


def compiles(root: Path, folder: Path, text: str) -> None:
    """Compile the project with this text as a further module; raises ProjectBroken with what Lean says."""
    sources = folder / "sources"
    for path in (root / "Lib").glob("*.lean"):
        (sources / "Lib").mkdir(parents=True, exist_ok=True)
        (sources / "Lib" / path.name).write_bytes(path.read_bytes())
    (sources / "Fixed.lean").write_text(text, encoding="utf-8")
    assert "Fixed" in packaged.build_library(sources, folder / "out", packaged.prepare())


async def test_what_a_tactic_leaves_is_told(editor: Editor) -> None:
    text = "import Lib.Numbers\n\ntheorem two (p q : Prop) : p ∧ q := by\n  sorry\n"
    actions = await fixes(editor, editor.open("Two.lean", text), place_of(text, "sorry"))
    assert actions[-1].title == "Search for a proof (10 s)"
    leaving: list[Any] = [action for action in actions[:-1] if action.data["status"] == "progress"]  # type: ignore[index]
    assert leaving
    for action in leaving:
        goals = action.data["remaining_goals"]
        assert f"(leaves {len(goals)} goal" in action.title
        assert all(goal.rpartition("⊢")[2].strip() in action.title for goal in goals)
    assert any(action.title.endswith("  (leaves 2 goals: ⊢ p; ⊢ q)") for action in leaving)


async def test_quick_fixes_only_where_they_are_wanted(editor: Editor) -> None:
    uri = editor.open("Work.lean")
    place = place_of(editor.text("Work.lean"), "sorry")
    assert await fixes(editor, uri, place, only=[types.CodeActionKind.Refactor]) == []
    assert await fixes(editor, uri, place, only=[types.CodeActionKind.QuickFix])
    assert await fixes(editor, uri, place_of(editor.text("Work.lean"), "number")) == []


async def test_a_blank_line_of_a_proof_takes_a_tactic_when_asked(editor: Editor) -> None:
    text = "import Lib.Numbers\n\ntheorem t (p q : Prop) (h : p ∧ q) : q ∧ p := by\n  skip\n  \n"
    uri = editor.open("Blank.lean", text)
    place = types.Position(4, 2)
    invoked = types.CodeActionTriggerKind.Invoked
    actions = await fixes(editor, uri, place, trigger_kind=invoked)
    assert actions[0].edit
    assert actions[0].edit.changes
    first = edited(text, list(actions[0].edit.changes[uri]))
    assert actions[0].data["status"] == "closes"  # type: ignore[index]
    assert first.endswith(f"  skip\n  {actions[0].data['tactic']}\n")  # type: ignore[index]
    assert await fixes(editor, uri, place, trigger_kind=types.CodeActionTriggerKind.Automatic) == []


async def test_the_request_and_the_command_give_the_documented_object(editor: Editor) -> None:
    editor.open("Work.lean")
    place = place_of(editor.text("Work.lean"), "sorry", 1)
    answer = await editor.suggest("Work.lean", place.line, place.character, k=3, tactics=True)
    assert answer["goal"] == "a b : ℕ\n⊢ a + b = b + a"
    assert len(answer["premises"]) == 3
    best = answer["premises"][0]
    assert (best["name"], best["module"], best["kind"]) == ("Lib.plus_swap", "Lib.Numbers", "theorem")
    assert (best["in_scope"], best["import"]) == (True, None)
    assert answer["tactics"][0]["status"] == "closes"
    assert answer["tactics"][0]["remaining_goals"] == []
    assert answer["index"]["stale_files"] == 0
    assert set(answer["timings_ms"]) == {"goal", "premises", "tactics", "total"}
    params = {"textDocument": {"uri": editor.uri("Work.lean")}, "position": vars_of(place)}
    command = types.ExecuteCommandParams("premise-suggest.suggest", [{**params, "k": 3, "tactics": True}])
    again = await editor.client.workspace_execute_command_async(command)
    assert isinstance(again, dict)
    assert {**again, "timings_ms": {}} == {**answer, "timings_ms": {}}


def vars_of(place: types.Position) -> dict[str, int]:
    return {"line": place.line, "character": place.character}


@pytest.mark.parametrize(
    ("params", "said"),
    [
        (None, "the parameters must be an object"),
        ({"textDocument": {"uri": 3}, "position": {"line": 0, "character": 0}}, "uri must be a string"),
        (
            {"textDocument": {"uri": "file:///A"}, "position": {"line": -1, "character": 0}},
            "whole numbers",
        ),
        ({"textDocument": {"uri": "file:///A"}, "goals": ""}, "'goals' is not a parameter"),
        (
            {"textDocument": {"uri": "file:///A"}, "position": {"line": 0, "character": 0}, "k": 0},
            "k must be a whole number above 0",
        ),
    ],
)
async def test_malformed_parameters_are_refused(editor: Editor, params: Any, said: str) -> None:
    with pytest.raises(JsonRpcException) as refused:
        await editor.request("premiseSuggest/suggest", params)
    assert said in refused.value.message
    assert refused.value.code == -32602


@pytest.mark.parametrize(
    ("line", "character", "kind", "said"),
    [
        (18, 5, "NoGoalHere", "no goal"),
        (900, 0, "BadPosition", "Line 901 is past the end of the document"),
    ],
)
async def test_places_without_a_goal_are_explained(
    editor: Editor, line: int, character: int, kind: str, said: str
) -> None:
    editor.open("Work.lean")
    with pytest.raises(JsonRpcException) as refused:
        await editor.suggest("Work.lean", line, character)
    assert said in refused.value.message
    assert isinstance(refused.value.data, dict)
    assert refused.value.data["kind"] == kind
    assert refused.value.data["hint"]
    assert refused.value.data["hint"] not in refused.value.message
    assert "raceback" not in str(refused.value.data)


async def test_an_error_is_one_sentence_and_its_hint_is_apart(editor: Editor) -> None:
    editor.open("Work.lean")
    with pytest.raises(JsonRpcException) as refused:
        await editor.suggest("Work.lean", 0, 0, goal="garbage no turnstile")
    message, data = refused.value.message, refused.value.data
    assert message.endswith(".")
    assert "\n" not in message
    assert isinstance(data, dict)
    assert data["kind"] == "BadState"
    assert data["hint"] and data["hint"] not in message
