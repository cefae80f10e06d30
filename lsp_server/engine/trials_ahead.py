"""Trials for what editors show only if it is there in time, such as completions and hovers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any

from lean_extract.records import TacticOutcome
from lsp_server.documents.goal_positions import declaration_key
from lsp_server.engine.shared_trials import OnOutcomes
from lsp_server.engine.tactic_runner import TacticRunner, closes
from lsp_server.engine.tasks import start_task
from lsp_server.limits import AHEAD_SECONDS
from prover.verify import GoalPosition

_TacticsAt = Callable[[GoalPosition, OnOutcomes], Coroutine[Any, Any, object]]


class TrialsAhead:
    """Has tactics tried at one position at a time: those of the position before are given up."""

    def __init__(self, runner: TacticRunner, tactics_at: _TacticsAt, version: Callable[[], int]) -> None:
        self._runner = runner
        self._tactics_at = tactics_at
        self._version = version
        """That of the running Lean."""
        self._key: Hashable = None
        self._task: asyncio.Task[None] | None = None

    async def accepted(self, position: GoalPosition, seconds: float) -> tuple[list[TacticOutcome], bool]:
        """The tactics that Lean has accepted where it is asked by now, in the order to show; whether more may come.

        If none is known to close the goal, trials begin, and up to `seconds` are spent waiting for one that does.
        Later requests for the same position do not wait.
        """
        place = await asyncio.to_thread(declaration_key, position)
        key = self._version(), place
        known = await asyncio.to_thread(self._runner.edits.accepted, position)
        if key != self._key and not self._runner.is_trying(place) and not any(map(closes, known)):
            await self._begin(key, position, seconds)
            known = await asyncio.to_thread(self._runner.edits.accepted, position)
        is_mine = key == self._key and self._task is not None and not self._task.done()
        return known, is_mine or self._runner.is_trying(place)

    async def _begin(self, key: Hashable, position: GoalPosition, seconds: float) -> None:
        self.stop()
        closed = asyncio.Event()

        def hear(outcomes: list[TacticOutcome]) -> None:
            if any(map(closes, outcomes)):
                closed.set()

        self._key, self._task = key, start_task(self._try(position, hear))
        closing = start_task(closed.wait())
        await asyncio.wait([self._task, closing], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        closing.cancel()

    async def _try(self, position: GoalPosition, hear: OnOutcomes) -> None:
        async with asyncio.timeout(AHEAD_SECONDS):
            await self._tactics_at(position, hear)

    def stop(self) -> None:
        """Give up the trials that run."""
        if self._task is not None:
            self._task.cancel()
        self._key = self._task = None
