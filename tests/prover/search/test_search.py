"""Best-first search: the order of expansion, what counts as a state, and what ends it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lean_extract.common.errors import BadSettings, LeanDied, NoGoalHere
from lean_extract.goals import parse_state
from lean_extract.records import Goal, TacticOutcome
from prover.search.environment import Proposed, Seeded
from prover.search.search import SearchLimits, SearchResult, choose, search
from tests.prover.search.scripted import Listed, Scripted, Table, state

LIMITS = SearchLimits(seconds=30, nodes=50, tactics=8)


async def searched(table: Table, limits: SearchLimits = LIMITS) -> tuple[SearchResult, Scripted]:
    environment = Scripted(table)
    return await search(environment, Listed(table), limits), environment


async def test_the_likeliest_pair_of_state_and_tactic_is_tried_next() -> None:
    table: Table = {
        "start": {"a": (-1.0, "A"), "b": (-0.5, "B")},
        "B": {"c": (-0.6, "C"), "d": (-0.4, "D")},
        "D": {"e": (-9.0, "E")},
        "A": {},
        "C": {"f": (-1.0, "done")},
    }
    result, environment = await searched(table)
    assert environment.expanded == ["start", "B", "C"]  # A has nothing to run, and `e` is unlikely
    assert (result.status, result.proof, result.reason) == ("proved", ("b", "c", "f"), "")
    assert (result.nodes, result.tactics) == (5, 5)
    assert [(node.goals, node.expanded) for node in result.tree.nodes if node.expanded == 2] == [
        (("⊢ D",), 2)
    ]


async def test_beginnings_of_a_written_proof_are_states_of_the_search() -> None:
    known: Table = {"start": {"lost": (-0.1, "fails")}, "far": {"end": (-0.1, "done")}}
    table: Table = {**known, "start": {**known["start"], "first\nsecond": (0.0, "far")}}
    seeded = Seeded(Listed(known), state("start").goals[0], ("first\nsecond",))
    result = await search(Scripted(table), seeded, LIMITS)
    assert (result.status, result.proof) == ("proved", ("first\nsecond", "end"))
    assert seeded.quick(state("far").goals[0]) == []


async def test_the_shortest_of_the_closing_tactics_counts_however_late_it_comes() -> None:
    table: Table = {"start": {"a longer way": (-0.1, "done"), "short": (-3.0, "done"), "other": (0.0, "A")}}
    result, _ = await searched(table)
    assert result.proof == ("short",)
    assert [attempt.tactic for attempt in result.tree.nodes[0].attempts] == ["a longer way"]


async def test_a_state_is_entered_once_and_failures_are_reported() -> None:
    table: Table = {
        "start": {
            "a": (-0.1, "A"),
            "again": (-0.2, "A"),
            "stay": (-0.3, "start"),
            "bad": (-0.4, "fails"),
            "slow": (-0.5, "timeout"),
        },
        "A": {"back": (-0.1, "start")},
    }
    result, environment = await searched(table)
    assert (result.status, result.reason) == ("exhausted", "No state is left to expand.")
    assert environment.asked[1:] == [("back",), ("slow",)]  # what took too long comes again, with more time
    first, second = result.tree.nodes
    assert [(item.tactic, item.status, item.message) for item in first.attempts] == [
        ("again", "known", ""),
        ("stay", "known", ""),
        ("bad", "fails", "bad is refused"),
        ("slow", "timeout", "slow is refused"),
    ]
    assert [(item.tactic, item.status) for item in second.attempts] == [("back", "known")]


async def test_case_tags_and_spacing_make_no_new_state() -> None:
    class Tagged(Scripted):
        def _outcome(self, tactic: str, end: str) -> TacticOutcome:
            return TacticOutcome(tactic, "progress", parse_state(end))

    ends = ["case left\n⊢ p  ∧ q", "⊢ p ∧\n    q", "⊢ q ∧ p"]
    table: Table = {"start": {tactic: (-0.1, end) for tactic, end in zip("abc", ends, strict=True)}}
    result = await search(Tagged(table), Listed(table), LIMITS)
    assert len(result.tree.nodes) == 3


async def test_a_better_way_to_a_state_that_waits_is_taken() -> None:
    table: Table = {
        "start": {"far": (-5.0, "A"), "near": (-0.5, "B")},
        "B": {"on": (-0.5, "A")},
        "A": {"end": (-0.1, "done")},
    }
    result, _ = await searched(table)
    assert result.proof == ("near", "on", "end")
    assert [node.tactic for node in result.tree.nodes] == ["", "near", "on", "end"]
    assert [attempt.tactic for attempt in result.tree.nodes[0].attempts] == ["far"]


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (replace(LIMITS, nodes=3), "It expanded 3 states."),
        (replace(LIMITS, nodes=10**9, seconds=0.02), "Time ran out (0.02 s)."),
    ],
)
async def test_an_endless_search_ends_at_its_limits(limits: SearchLimits, reason: str) -> None:
    class Endless(Scripted):
        def _outcome(self, tactic: str, end: str) -> TacticOutcome:
            return super()._outcome(tactic, f"{len(self.expanded)}")

    class Always(Listed):
        async def tactics(self, goals: Sequence[Goal]) -> list[Proposed]:
            await asyncio.sleep(0)
            return [Proposed("on", -0.1)]

    class Anything(dict[str, dict[str, tuple[float, str]]]):
        def __missing__(self, key: str) -> dict[str, tuple[float, str]]:
            return {"on": (-0.1, "")}

    result = await search(Endless(Anything()), Always({}), limits)
    assert (result.status, result.reason, result.proof) == ("limit", reason, ())


async def test_a_proof_that_arrives_before_the_time_is_up_counts() -> None:
    table: Table = {"start": {"good": (-0.1, "done"), "loops": (-0.2, "hangs")}}
    result, environment = await searched(table, replace(LIMITS, seconds=0.2))
    assert (result.status, result.proof) == ("proved", ("good",))
    assert environment.let_go == 1


async def test_being_cancelled_lets_the_environment_go() -> None:
    table: Table = {"start": {"loops": (-0.2, "hangs")}}
    environment = Scripted(table)
    running = asyncio.create_task(search(environment, Listed(table), LIMITS))
    await environment.hung.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert environment.let_go == 1


async def test_an_environment_that_gives_up_ends_the_search_with_its_message() -> None:
    table: Table = {"start": {"a": (-0.1, "A")}, "A": {"b": (-0.1, "B"), "c": (-0.2, "dies")}}
    result, _ = await searched(table)
    assert (result.status, result.reason) == ("failed", "Lean has died.")
    assert [node.tactic for node in result.tree.nodes] == ["", "a", "b"]


async def test_a_theorem_that_cannot_be_opened_is_a_failed_search() -> None:
    environment = Scripted({}, error=NoGoalHere("There is no goal.", "Look elsewhere."))
    result = await search(environment, Listed({}), LIMITS)
    assert result == SearchResult("failed", reason="There is no goal. Look elsewhere.")


async def test_a_proposer_that_gives_up_ends_the_search() -> None:
    class Broken(Listed):
        async def tactics(self, goals: Sequence[Goal]) -> list[Proposed]:
            raise LeanDied("The model has died.")

    result = await search(Scripted({}), Broken({}), LIMITS)
    assert (result.status, result.reason) == ("failed", "The model has died.")


def test_what_is_run_is_cleaned_and_cut() -> None:
    proposed = [
        Proposed("simp", -2.0),
        Proposed("  simp ", -1.0),
        Proposed("sorry", -0.1),
        Proposed("exact foo sorry", -0.1),
        Proposed("", -0.1),
        Proposed("nan", float("nan")),
        Proposed("never", float("-inf")),
        Proposed("sure", 0.5),
        Proposed("cases h\n  simp", -1.5),
        Proposed("cases h\nsimp", -1.6),
        Proposed("rfl", -9.0),
    ]
    assert choose(proposed, 4) == [
        Proposed("sure", 0.0),
        Proposed("simp", -1.0),
        Proposed("cases h\n  simp", -1.5),
        Proposed("cases h\nsimp", -1.6),
    ]


async def test_no_more_tactics_are_run_than_the_limit_says() -> None:
    table: Table = {"start": {f"t{number}": (-float(number), "fails") for number in range(1, 9)}}
    _, environment = await searched(table, replace(LIMITS, tactics=3))
    assert environment.asked == [("t1", "t2", "t3")]


@pytest.mark.parametrize("name", ["seconds", "nodes", "tactics", "tactic_seconds"])
def test_limits_are_positive(name: str) -> None:
    with pytest.raises(BadSettings, match=name):
        SearchLimits(**{name: 0})


NAMES = st.sampled_from(["start", "A", "B", "C", "D"])
ENDS = st.one_of(NAMES, st.sampled_from(["done", "fails", "timeout"]))
TACTICS = st.dictionaries(st.sampled_from("stuvw"), st.tuples(st.floats(-9, 0), ENDS), max_size=4)
TABLES = st.dictionaries(NAMES, TACTICS)


@given(TABLES, st.permutations("stuvw"))
@settings(max_examples=60)
def test_the_order_in_which_verdicts_come_changes_nothing(table: Table, order: list[str]) -> None:
    rank = {tactic: place for place, tactic in enumerate(order)}
    full = {name: table.get(name, {}) for name in ("start", "A", "B", "C", "D")}

    def result(environment: Scripted) -> SearchResult:
        return replace(asyncio.run(search(environment, Listed(full), LIMITS)), seconds=0.0)

    expected = result(Scripted(full))
    assert result(Scripted(full, rank=rank)) == expected
    assert expected.status in ("proved", "exhausted")
    # Every proof leads from the start to the end, as the table says.
    here = "start"
    for tactic in expected.proof:
        here = full[here][tactic][1]
    assert (here == "done") == (expected.status == "proved")
    # It is found whenever there is one.
    assert (expected.status == "proved") == _reaches_end(full)


def _reaches_end(table: Table) -> bool:
    seen, waiting = {"start"}, ["start"]
    while waiting:
        for _, end in table[waiting.pop()].values():
            if end == "done":
                return True
            if end in table and end not in seen:
                seen.add(end)
                waiting.append(end)
    return False
