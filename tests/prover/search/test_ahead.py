"""Tactics are thought of while Lean is busy, and nothing but time changes by it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import pytest

from lean_extract.common.errors import LeanDied
from lean_extract.goals import format_goal
from lean_extract.records import Goal, TacticOutcome
from prover.search.environment import Proposed
from prover.search.search import SearchLimits, SearchResult, search
from tests.prover.search.scripted import Listed, Scripted, Table

LIMITS = SearchLimits(seconds=30, nodes=50, tactics=8)


@dataclass
class Watched(Listed):
    """Records for which states it is called. At the state A it does what `at_a` does."""

    at_a: Callable[[], Awaitable[object]] | None = None
    called: dict[str, asyncio.Event] = field(default_factory=dict)
    times: list[str] = field(default_factory=list)

    def event(self, name: str) -> asyncio.Event:
        return self.called.setdefault(name, asyncio.Event())

    async def tactics(self, goals: Sequence[Goal]) -> list[Proposed]:
        name = format_goal(goals[0]).removeprefix("⊢ ")
        self.times.append(name)
        self.event(name).set()
        if name == "A" and self.at_a is not None:
            await self.at_a()
        return await super().tactics(goals)


async def dies() -> None:
    raise LeanDied("The model has died.")


@dataclass
class Waiting(Scripted):
    """Lean is busy with one tactic until the proposer is called for a state."""

    until: dict[str, asyncio.Event] = field(default_factory=dict)

    async def run(
        self, path: tuple[str, ...], tactics: Sequence[str], *, timeout: float
    ) -> AsyncGenerator[TacticOutcome, None]:
        async for outcome in super().run(path, tactics, timeout=timeout):
            if outcome.tactic in self.until:
                await self.until[outcome.tactic].wait()
            yield outcome


async def searched(environment: Scripted, proposer: Listed) -> SearchResult:
    return await asyncio.wait_for(search(environment, proposer, LIMITS), 20)


async def test_the_best_state_that_has_come_is_thought_about_while_lean_is_busy() -> None:
    table: Table = {
        "start": {"a": (-0.1, "A"), "b": (-0.5, "B")},
        "A": {"c": (-3.0, "C"), "d": (-4.0, "fails")},
        "B": {"e": (-0.1, "done")},
    }
    proposer = Watched(table)
    # The second verdict of the start waits for the call for A, that of A for the call for B, which waits already.
    until = {"b": proposer.event("A"), "c": proposer.event("B")}
    result = await searched(Waiting(table, until=until), proposer)
    assert result.proof == ("b", "e")
    assert proposer.times == ["start", "A", "B"]  # each once


async def test_a_wrong_guess_is_of_no_account() -> None:
    table: Table = {"start": {"a": (-1.0, "A"), "b": (-0.1, "B")}, "A": {}, "B": {"c": (-0.1, "done")}}
    proposer = Watched(table, at_a=dies)
    environment = Waiting(table, rank={"a": 0, "b": 1}, until={"b": proposer.event("A")})
    result = await searched(environment, proposer)
    assert (result.status, result.proof) == ("proved", ("b", "c"))


async def test_what_is_under_way_ends_with_the_search() -> None:
    ended = asyncio.Event()

    async def endless() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    table: Table = {"start": {"a": (-0.1, "A"), "b": (-0.2, "done")}, "A": {}}
    proposer = Watched(table, at_a=endless)
    result = await searched(Waiting(table, until={"b": proposer.event("A")}), proposer)
    assert result.proof == ("b",) and ended.is_set()


async def test_an_error_for_the_state_that_is_next_is_reported() -> None:
    table: Table = {"start": {"a": (-0.1, "A"), "b": (-0.2, "fails")}, "A": {}}
    proposer = Watched(table, at_a=dies)
    result = await searched(Waiting(table, until={"b": proposer.event("A")}), proposer)
    assert (result.status, result.reason) == ("failed", "The model has died.")


@pytest.mark.parametrize("busy", [False, True])
async def test_the_tree_is_the_same_whoever_is_first(busy: bool) -> None:
    table: Table = {
        "start": {"a": (-0.1, "A"), "b": (-0.2, "B"), "c": (-0.3, "A")},
        "A": {"d": (-0.1, "B"), "e": (-0.9, "start")},
        "B": {"f": (-0.1, "fails"), "g": (-0.4, "D")},
        "D": {"h": (-0.1, "done")},
    }
    proposer = Watched(table)
    until = {"b": proposer.event("A"), "g": proposer.event("B")} if busy else {}
    result = await searched(Waiting(table, until=until), proposer)
    assert result.proof == ("b", "g", "h")
    assert [node.tactic for node in result.tree.nodes] == ["", "a", "b", "g", "h"]
