"""Where the goal is while somebody types: a real server, a real Lean, positions all over proofs."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from pygls.exceptions import JsonRpcException

from lean_extract.records import Position
from lsp_server.documents.positions import offset_of, split_lines
from tests.lsp_server.conftest import (
    Cli,
    Editor,
    place_of,
    succeed,
)
from tests.lsp_server.test_editor_requests import plain

pytestmark = [pytest.mark.lean, pytest.mark.asyncio(loop_scope="module")]

AND = "import Lib.Basic\n\ntheorem t (p q : Prop) (hp : p) (hq : q) : q ∧ p := by\n"
NEXT = "\ntheorem u : True := trivial\n"


async def ask(editor: Editor, marked: str, *, name: str = "Typed.lean", **options: Any) -> Any:
    """The answer at the mark `│` of a text."""
    text, place = marked.replace("│", ""), place_of(marked, "│")
    editor.open(name, text)
    return await editor.suggest(name, place.line, place.character, **options)


def target(answer: Any) -> str:
    return str(answer["goal"].rpartition("⊢ ")[2])


def part(text: str, item: Any) -> str:
    """The text in the range of an object that counts lines and columns from 1."""
    lines = split_lines(text)
    start = offset_of(lines, Position(item["line"] - 1, item["column"] - 1))
    return text[start : offset_of(lines, Position(item["end_line"] - 1, item["end_column"] - 1))]


def replaced(marked: str, answer: Any) -> str | None:
    return None if answer["replaces"] is None else part(marked.replace("│", ""), answer["replaces"])


def after(text: str, item: Any) -> str:
    """A text after an edit of an answer."""
    lines = split_lines(text)
    start = offset_of(lines, Position(item["line"] - 1, item["column"] - 1))
    return f"{text[:start]}{item['text']}{text[start + len(part(text, item)) :]}"


@pytest.mark.parametrize(
    ("typed", "tactic", "goal"),
    [
        ("  exact │", "exact ", "q ∧ p"),
        ("  ex│act hq\n", "exact hq", "q ∧ p"),
        ("  exact no_such_lemma│\n", "exact no_such_lemma", "q ∧ p"),
        ("  exact no_such_lemma -- as│ above\n", "exact no_such_lemma", "q ∧ p"),
        ("  exac hq│\n", "exac hq", "q ∧ p"),
        ("  rw [Lib.and_sw│", "rw [Lib.and_sw", "q ∧ p"),
        ("  rw [Lib.and_sw│\n  exact ⟨hq, hp⟩\n", "rw [Lib.and_sw", "q ∧ p"),
        ("  rw [Lib.and_sw\n  exact ⟨hq, h│p⟩\n", "rw [Lib.and_sw", "q ∧ p"),
        ("  constructor\n  · exact hp│\n  · exact hp\n", "exact hp", "q"),
        ("  constructor\n  · exact (hq\n  · exact hq│\n", "exact hq", "p"),
        ("  constructor\n  · exact no│ne\n  · exact hp\n", "exact none", "q"),
        ("  constructor\n  case left => exact│\n  case right => exact hp\n", "exact", "q"),
        ("  have h : q ∧ p := ⟨hp,\n    hq⟩│\n  exact h\n", "have h : q ∧ p := ⟨hp,\n    hq⟩", "q ∧ p"),
        ("  have h : q := by\n    exact hp│\n  exact ⟨h, hp⟩\n", "exact hp", "q"),
        ("  apply Lib.none\n  · exact hq│\n  · exact hp\n", "apply Lib.none", "q ∧ p"),
        ("  exact hq\n  │\n", "exact hq", "q ∧ p"),
        ("  exact no_such_lemma\n│\n", "exact no_such_lemma", "q ∧ p"),
        ("  exact \n│", "exact ", "q ∧ p"),
    ],
)
async def test_the_goal_before_a_tactic_that_fails_or_is_unfinished(
    editor: Editor, typed: str, tactic: str, goal: str
) -> None:
    for below in ("", NEXT):
        answer = await ask(editor, f"{AND}{typed}{below}")
        assert (answer["place"], target(answer)) == ("before", goal)
        assert replaced(f"{AND}{typed}{below}", answer) == tactic
        assert answer["premises"] or goal != "q ∧ p"


@pytest.mark.parametrize(
    ("typed", "goal"),
    [
        ("  constructor│\n  · exact hq\n  · exact hp\n", "q"),
        ("  │constructor\n  · exact hq\n  · exact hp\n", "q ∧ p"),
        ("  constructor\n  · exact hq\n  · exact h│p\n", "p"),
        ("  constructor\n  · │exact hq\n  · exact hp\n", "q"),
        ("  exact ⟨hq,\n   h│p⟩\n", "q ∧ p"),
        ("  constructor\n  · exact hq\n  · │\n", "p"),
        ("  constructor\n  · │\n  · exact hp\n", "q"),
        ("  constructor\n  case left =>│\n  case right => exact hp\n", "q"),
        ("│\n", "q ∧ p"),
        ("  constructor\n  │\n  · exact hq\n  · exact hp\n", "q"),
        ("  constructor\n  · exact (hq\n  · exact h│p\n", "p"),
        ("  -- exact │sorry\n  sorry\n", "q ∧ p"),
        ("  constructor\n  /- exact\n     so│rry -/\n  · sorry\n  · sorry\n", "q"),
    ],
)
async def test_the_goal_where_the_cursor_is(editor: Editor, typed: str, goal: str) -> None:
    answer = await ask(editor, f"{AND}{typed}{NEXT}")
    assert (answer["place"], answer["replaces"], target(answer)) == ("here", None, goal)


@pytest.mark.parametrize(
    ("marked", "goal"),
    [
        ("theorem t (p : Prop) (h : p) : p := by│", "p"),
        (f"theorem t (p : Prop) (h : p) : p := by │{NEXT}", "p"),
        (f"theorem t (p : Prop) (h : p) : p :=│ by\n  exact h\n{NEXT}", "p"),
        (f"theorem t (p : Prop) (h : p) : p :=│\n{NEXT}", "p"),
        (
            "theorem t (n : Nat) : n = n := by\n  induction n with\n  | zero => │\n  | succ n ih => rfl\n",
            "0 = 0",
        ),
        (
            "theorem t (n : Nat) : n = n := by\n  induction n with\n  | zero =>\n│\n  | succ n ih => rfl\n",
            "0 = 0",
        ),
        (
            "theorem t (n : Nat) : n = n := by\n  induction n with\n  | zero => \n  | succ n ih => rf│l\n",
            "n + 1 = n + 1",
        ),
    ],
)
async def test_a_place_without_a_body(editor: Editor, marked: str, goal: str) -> None:
    answer = await ask(editor, marked, tactics=True)
    assert (answer["place"], target(answer)) == ("here", goal)
    assert any(one["status"] == "closes" for one in answer["tactics"])


async def test_text_that_cannot_be_read_above_is_named_once(editor: Editor) -> None:
    typed = "  constructor\n  · exact (hq\n  · sorry│\n"
    answer = await ask(editor, f"{AND}{typed}{NEXT}", tactics=True)
    assert target(answer) == "p"
    [warning] = answer["warnings"]
    assert warning.startswith("Lean cannot read line 5: ")
    assert "assumption" in [one["tactic"] for one in answer["tactics"] if one["status"] == "closes"]


@pytest.mark.parametrize(
    "typed",
    [
        "  exact ⟨hq, hp⟩│\n",
        "  exact ⟨hq, hp⟩  │-- so\n",
        "  exact ⟨hq, hp⟩\n  │\n",
        "  exact ⟨hq, hp⟩\n  -- so│\n",
        "  constructor\n  · exact hq│\n  · exact hp\n",
        "  constructor\n  · exact hp\n  · exact hp│\n",
        "  exact ⟨hq, hp⟩\n  exact hp│\n",
    ],
)
async def test_a_closed_goal_is_an_answer(editor: Editor, typed: str) -> None:
    below = "\ntheorem u (p : Prop) (h : p) : p := by\n  sorry\n"
    marked = f"{AND}{typed}{below}"
    answer = await ask(editor, marked, tactics=True)
    assert (answer["place"], answer["goal"], answer["goal_count"]) == ("closed", "", 0)
    assert (answer["premises"], answer["tactics"], answer["tactics_status"]) == ([], [], "no_goal")
    line = marked[: marked.index("sorry")].count("\n") + 1
    assert answer["notes"] == [f"The next `sorry` is in line {line} (`u`)."]
    assert (await ask(editor, marked))["tactics_status"] == "not_asked"


@pytest.mark.parametrize(
    ("marked", "kind", "words"),
    [
        ("theorem t (h : p)) : p := by\n  exact h│\n", "TextUnread", "line 1 has an error: unexpected token ')'"),
        ("theorem t (p : Prop) (h : p : p := by\n  sorry\n  │\n", "TextUnread", "has an error"),
        ("theorem t (p : Prop) (h : p) : │p := by\n  exact h\n", "", ""),
        ("theorem│ t (p : Prop) (h : p) : p := by\n  exact h\n", "NoGoalHere", "has no goal in line 1"),
        ("import Lib.Ba│sic\n", "NoGoalHere", "has no goal in line 1"),
        ("-- a com│ment\n", "NoGoalHere", "inside a comment"),
        ("theorem t : True := trivial\n\n-- a com│ment\n", "NoGoalHere", "inside a comment"),
    ],
)  # fmt: skip
async def test_what_cannot_be_read_and_what_is_no_proof(
    editor: Editor, marked: str, kind: str, words: str
) -> None:
    if not kind:
        assert target(await ask(editor, marked)) == "Prop"
        return
    with pytest.raises(JsonRpcException) as caught:
        await ask(editor, marked)
    assert isinstance(caught.value.data, dict)
    assert caught.value.data["kind"] == kind
    assert words in caught.value.message
    assert caught.value.data["hint"]


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("  exact │", "p"),
        ("  exact no_such_lemma│\n", "p"),
        ("  skip; exact no_such_lemma│ h; done\n", "p"),
        ("  have k : 𝕜𝕜 := h; exact no_such_lemma│\n", "𝕜𝕜"),
    ],
)
async def test_the_edit_of_a_tactic_replaces_what_is_typed(editor: Editor, typed: str, name: str) -> None:
    marked = f"theorem t ({name} : Prop) (h : {name}) : {name} := by\n{typed}\n{NEXT}"
    text = marked.replace("│", "")
    answer = await ask(editor, marked, tactics=True)
    assert answer["warnings"] == []
    [item] = [one for one in answer["tactics"] if one["tactic"] == "assumption"]
    assert item["status"] == "closes"
    assert part(text, item["edit"]) == part(text, answer["replaces"])
    assert after(text, item["edit"]) == text.replace(part(text, answer["replaces"]), "assumption", 1)


@pytest.mark.parametrize("head", ["by│", "│by -- later", "by  │\n\n  -- later"])
async def test_a_tactic_after_by_replaces_the_sorry_below(editor: Editor, head: str) -> None:
    marked = f"theorem t (p : Prop) (h : p) : p := {head}\n  sorry\n{NEXT}"
    text = marked.replace("│", "")
    answer = await ask(editor, marked, tactics=True)
    [item] = [one for one in answer["tactics"] if one["tactic"] == "assumption"]
    assert after(text, item["edit"]) == text.replace("sorry", "assumption")


async def test_a_term_that_fails_is_replaced_by_a_proof(editor: Editor) -> None:
    text = f"theorem t (p : Prop) (h : p) : p :=\n  none h\n{NEXT}"
    answer = await ask(editor, text.replace("none", "no│ne"), tactics=True)
    assert (answer["place"], part(text, answer["replaces"])) == ("before", "none h")
    [item] = [one for one in answer["tactics"] if one["tactic"] == "by assumption"]
    assert after(text, item["edit"]) == text.replace("none h", "by assumption")


async def test_the_line_being_typed_makes_nothing_unjudged(editor: Editor) -> None:
    """Nor does it matter how much of it is there: the tactics are the same at each letter."""
    text = "import Lib.Numbers\n\ntheorem t (a b : Nat) : a + b = b + a := by\n  rw [Lib.plus_sw│\n  done\n"
    first = await ask(editor, text, tactics=True)
    assert {one["status"] for one in first["tactics"]} <= {"closes", "progress"}
    assert first["tactics"][0]["status"] == "closes"
    assert first["warnings"] == []
    second = await ask(editor, text.replace("sw│", "swa│"), tactics=True)
    assert [one["tactic"] for one in second["tactics"]] == [one["tactic"] for one in first["tactics"]]
    assert second["replaces"]["end_column"] == first["replaces"]["end_column"] + 1


@pytest.mark.parametrize(
    ("typed", "made"),
    [
        ("  constructor\n  │\n", "  constructor\n  case right => exact hp\n"),
        ("  constructor\n  sor│ry\n", "  constructor\n  case right => exact hp\n"),
        ("  constructor│\n", "  constructor\n  case right => exact hp\n"),
        ("  constructor\n  exact │\n", "  constructor\n  case right => exact hp\n"),
        (
            "  constructor\n  │exact hq\n  exact hp\n",
            "  constructor\n  case right => exact hp\n  exact hq\n  exact hp\n",
        ),
    ],
)
async def test_a_goal_that_is_not_the_first_has_tactics_that_go_to_it_by_its_tag(
    editor: Editor, typed: str, made: str
) -> None:
    text = AND + typed.replace("│", "")
    answer = await ask(editor, AND + typed, tactics=True, goalNumber=2)
    best = answer["tactics"][0]
    assert (target(answer), answer["goal_count"], best["status"]) == ("p", 2, "closes")
    assert (best["tactic"], after(text, best["edit"])) == ("case right => exact hp", AND + made)
    params = {
        "textDocument": {"uri": editor.uri("Typed.lean")},
        "position": place_of(AND + typed, "│"),
        "insert": best["tactic"],
        "as": "tactic",
        "accepted": True,
    }
    edits = plain(await editor.request("premiseSuggest/edits", params))
    assert edits["tactic"] == best["tactic"]
    assert edits["edits"][0]["newText"] == best["edit"]["text"]


async def test_a_premise_is_inserted_for_the_goal_for_which_it_is_listed(editor: Editor) -> None:
    marked = "import Lib.Numbers\n\ntheorem t (a b : Nat) : True ∧ a + b = b + a := by\n  constructor\n  │\n"
    answer = await ask(editor, marked, goalNumber=2)
    assert "Lib.plus_swap" in [one["name"] for one in answer["premises"]]
    params = {
        "textDocument": {"uri": editor.uri("Typed.lean")},
        "position": place_of(marked, "│"),
        "insert": "Lib.plus_swap",
        "as": "premise",
        "goalNumber": 2,
    }
    made = plain(await editor.request("premiseSuggest/edits", params))
    assert (made["status"], made["edits"][0]["newText"]) == ("closes", made["tactic"])
    assert made["tactic"].startswith("case right => ") and "plus_swap" in made["tactic"]


async def test_goals_with_the_same_tag_are_not_told_apart(editor: Editor) -> None:
    typed = "  by_cases a : p <;> by_cases b : q\n  │\n"
    answer = await ask(editor, AND + typed, tactics=True, goalNumber=2)
    assert (answer["goal_count"], answer["tactics"], answer["tactics_status"]) == (4, [], "goal_not_first")


async def test_what_lean_is_still_at_below_a_failing_tactic_is_not_awaited(editor: Editor) -> None:
    typed = "  constructor\n  · exact no_such_lemma│\n  · sleep 600000\n    exact hp\n"
    async with asyncio.timeout(60):
        answer = await ask(editor, f"{AND}{typed}", name="Slow.lean")
    assert (answer["place"], target(answer), replaced(f"{AND}{typed}", answer)) == (
        "before",
        "q",
        "exact no_such_lemma",
    )


async def test_an_error_above_is_one_warning(editor: Editor) -> None:
    text = (
        "theorem t (p q : Prop) (hp : p) (hq : q) : q ∧ p := by\n  have h : q := no_such_lemma\n  "
        "constructor\n  · exact hq\n  · sorry│\n"
    )
    answer = await ask(editor, text, tactics=True)
    assert {one["status"] for one in answer["tactics"]} == {"unjudged"}
    assert answer["warnings"] == ["Tactics cannot be judged: line 2 has an error."]


async def test_a_proof_of_the_example_library_typed_letter_by_letter(example: Editor) -> None:
    path = "Unfinished/FirstSteps.lean"
    text = example.text(path)
    place = place_of(text, "sorry")
    head = "\n".join(text.split("\n")[: place.line + 1])[: -len("sorry")]
    goals = set()
    for end in range(1, len("exact sup_eq_right.mpr") + 1):
        typed = head + "exact sup_eq_right.mpr"[:end]
        uri = example.uri(path)
        example.open(path, typed)
        answer = await example.suggest(path, place.line, place.character + end)
        goals.add(answer["goal"])
        assert (answer["place"], answer["premises"] != []) == ("before", True), uri
    assert len(goals) == 1


async def test_a_closed_goal_in_the_terminal(project: Path, tmp_path: Path, cli: Cli) -> None:
    path = project / "Work.lean"
    text = path.read_text(encoding="utf-8")
    closed = tmp_path / "Closed.lean"
    closed.write_text(f"theorem t : True := by\n  trivial\n\n{text}", encoding="utf-8")
    done = succeed(cli, "suggest", "--file", closed, "--line", "2", "--column", "10", "--tactics")
    assert done.stdout.splitlines()[0] == "The goal is closed here."
    assert "The next `sorry` is in line" in done.stdout + done.stderr
    typed = tmp_path / "Typed.lean"
    typed.write_text("theorem t : True := by\n  exact \n", encoding="utf-8")
    done = succeed(cli, "suggest", "--file", typed, "--line", "2", "--column", "9")
    assert done.stdout.startswith("Goal before line 2")
