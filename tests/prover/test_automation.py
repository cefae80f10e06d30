"""When Lean's own automation has its turn, and what is tried again without a premise that `grind` refuses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.records import ProofState, TacticOutcome
from prover.automation import (
    NAMED,
    QUICK,
    SLOW,
    Automation,
    cannot_run,
    quick,
    simplifying,
    with_fewer,
    with_names,
)
from prover.candidates import Candidate
from prover.tactic_words import heads, unknown_word
from prover.turns import CandidateScheduler
from tests.prover.odds import odds_of

NAMES = ["Nat.add_comm", "foo", "List.«exists'»", "Set.ext"]


@dataclass
class Here:
    """A file that has all tactics but these, and records the verdicts."""

    lacks: frozenset[str] = frozenset()
    heard: list[str] = field(default_factory=list)

    def can_run(self, tactic: str) -> bool:
        return tactic not in self.lacks

    def hear(self, outcome: TacticOutcome) -> None:
        self.heard.append(outcome.tactic)


async def now(names: Sequence[str], here: Here) -> Automation:
    named = with_names(names)
    return Automation(quick([named] if named else []), SLOW, here, 10.0)


async def given_now(candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    return candidates


def closes(tactic: str, *, rests_on_sorry: bool = False) -> TacticOutcome:
    return TacticOutcome(tactic, "closes", ProofState(()), rests_on_sorry=rests_on_sorry)


def fails(tactic: str, message: str = "no", at: int | None = None) -> TacticOutcome:
    return TacticOutcome(tactic, "fails", None, message, error_at=at)


async def tried(
    learned: Sequence[str],
    here: Here | None = None,
    *closing: str,
    names: Sequence[str] = NAMES,
    limit: int = 24,
) -> list[str]:
    """All that is tried, one after the other, where these tactics close the goal."""
    ready = [Candidate(tactic, 0.9 - 0.01 * place, "premise") for place, tactic in enumerate(learned)]
    turns = CandidateScheduler({"templates": given_now(ready)}, limit, odds_of(), now(names, here or Here()))
    found = []
    await asyncio.sleep(0)
    async for candidate in turns:
        found.append(candidate.tactic)
        turns.hear(closes(candidate.tactic) if candidate.tactic in closing else fails(candidate.tactic))
    return found


async def test_quick_ones_come_first_and_slow_ones_when_all_else_has_failed() -> None:
    found = await tried(["rfl", "exact a"])
    assert found == [*QUICK[:2], with_names(NAMES), *QUICK[2:], "rfl", "exact a", *SLOW]


@pytest.mark.parametrize("tactic", [QUICK[0], "rfl", "aesop"])
async def test_slow_ones_are_left_out_once_the_goal_is_closed(tactic: str) -> None:
    assert not set(SLOW) & set(await tried(["rfl"], None, tactic))


async def test_with_premises_it_is_not_tried_where_grind_closes_alone() -> None:
    assert with_names(NAMES) not in await tried(["rfl"], None, QUICK[0])
    assert with_names(NAMES) in await tried(["rfl"], None, "rfl")


async def test_a_proof_that_rests_on_sorry_does_not_end_the_search() -> None:
    turns = CandidateScheduler({}, 24, odds_of(), now([], Here()))
    first = await anext(turns)
    turns.hear(closes(first.tactic, rests_on_sorry=True))
    assert {one.tactic async for one in heard(turns)} >= set(SLOW)


async def heard(turns: CandidateScheduler) -> AsyncIterator[Candidate]:
    async for candidate in turns:
        yield candidate
        turns.hear(fails(candidate.tactic))


async def test_what_the_file_lacks_is_not_tried() -> None:
    found = await tried(["rfl"], Here(frozenset({"aesop", "try?", with_names(NAMES)})))
    assert found == ["grind?", "simp_all", "rfl", "exact?", "grind? +suggestions", "grind"]


async def test_the_limit_is_for_the_learned_list() -> None:
    found = await tried([f"exact a{number}" for number in range(9)], limit=3)
    assert sum(tactic.startswith("exact a") for tactic in found) == 3
    assert set(SLOW) <= set(found)


async def test_one_quick_one_at_a_time_alongside_the_learned_list() -> None:
    ready = [Candidate(f"exact a{number}", 0.5, "premise") for number in range(4)]
    turns = CandidateScheduler({"templates": given_now(ready)}, 24, odds_of(), now(NAMES, Here()))
    await asyncio.sleep(0)
    first, second, third = [(await anext(turns)).tactic for _ in range(3)]
    assert first == QUICK[0] and second.startswith("exact") and third.startswith("exact")
    turns.hear(fails(first))
    assert (await anext(turns)).tactic == QUICK[1]


async def test_a_tactic_that_is_in_the_learned_list_too_is_tried_once() -> None:
    found = await tried(["simp_all", "rfl", "aesop"])
    assert sorted(found) == sorted(set(found))


async def test_the_end_waits_for_verdicts_that_may_bring_more() -> None:
    named = with_names(["a", "b"])
    turns = CandidateScheduler({}, 24, odds_of(), now(["a", "b"], Here(frozenset({*QUICK, *SLOW}))))
    assert (await anext(turns)).tactic == named
    waiting = asyncio.ensure_future(anext(turns))
    await asyncio.sleep(0)
    assert not waiting.done()
    turns.hear(fails(named, "Unknown constant `a`", named.index("a,")))
    assert (await waiting).tactic == with_names(["b"])
    turns.hear(fails(with_names(["b"]), "`grind` failed", 0))
    with pytest.raises(StopAsyncIteration):
        await anext(turns)


async def test_every_verdict_is_passed_on() -> None:
    here = Here()
    found = await tried(["rfl"], here)
    assert here.heard == found


NAME = st.text(st.sampled_from("abcN.'₁"), min_size=1, max_size=9)


@given(st.lists(NAME, min_size=2, max_size=NAMED, unique=True), st.data())
def test_the_name_at_the_error_is_left_out(names: list[str], data: st.DataObject) -> None:
    tactic = with_names(names)
    refused = data.draw(st.integers(0, len(names) - 1))
    start = len(with_names(names[:refused])) + 1 if refused else tactic.index("[") + 1
    inside = data.draw(st.integers(0, len(names[refused]) - 1))
    left = [name for number, name in enumerate(names) if number != refused]
    assert with_fewer(fails(tactic, at=start + inside)) == with_names(left)


def test_what_is_no_refusal_asks_for_nothing_else() -> None:
    tactic = with_names(["a", "b"])
    assert with_fewer(fails(tactic, "`grind` failed", 0)) == ""
    assert with_fewer(fails(tactic, "no", None)) == ""
    assert with_fewer(fails(tactic, "Unknown constant `b`", None)) == with_names(["a"])
    assert with_fewer(fails("simp [a, b]", at=8)) == ""
    assert with_fewer(fails(with_names(["a"]), at=len(with_names(["a"])) - 1)) == ""
    assert with_fewer(closes(tactic)) == ""


@pytest.mark.parametrize(
    "verdict",
    [
        TacticOutcome("", "timeout"),
        fails("", "Tactic `simp` failed with a nested error:\nmaximum recursion depth has been reached"),
        fails(
            "", "(deterministic) timeout at `whnf`, maximum number of heartbeats (200000) has been reached"
        ),
    ],
)
def test_rules_that_rewrite_without_end_are_tried_with_half_of_them(verdict: TacticOutcome) -> None:
    tactic, shrunk = simplifying(NAMES), [f"simp? [{', '.join(NAMES[:count])}]" for count in (2, 1)]
    for shorter in (*shrunk, ""):
        tactic = with_fewer(replace(verdict, tactic=tactic))
        assert tactic == shorter
    at_h = simplifying(NAMES[:3], "h")
    assert with_fewer(fails(at_h, "Unknown constant `foo`")) == f"simp? [{NAMES[0]}, {NAMES[2]}] at h"


async def test_refusals_are_bounded() -> None:
    names = [f"a{number}" for number in range(40)]
    turns = CandidateScheduler({}, 24, odds_of(), now(names, Here(frozenset({*QUICK, *SLOW}))))
    count = 0
    async for candidate in turns:
        count += 1
        turns.hear(fails(candidate.tactic, "Unknown constant", candidate.tactic.index("[") + 1))
    assert 1 < count <= NAMED


def test_the_time_for_each() -> None:
    automation = Automation([], SLOW, Here(), 10.0)
    assert automation.seconds("try?", 5.0) == 10.0
    assert automation.seconds("grind?", 5.0) < 5.0
    assert automation.seconds("grind?", 1.0) == 1.0
    assert automation.seconds("exact foo", 5.0) == 5.0


@pytest.mark.parametrize(
    ("message", "is_missing"),
    [
        ("unknown tactic", True),
        ("<input>:1:3: unknown tactic", True),
        ("No library suggestions engine registered. (Add ...)", True),
        ("Invalid configuration option `suggestions` for `Lean.Grind.Config`", True),
        ("unexpected token '+'; expected '}'", True),
        ("`grind` failed\ncase grind", False),
        ("`exact?` could not close the goal.", False),
    ],
)
def test_what_this_lean_does_not_have(message: str, is_missing: bool) -> None:
    assert cannot_run(fails("grind? +suggestions", message)) == (
        "grind? +suggestions" if is_missing else None
    )
    assert cannot_run(fails("simp [foo]", message)) is None


def test_the_words_that_may_begin_a_tactic() -> None:
    assert heads("cases' h with a b <;> simp_all [foo]") == {"cases'", "simp_all"}
    assert heads("exact foo (by grind? [a])") >= {"exact", "grind?"}
    assert heads("rw [ring, foo]") == {"rw"}
    assert heads("") == frozenset()


@given(st.text(max_size=40))
def test_any_text_has_heads(text: str) -> None:
    assert all(word in text for word in heads(text))


def test_the_word_that_lean_does_not_know() -> None:
    assert unknown_word(fails("cases' h", "unknown tactic", 1)) == "cases'"
    assert unknown_word(fails("constructor <;> frob x", "<input>:1:5: unknown tactic", 17)) == "frob"
    assert unknown_word(fails("cases' h", "unsolved goals", 1)) is None
    assert unknown_word(fails("cases' h", "unknown tactic", None)) is None
    assert unknown_word(fails("cases' h", "<input>:1:1: unknown tactic", None)) == "cases'"
    assert unknown_word(closes("cases' h")) is None
