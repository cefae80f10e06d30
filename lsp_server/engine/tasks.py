"""Work of one request: tasks that outlive their callers, a bounded queue, progress and timings."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from threading import Event
from typing import Any, TypeVar

from lean_extract.common.cancellation import context_cancelled_when
from lean_extract.common.errors import Busy, LeanDied
from lsp_server.limits import LEAN_PROGRESS_SECONDS

_Result = TypeVar("_Result")


async def to_the_end(work: Coroutine[Any, Any, _Result]) -> _Result:
    """Wait for work that continues if its caller is cancelled, so that the next caller finds it done."""
    return await asyncio.shield(start_task(work))


def start_task(work: Coroutine[Any, Any, _Result]) -> asyncio.Task[_Result]:
    """Begin work that will be needed; errors are raised to whoever waits for it."""
    # It is needed even if the request that began it is cancelled: others will use its result.
    task = asyncio.create_task(work, context=context_cancelled_when(lambda: False))
    task.add_done_callback(_retrieve)
    return task


def _retrieve(task: asyncio.Task[Any]) -> None:
    """Retrieve the error of a task that perhaps nobody waits for, so that asyncio does not log it."""
    if not task.cancelled():
        task.exception()


async def unless_set(stop: asyncio.Event, work: Coroutine[Any, Any, _Result]) -> _Result | None:
    """The result of work, which is cancelled when the event is set; None then."""
    task, stopped = asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait([task, stopped], return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else None
    finally:
        stopped.cancel()
        if not task.done():
            task.cancel()
            await asyncio.wait([task])


async def begun_again(work: Callable[[], Coroutine[Any, Any, _Result]]) -> _Result:
    """The result of work with Lean. If Lean dies meanwhile, not of too much memory, the work is begun once more."""
    try:
        return await work()
    except LeanDied as error:
        if error.is_of_memory:
            raise
    return await work()


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

    async def run(self, work: Callable[[], Coroutine[Any, Any, _Result]]) -> _Result:
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


@dataclass(frozen=True, slots=True)
class LeanProgress:
    """How many of the lines down to a goal are elaborated. No lines: Lean is starting."""

    done: int
    lines: int

    def __str__(self) -> str:
        return (
            f"Lean has elaborated {self.done:,} of {self.lines:,} lines" if self.lines else "Lean is starting"
        )


OnWaiting = Callable[[LeanProgress], None]
"""Called from time to time while Lean starts, or elaborates what is above a goal."""


async def while_waiting(
    work: Coroutine[Any, Any, _Result], look: Callable[[], LeanProgress | None], report: OnWaiting
) -> _Result:
    """The result of work; if it takes long, `report` is called whenever Lean has made progress."""
    task = asyncio.ensure_future(work)
    reported: LeanProgress | None = None
    try:
        while not (await asyncio.wait([task], timeout=LEAN_PROGRESS_SECONDS))[0]:
            progress = look()
            if progress is not None and progress != reported:
                reported = progress
                report(progress)
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait([task])


_Clock = Callable[[], float]


class Timer:
    """Milliseconds of the named parts of one request, and of the whole."""

    def __init__(self, clock: _Clock = time.perf_counter) -> None:
        self._clock = clock
        self._start = self._last = clock()
        self.parts: dict[str, float] = {}

    def lap(self, name: str) -> None:
        """The part that ends here, counted from the last lap."""
        now = self._clock()
        self.parts[name] = round(1000 * (now - self._last), 1)
        self._last = now

    def skip(self) -> None:
        """Do not count the time since the last lap."""
        self._last = self._clock()

    def total(self) -> dict[str, float]:
        """All parts, and `total`."""
        return {**self.parts, "total": round(1000 * (self._clock() - self._start), 1)}
