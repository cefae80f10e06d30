"""In which order a search tries tactics: a state gets a few at a time, and a goal is a search of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, replace

from hypothesis import given, settings
from hypothesis import strategies as st

from lean_extract.goals import format_goal, parse_state
from lean_extract.records import Goal, ProofState, TacticOutcome
from prover.search.environment import Proposed
from prover.search.naming import named
from prover.search.partial import furthest
from prover.search.search import SearchLimits, SearchResult, search
from prover.search.tree import NEXT_GOAL
from tests.prover.search.scripted import Listed, Scripted, Table

LIMITS = SearchLimits(seconds=30, nodes=50, tactics=20)


@dataclass
class Goals(Scripted):
    """Plays a table of goals: a tactic replaces the main goal by those it leads to, which `|` separates."""

    async def run(
        self, path: tuple[str, ...], tactics: Sequence[str], *, timeout: float
    ) -> AsyncGenerator[TacticOutcome, None]:
        goals = [self.first]
        for tactic in path:
            goals = self._after(goals, tactic)
        for tactic in tactics:
            self.asked.append((goals[0], tactic))
            if tactic != NEXT_GOAL and self.table[goals[0]][tactic][1] == "fails":
                yield TacticOutcome(tactic, "fails", None, "no")
                continue
            left = self._after(goals, tactic)
            found = ProofState(tuple(parse_state(f"⊢ {one}").goals[0] for one in left))
            yield TacticOutcome(tactic, "progress" if left else "closes", found)

    def _after(self, goals: Sequence[str], tactic: str) -> list[str]:
        first, *others = goals
        if tactic == NEXT_GOAL:
            return [*others, first]
        return [*(one for one in self.table[first][tactic][1].split("|") if one != "done"), *others]


async def searched(table: Table, limits: SearchLimits = LIMITS) -> tuple[SearchResult, Goals]:
    environment = Goals(table)
    return await search(environment, Listed(table), limits), environment


async def test_a_state_gets_a_few_tactics_and_later_the_others() -> None:
    table: Table = {
        "start": {f"bad{number}": (-2.0 - number / 9, "fails") for number in range(12)}
        | {"good": (-0.5, "A"), "last": (-9.0, "done")},
        "A": {"useless": (-8.0, "B")},
        "B": {},
    }
    result, environment = await searched(table)
    assert result.proof == ("last",)
    assert [goal for goal, _ in environment.asked] == ["start"] * 13 + ["A", "start"]
    assert result.nodes == 3
    assert [node.expanded for node in result.tree.nodes] == [0, 1, 2, None]


async def test_the_steps_that_prove_a_goal_do_not_count_against_the_next() -> None:
    table: Table = {
        "start": {"split": (-0.5, "P|Q"), "other": (-9.0, "R")},
        "P": {"p1": (-1.5, "P1")},
        "P1": {"p2": (-1.5, "done")},
        "Q": {"q": (-1.0, "done")},
        "R": {"r": (-0.5, "R1")},
        "R1": {"r1": (-0.5, "done")},
    }
    result, _ = await searched(table)
    scores = {node.goals: node.score for node in result.tree.nodes}
    assert scores[("⊢ Q",)] == scores[("⊢ P", "⊢ Q")] > scores[("⊢ P1", "⊢ Q")]


async def test_goals_after_one_that_cannot_be_proved_are_proved() -> None:
    table: Table = {
        "start": {"split": (-0.5, "P|Q|R|S")},
        "P": {f"p{number}": (-4.0, f"P{number}") for number in range(9)},
        **{f"P{number}": {} for number in range(9)},
        "Q": {"q": (-1.0, "done")},
        "R": {"r": (-1.0, "fails")},
        "S": {"s1": (-1.0, "S1")},
        "S1": {"s2": (-1.0, "done")},
    }
    result, _ = await searched(table)
    proof = furthest(result.tree)
    assert (result.status, proof and proof.ends) == ("exhausted", (2, 4))
    assert proof is not None and [one.steps for one in proof.left] == [(), ("q",), (), ("s1", "s2")]


async def test_a_proved_goal_is_not_searched_again() -> None:
    table: Table = {
        "start": {"split": (-0.5, "P|Q")},
        "P": {"easy": (-1.0, "done"), "long": (-0.1, "P1")},
        "P1": {"on": (-5.0, "P2")},
        "P2": {},
        "Q": {"q": (-8.0, "done")},
    }
    result, environment = await searched(table)
    assert result.proof == ("split", "easy", "q")
    assert "P1" not in {goal for goal, _ in environment.asked}


async def test_what_was_refused_on_a_goal_is_not_tried_on_it_beside_others() -> None:
    table: Table = {
        "start": {"first": (-0.5, "P|Q"), "second": (-0.6, "P|R")},
        "P": {"no": (-0.2, "fails"), "yes": (-3.0, "done")},
        "Q": {},
        "R": {"r": (-0.1, "done")},
    }
    result, environment = await searched(table)
    assert result.proof == ("second", "yes", "r")
    assert environment.asked.count(("P", "no")) == 1


async def test_a_word_that_is_no_tactic_is_tried_once() -> None:
    class Unknown(Goals):
        async def run(
            self, path: tuple[str, ...], tactics: Sequence[str], *, timeout: float
        ) -> AsyncGenerator[TacticOutcome, None]:
            async for one in super().run(path, tactics, timeout=timeout):
                is_unknown = one.tactic.startswith("nonesuch")
                yield replace(one, message="<input>:1:0: unknown tactic", error_at=0) if is_unknown else one

    table: Table = {
        "start": {"nonesuch 1": (-0.1, "fails"), "on": (-0.2, "A")},
        "A": {"nonesuch 2": (-0.1, "fails"), "end": (-0.2, "done")},
    }
    environment = Unknown(table)
    assert (await search(environment, Listed(table), LIMITS)).proof == ("on", "end")
    assert ("A", "nonesuch 2") not in environment.asked


async def test_quick_tactics_come_before_any_proposal() -> None:
    class Quick(Listed):
        def quick(self, goal: Goal) -> list[Proposed]:
            return [Proposed("quick", -0.5)]

        async def tactics(self, goals: Sequence[Goal]) -> list[Proposed]:
            return [one for one in await super().tactics(goals) if one.tactic != "quick"]

    table: Table = {
        "start": {"quick": (0.0, "fails"), "on": (-0.1, "A")},
        "A": {"quick": (0.0, "done"), "never": (-0.1, "done")},
    }
    environment = Goals(table)
    result = await search(environment, Quick(table), LIMITS)
    assert result.proof == ("on", "quick")
    assert environment.asked == [("start", "quick"), ("start", "on"), ("A", "quick")]


def test_nameless_hypotheses_get_names_that_are_free() -> None:
    text = "α✝ : Type\ninst✝ : Group α✝\nn : ℕ\nn✝ m✝ : ℕ\na✝ : n✝ < n\n⊢ m✝ = n✝"
    step, goal = named(parse_state(text).goals[0], ["induction k", "simp"])
    assert step == "rename_i n1 m ih"
    assert format_goal(goal) == "α✝ : Type\ninst✝ : Group α✝\nn : ℕ\nn1 m : ℕ\nih : n1 < n\n⊢ m = n1"
    assert named(goal, []) == ("", goal)


GOALS = st.sampled_from("PQRS")
ENDS = st.one_of(
    st.lists(GOALS, min_size=1, max_size=3).map("|".join), st.sampled_from(["done", "fails", "done|P"])
)
TABLES = st.dictionaries(
    GOALS, st.dictionaries(st.sampled_from("stuvwxyz"), st.tuples(st.floats(-9, 0), ENDS), max_size=6)
)


@given(TABLES)
@settings(max_examples=80, deadline=None)
def test_every_theorem_with_a_proof_is_proved_and_no_tactic_is_tried_twice(table: Table) -> None:
    full = {name: table.get(name, {}) for name in "PQRS"}
    environment = Goals(full, first="P")
    limits = replace(LIMITS, nodes=40)
    result = asyncio.run(search(environment, Listed(full), limits))
    # A goal alone decides: those with a tactic that leads to provable goals only are provable.
    provable: set[str] = set()
    while more := {name for name in full if name not in provable and _has_proof(full[name], provable)}:
        provable |= more
    if result.status != "limit":
        assert (result.status == "proved") == ("P" in provable)
    refused = [
        (goal, tactic) for goal, tactic in environment.asked if full[goal].get(tactic, ("", ""))[1] == "fails"
    ]
    assert len(refused) == len(set(refused))


def _has_proof(tactics: Mapping[str, tuple[float, str]], provable: set[str]) -> bool:
    ends = (end for _, end in tactics.values() if end != "fails")
    return any(all(one in provable for one in end.split("|") if one != "done") for end in ends)
