"""What is kept of Lean's verdicts, and in which order it is shown."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.errors import LeanDied
from lean_extract.goals import parse_state
from lean_extract.records import Position, ProofState, TacticOutcome
from prover.candidates import Candidate
from prover.verify import GoalPosition, order, verify

BEFORE = parse_state("n : ℕ\n⊢ n = n + 0")
PLACE = GoalPosition(Path("A.lean"), None, Position(0, 0))


class Trier:
    """Gives the outcomes it was given, and records the requests and whether it was closed."""

    def __init__(self, outcomes: Sequence[TacticOutcome], error: Exception | None = None) -> None:
        self.outcomes = outcomes
        self.error = error
        self.asked: list[str] = []
        self.closed = False

    async def try_tactics(
        self,
        path: Path,
        text: str | None,
        position: Position,
        tactics: AsyncIterable[str],
        *,
        timeout: float,
        within: float | None = None,
    ) -> AsyncIterator[TacticOutcome]:
        self.asked += [tactic async for tactic in tactics]
        try:
            for outcome in self.outcomes:
                await asyncio.sleep(0)
                yield outcome
            if self.error:
                raise self.error
        finally:
            self.closed = True


def outcome(tactic: str, status: str, state: str | None = None) -> TacticOutcome:
    goals = ProofState(()) if status == "closes" else parse_state(state) if state else None
    return TacticOutcome(tactic, status, goals)  # type: ignore[arg-type]


async def verdicts(trier: Trier, *tactics: str, keep_failures: bool = False) -> list[tuple[str, str]]:
    candidates = [Candidate(tactic, 0.5, "test") for tactic in tactics]
    stream = verify(trier, PLACE, BEFORE, candidates, timeout=1, keep_failures=keep_failures)
    return [(one.tactic, one.status) async for one in stream]


async def test_failures_are_left_out_by_default() -> None:
    outcomes = [outcome("a", "fails"), outcome("b", "closes"), outcome("c", "timeout")]
    assert await verdicts(Trier(outcomes), "a", "b", "c") == [("b", "closes")]
    assert await verdicts(Trier(outcomes), "a", "b", "c", keep_failures=True) == [
        ("a", "fails"),
        ("b", "closes"),
        ("c", "timeout"),
    ]


async def test_what_changes_nothing_counts_as_failed() -> None:
    same = outcome("skip", "progress", "case h\nn : ℕ\n⊢ n =\n    n + 0")
    other = outcome("simp", "progress", "n : ℕ\n⊢ True")
    assert await verdicts(Trier([same, other]), "skip", "simp") == [("simp", "progress")]


async def test_sorry_is_never_tried() -> None:
    trier = Trier([])
    await verdicts(trier, "sorry", "exact foo sorry", "admit", "native_decide", "exact h.sorry_free")
    assert trier.asked == ["exact h.sorry_free"]


async def test_who_stops_listening_lets_lean_go() -> None:
    trier = Trier([outcome("a", "closes"), outcome("b", "closes")])
    stream = verify(trier, PLACE, BEFORE, [Candidate("a", 1, "x"), Candidate("b", 1, "x")], timeout=1)
    assert (await anext(stream)).tactic == "a"
    await stream.aclose()
    assert trier.closed


async def test_lean_s_death_is_raised() -> None:
    with pytest.raises(LeanDied):
        await verdicts(Trier([outcome("a", "closes")], LeanDied("Lean ended.")), "a", "b")


def test_order_is_closes_then_fewest_goals_then_score() -> None:
    two = outcome("two", "progress", "⊢ a\n\n⊢ b")
    one = outcome("one", "progress", "⊢ a")
    better = outcome("better", "progress", "⊢ c")
    closes = outcome("closes", "closes")
    slow, bad = outcome("slow", "timeout"), outcome("bad", "fails")
    shown = order([bad, two, slow, one, better, closes], {"better": 0.9, "one": 0.2, "two": 1})
    assert [item.tactic for item in shown] == ["closes", "better", "one", "two", "slow", "bad"]


async def test_candidates_that_come_later_are_tried_later() -> None:
    async def coming() -> AsyncIterator[Candidate]:
        yield Candidate("a", 0.5, "test")
        yield Candidate("exact sorry", 0.5, "test")
        await asyncio.sleep(0)
        yield Candidate("b", 0.5, "test")

    trier = Trier([outcome("a", "closes")])
    found = [one.tactic async for one in verify(trier, PLACE, BEFORE, coming(), timeout=1)]
    assert (found, trier.asked) == (["a"], ["a", "b"])


async def test_a_step_that_adds_nothing_counts_as_failed() -> None:
    idle = outcome("have hn : n = n := by simp", "progress", "n : ℕ\nhn : n = n\n⊢ n = n + 0")
    step = outcome("have hn : n = 1 := h", "progress", "n : ℕ\nhn : n = 1\n⊢ n = n + 0")
    assert await verdicts(Trier([idle, step]), "a", "b") == [("have hn : n = 1 := h", "progress")]


async def test_numbers_are_taken_apart_only_where_the_goal_computes_with_them() -> None:
    before = parse_state("k n : ℕ\nhk : 0 < k\nh : p ∨ q\n⊢ k ∣ n.factorial")
    left = "⊢ a\n\n⊢ b"
    tried = [
        outcome(tactic, "progress", left) for tactic in ("induction k", "cases k", "induction n", "cases h")
    ]
    stream = verify(Trier(tried), PLACE, before, [Candidate("x", 1, "x")], timeout=1)
    assert [one.tactic async for one in stream] == ["induction n", "cases h"]
    closing = verify(
        Trier([outcome("cases k", "closes")]), PLACE, before, [Candidate("x", 1, "x")], timeout=1
    )
    assert [one.tactic async for one in closing] == ["cases k"]


async def test_what_cannot_be_judged_is_kept_and_comes_last() -> None:
    unjudged = TacticOutcome("rfl", "unjudged", ProofState(()), "cannot be judged: line 3 has an error")
    steps = [outcome("left", "progress", "⊢ a"), outcome("simp", "closes")]
    assert [status for _, status in await verdicts(Trier([unjudged, *steps]), "rfl", "left", "simp")] == [
        "unjudged",
        "progress",
        "closes",
    ]
    assert [one.status for one in order([unjudged, *steps], {"rfl": 1.0})] == [
        "closes",
        "progress",
        "unjudged",
    ]


def test_each_result_is_shown_once_in_its_shortest_form() -> None:
    same = ["exact X hk hkn", "exact X (by assumption) (by assumption)", "exact X _ _", "apply X", "simp [X]"]
    others = ["exact X (Y h)", "exact Z hk", "rfl"]
    steps = [outcome("apply X", "progress", "⊢ a"), outcome("refine X ?_", "progress", "case h\n⊢ a")]
    shown = order([*(outcome(tactic, "closes") for tactic in [*same, *others]), *steps])
    assert [one.tactic for one in shown] == [
        *("rfl", "apply X", "simp [X]", "exact Z hk", "exact X (Y h)"),
        "apply X",
    ]


def test_the_shorter_form_has_the_best_score_of_those_it_replaces() -> None:
    outcomes = [
        outcome("exact X hk hkn", "closes"),
        outcome("exact X h", "closes"),
        outcome("exact Y", "closes"),
    ]
    shown = order(outcomes, {"exact X hk hkn": 0.9, "exact X h": 0.1, "exact Y": 0.5})
    assert [one.tactic for one in shown] == ["exact X h", "exact Y"]


def test_what_a_linter_shortened_is_shown_so_and_once() -> None:
    shortened = TacticOutcome("simpa using X", "closes", ProofState(()), instead="simp")
    remarked = TacticOutcome("simp [Y]", "closes", ProofState(()), remark="This simp argument is unused")
    shown = order([remarked, shortened, outcome("simp", "closes")], {"simpa using X": 0.2, "simp [Y]": 0.9})
    assert [one.shown for one in shown] == ["simp", "simp [Y]"]


def test_a_case_distinction_is_never_the_first_step() -> None:
    outcomes = [outcome("induction n", "progress", "⊢ a"), outcome("rw [h]", "progress", "⊢ a\n\n⊢ b\n\n⊢ c")]
    assert [one.tactic for one in order(outcomes, {"induction n": 1.0})] == ["rw [h]", "induction n"]


@given(
    st.permutations([(f"{word} X{rest}", word) for word in ("exact", "apply") for rest in ("", " _", " h")])
)
def test_the_order_in_which_verdicts_come_makes_no_difference(given_order: list[tuple[str, str]]) -> None:
    outcomes = [outcome(tactic, "closes") for tactic, _ in given_order]
    assert [one.tactic for one in order(outcomes)] == ["apply X"]


def test_simpa_and_simp_with_the_same_hypothesis_are_one() -> None:
    found = [
        outcome("simpa using h", "closes"),
        outcome("simp [h]", "closes"),
        outcome("simpa using k", "closes"),
    ]
    assert [one.tactic for one in order(found)] == ["simp [h]", "simpa using k"]


async def test_what_leaves_only_unknowns_counts_as_failed() -> None:
    loose = outcome("apply Or.imp", "progress", "case f\n⊢ ?a → n = n + 0\n\ncase a\n⊢ Prop")
    kept = outcome("apply Eq.trans", "progress", "⊢ n = ?b\n\n⊢ ?b = n + 0\n\ncase b\n⊢ ℕ")
    assert await verdicts(Trier([loose, kept]), "a") == [("apply Eq.trans", "progress")]
    assert ("apply Or.imp", "fails") in await verdicts(Trier([loose, kept]), "a", keep_failures=True)


def test_what_leaves_an_unknown_stands_below_what_does_not() -> None:
    loose = outcome("apply Eq.trans", "progress", "⊢ n = ?b\n\n⊢ ?b = n + 0")
    two = outcome("constructor", "progress", "⊢ a\n\n⊢ b\n\n⊢ c")
    assert [one.tactic for one in order([loose, two], {"apply Eq.trans": 0.9})] == [
        "constructor",
        "apply Eq.trans",
    ]


def test_of_steps_that_differ_in_names_one_is_listed_which_names_most() -> None:
    found = [
        outcome("intro", "progress", "a✝ : p\n⊢ q"),
        outcome("intro x", "progress", "x : p\n⊢ q"),
        outcome("intro hx", "progress", "hx : p\n⊢ q"),
        outcome("intro x y", "progress", "x : p\ny : q\n⊢ r"),
    ]
    scores = {"intro": 0.9, "intro x": 0.2, "intro hx": 0.5}
    assert [one.tactic for one in order(found, scores)] == ["intro hx", "intro x y"]
