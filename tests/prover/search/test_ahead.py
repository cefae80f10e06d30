"""Tactics are thought of while Lean is busy, and nothing but time changes by it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field

import pytest

from lean_extract.common.errors import LeanDied
from lean_extract.goals import format_goal
from lean_extract.records import Goal, TacticOutcome
from prover.search.environment import Proposed
from prover.search.search import SearchLimits, search
from tests.prover.search.scripted import Listed, Scripted, Table

LIMITS = SearchLimits(seconds=30, nodes=50, tactics=8)


@dataclass
class Heard(Listed):
    """Tells for which states it was asked."""

    asked: dict[str, asyncio.Event] = field(default_factory=dict)
    times: list[str] = field(default_factory=list)

    def event(self, name: str) -> asyncio.Event:
        return self.asked.setdefault(name, asyncio.Event())

    async def tactics(self, goals: Sequence[Goal]) -> list[Proposed]:
        name = format_goal(goals[0]).removeprefix("⊢ ")
        self.times.append(name)
        self.event(name).set()
        return await super().tactics(goals)


@dataclass
class Waiting(Scripted):
    """Lean is busy with one tactic until the proposer has been asked for a state."""

    until: dict[str, asyncio.Event] = field(default_factory=dict)

    async def run(
        self, path: tuple[str, ...], tactics: Sequence[str], *, timeout: float
    ) -> AsyncGenerator[TacticOutcome, None]:
        async for outcome in super().run(path, tactics, timeout=timeout):
            if outcome.tactic in self.until:
                await self.until[outcome.tactic].wait()
            yield outcome


async def test_the_best_state_that_has_come_is_thought_about_while_lean_is_busy() -> None:
    table: Table = {
        "start": {"a": (-0.1, "A"), "b": (-0.5, "B")},
        "A": {"c": (-3.0, "C"), "d": (-4.0, "fails")},
        "B": {"e": (-0.1, "done")},
    }
    proposer = Heard(table)
    # The second verdict of the start waits until A is asked about, that of A until B is, which waits already.
    environment = Waiting(table, until={"b": proposer.event("A"), "c": proposer.event("B")})
    result = await asyncio.wait_for(search(environment, proposer, LIMITS), 20)
    assert result.proof == ("b", "e")
    assert proposer.times == ["start", "A", "B"]  # each once


async def test_a_wrong_guess_is_of_no_account() -> None:
    table: Table = {
        "start": {"a": (-1.0, "A"), "b": (-0.1, "B")},
        "A": {},
        "B": {"c": (-0.1, "done")},
    }

    class Picky(Heard):
        async def tactics(self, goals: Sequence[Goal]) -> list[Proposed]:
            found = await super().tactics(goals)
            if format_goal(goals[0]) == "⊢ A":
                raise LeanDied("Nobody asked.")
            return found

    proposer = Picky(table)
    environment = Waiting(table, rank={"a": 0, "b": 1}, until={"b": proposer.event("A")})
    result = await asyncio.wait_for(search(environment, proposer, LIMITS), 20)
    assert (result.status, result.proof) == ("proved", ("b", "c"))


async def test_what_is_under_way_ends_with_the_search() -> None:
    table: Table = {"start": {"a": (-0.1, "A"), "b": (-0.2, "done")}, "A": {}}
    ended = asyncio.Event()

    class Endless(Heard):
        async def tactics(self, goals: Sequence[Goal]) -> list[Proposed]:
            found = await super().tactics(goals)
            if format_goal(goals[0]) == "⊢ A":
                try:
                    await asyncio.Event().wait()
                finally:
                    ended.set()
            return found

    proposer = Endless(table)
    environment = Waiting(table, until={"b": proposer.event("A")})
    result = await asyncio.wait_for(search(environment, proposer, LIMITS), 20)
    assert result.proof == ("b",) and ended.is_set()


async def test_an_error_for_the_state_that_is_next_is_told() -> None:
    class Broken(Heard):
        async def tactics(self, goals: Sequence[Goal]) -> list[Proposed]:
            found = await super().tactics(goals)
            if format_goal(goals[0]) == "⊢ A":
                raise LeanDied("The model is gone.")
            return found

    table: Table = {"start": {"a": (-0.1, "A"), "b": (-0.2, "fails")}, "A": {}}
    proposer = Broken(table)
    environment = Waiting(table, until={"b": proposer.event("A")})
    result = await asyncio.wait_for(search(environment, proposer, LIMITS), 20)
    assert (result.status, result.reason) == ("failed", "The model is gone.")


@pytest.mark.parametrize("busy", [False, True])
async def test_the_tree_is_the_same_whoever_is_first(busy: bool) -> None:
    table: Table = {
        "start": {"a": (-0.1, "A"), "b": (-0.2, "B"), "c": (-0.3, "A")},
        "A": {"d": (-0.1, "B"), "e": (-0.9, "start")},
        "B": {"f": (-0.1, "fails"), "g": (-0.4, "D")},
        "D": {"h": (-0.1, "done")},
    }
    proposer = Heard(table)
    until = {"b": proposer.event("A"), "g": proposer.event("B")} if busy else {}
    result = await asyncio.wait_for(search(Waiting(table, until=until), proposer, LIMITS), 20)
    assert result.proof == ("b", "g", "h")
    assert [node.tactic for node in result.tree.nodes] == ["", "a", "b", "g", "h"]
