"""An answer as text for a terminal, by where its goal is."""

from __future__ import annotations

from lsp_server.engine.schema import AnsweredSorry, Suggestion
from lsp_server.engine.schema_items import (
    GoalPlace,
    IndexItem,
    RangeItem,
    SorryItem,
    TacticItem,
    TacticsStatus,
    TacticVerdict,
)
from lsp_server.rendering.style import Style
from lsp_server.rendering.terminal import common_remarks, sorry_text, suggestion_text

INDEX = IndexItem([], None, 0, None, "fresh")
PLAIN = Style(80)


def suggestion(
    goal: str = "⊢ True", tactics: tuple[TacticItem, ...] = (), *, count: int = 1, notes: tuple[str, ...] = ()
) -> Suggestion:
    return Suggestion(
        goal, [], [*tactics], INDEX, {}, [], [*notes], 1, count, tactics_status=TacticsStatus.TRIED
    )


def at(place: GoalPlace, replaces: RangeItem | None, notes: list[str], goal: str) -> Suggestion:
    return Suggestion(goal, [], [], INDEX, {}, notes=notes, place=place, replaces=replaces)


def test_a_goal_before_a_tactic_says_what_is_replaced() -> None:
    shown = suggestion_text(at(GoalPlace.BEFORE, RangeItem(9, 3, 9, 20), [], "⊢ True"), PLAIN).splitlines()
    assert shown[0] == "Goal before line 9  (its tactic fails or is unfinished; a suggestion replaces it)"
    assert shown[1] == "  ⊢ True"


def test_a_closed_goal_is_one_sentence_and_the_next_sorry() -> None:
    shown = suggestion_text(at(GoalPlace.CLOSED, None, ["The next `sorry` is in line 14."], ""), PLAIN)
    assert shown == "The goal is closed here.\nnote: The next `sorry` is in line 14.\n"


def test_a_goal_at_the_position_has_its_number_only_if_there_are_several() -> None:
    assert suggestion_text(suggestion(), PLAIN).splitlines()[0] == "Goal"
    assert suggestion_text(suggestion(count=2), PLAIN).splitlines()[0] == "Goal 1 of 2"


def test_of_a_sorry_the_best_tactic_is_shown_and_no_failure() -> None:
    closing = TacticItem("exact trivial", TacticVerdict.CLOSES, [])
    failing = TacticItem("rfl", TacticVerdict.FAILS, [])
    item = SorryItem(14, 3, "name")
    shown = sorry_text("A.lean", AnsweredSorry(item, suggestion(tactics=(closing, failing), count=2)), PLAIN)
    assert shown.splitlines()[:2] == ["A.lean:14:3  name  goal 1 of 2", "  ⊢ True"]
    assert "exact trivial" in shown
    assert "rfl" not in shown
    none = sorry_text("A.lean", AnsweredSorry(item, suggestion(tactics=(failing,))), PLAIN)
    assert none.splitlines()[-2] == "  no tactic found; premises: none"
    broken = sorry_text("A.lean", AnsweredSorry(SorryItem(1, 1, ""), None, "Lean has no goal. " * 9), PLAIN)
    assert broken.splitlines()[0] == "A.lean:1:1"
    assert max(map(len, broken.splitlines())) <= 80


def test_what_several_answers_remark_is_printed_once() -> None:
    one = AnsweredSorry(SorryItem(1, 1, ""), suggestion(notes=("a", "b")))
    two = AnsweredSorry(SorryItem(2, 1, ""), suggestion(notes=("b",)))
    assert (
        common_remarks([one, two, AnsweredSorry(SorryItem(3, 1, ""), None, "x")], PLAIN)
        == "note: a\nnote: b\n"
    )
    assert common_remarks([], PLAIN) == ""
