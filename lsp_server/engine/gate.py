"""Limits concurrent work: a few rankings in parallel, and a bounded queue."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from threading import Event
from typing import Any, TypeVar

from lean_extract.common.cancellation import context_cancelled_when
from lean_extract.common.errors import Busy

Answer = TypeVar("Answer")


class Gate:
    """Admits work whose heavy part runs in threads, so that the event loop stays free."""

    def __init__(
        self, workers: int, waiting: int, on_change: Callable[[int], object] = lambda admitted: None
    ) -> None:
        self._slots = asyncio.Semaphore(workers)
        self._most = workers + waiting
        self._on_change = on_change
        self.admitted = 0
        """The number of tasks that run or wait."""

    async def run(self, work: Callable[[], Coroutine[Any, Any, Answer]]) -> Answer:
        """Do the work when its turn comes.

        Its slot is held until it really ends, even if nobody waits for it any more: a thread cannot be
        stopped. It can see that it is not wanted (`lean_extract.common.cancellation`), so that it ends soon.

        Raises Busy when too much is waiting.
        """
        if self.admitted >= self._most:
            raise Busy("The server is busy: too many requests are waiting.", "Try again.")
        self._admit(1)
        try:
            await self._slots.acquire()
        except BaseException:
            self._admit(-1)
            raise
        is_given_up = Event()
        task = asyncio.create_task(work(), context=context_cancelled_when(is_given_up.is_set))
        task.add_done_callback(self._done)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            is_given_up.set()
            raise

    def _admit(self, more: int) -> None:
        self.admitted += more
        self._on_change(self.admitted)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._slots.release()
        self._admit(-1)
        if not task.cancelled():
            task.exception()  # the error is raised to whoever waits; if nobody does, it need not be logged
