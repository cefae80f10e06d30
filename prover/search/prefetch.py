"""Requests tactics for the state that is probably expanded next, while Lean is busy."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from lean_extract.records import Goal
from prover.search.environment import Proposed, Proposer


class PrefetchingProposer:
    """A proposer that can be asked before its answer is needed, for one state at a time.

    Prefetching does not change the answers.
    """

    def __init__(self, proposer: Proposer) -> None:
        self._proposer = proposer
        self._begun: dict[tuple[Goal, ...], asyncio.Task[list[Proposed]]] = {}

    @property
    def is_idle(self) -> bool:
        """Whether no prefetch is running."""
        return all(task.done() for task in self._begun.values())

    def begin(self, goals: Sequence[Goal]) -> None:
        """Start to compute the tactics of a state that may be asked for."""
        key = tuple(goals)
        if key not in self._begun:
            self._begun[key] = asyncio.create_task(self._ask(key))

    async def tactics(self, goals: Sequence[Goal]) -> list[Proposed]:
        """The proposer's tactics for a state, or the error that it raises; at once if they were prefetched."""
        task = self._begun.pop(tuple(goals), None)
        return await (self._proposer.tactics(goals) if task is None else task)

    async def close(self) -> None:
        """Cancel what is still running."""
        for task in self._begun.values():
            task.cancel()
        await asyncio.gather(*self._begun.values(), return_exceptions=True)

    async def _ask(self, goals: tuple[Goal, ...]) -> list[Proposed]:
        return await self._proposer.tactics(goals)
