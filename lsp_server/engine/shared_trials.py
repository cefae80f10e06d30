"""Trials that several requests wait for, such as the view, ghost text and a hover at the same place."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

from lean_extract.records import TacticOutcome
from lsp_server.engine.tasks import start_task

_Result = TypeVar("_Result")
OnOutcomes = Callable[[list[TacticOutcome]], None]
"""Called with the outcomes so far, in display order, whenever there is a new one to show."""
Trials = Callable[[OnOutcomes], Coroutine[Any, Any, _Result]]
"""Runs trials."""


class SharedTrials(Generic[_Result]):
    """The trials that run, by the keys of their requests. They end when no request waits for them any more."""

    def __init__(self) -> None:
        self._running: dict[Hashable, _Running[_Result]] = {}

    def is_running(self, key: Hashable) -> bool:
        """Whether there are trials with this key to join."""
        return key in self._running

    async def results(self, key: Hashable, trials: Trials[_Result], on_outcomes: OnOutcomes) -> _Result:
        """The results of the trials with this key that run, or else of these. Raises what they raise."""
        running = self._running.get(key)
        if running is None:
            running = self._running[key] = _Running(trials)
        try:
            return await running.joined(on_outcomes)
        finally:
            if running.is_over and self._running.get(key) is running:
                del self._running[key]
                await running.end()


class _Running(Generic[_Result]):
    """Trials that run, and what hears of their outcomes."""

    def __init__(self, trials: Trials[_Result]) -> None:
        self._listeners: list[OnOutcomes] = []
        self._shown: list[TacticOutcome] = []
        self._task = start_task(trials(self._take))

    @property
    def is_over(self) -> bool:
        """Whether they have ended, or no request waits for them."""
        return self._task.done() or not self._listeners

    async def joined(self, on_outcomes: OnOutcomes) -> _Result:
        """The results, and before them the outcomes so far."""
        if self._shown:
            on_outcomes(self._shown)
        self._listeners.append(on_outcomes)
        try:
            return await asyncio.shield(self._task)
        finally:
            self._listeners.remove(on_outcomes)

    async def end(self) -> None:
        """Stop them."""
        self._task.cancel()
        await asyncio.wait([self._task])

    def _take(self, shown: list[TacticOutcome]) -> None:
        self._shown = shown
        for one in tuple(self._listeners):
            one(shown)
