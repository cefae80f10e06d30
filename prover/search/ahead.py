"""Tactics thought about while Lean is busy, for the state that is likely the next."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from lean_extract.records import Goal
from prover.search.environment import Proposed, Proposer


class Ahead:
    """A proposer that can be asked before the answer is wanted; one state at a time is thought about.

    What it says of a state is what the proposer says, however early it was asked.
    """

    def __init__(self, proposer: Proposer) -> None:
        self._proposer = proposer
        self._begun: dict[tuple[Goal, ...], asyncio.Task[list[Proposed]]] = {}

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being thought about."""
        return all(task.done() for task in self._begun.values())

    def begin(self, goals: Sequence[Goal]) -> None:
        """Think about a state that may be asked for."""
        key = tuple(goals)
        if key not in self._begun:
            self._begun[key] = asyncio.create_task(self._ask(key))

    async def tactics(self, goals: Sequence[Goal]) -> list[Proposed]:
        """What the proposer says of a state, and what it raises; at once where it has been thought about."""
        task = self._begun.pop(tuple(goals), None)
        return await (self._proposer.tactics(goals) if task is None else task)

    async def close(self) -> None:
        """Let go of what is under way."""
        for task in self._begun.values():
            task.cancel()
        await asyncio.gather(*self._begun.values(), return_exceptions=True)

    async def _ask(self, goals: tuple[Goal, ...]) -> list[Proposed]:
        return await self._proposer.tactics(goals)
