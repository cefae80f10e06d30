"""Many tactics at one place: as many at once as there are slots, the next one taken when a slot is free."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Sequence
from typing import Protocol

from lean_extract.records import TacticOutcome


class Tries(Protocol):
    """What judges one tactic: `Trial`."""

    async def run(self, tactic: str, seconds: float) -> TacticOutcome:
        """Lean's verdict, within so many seconds."""
        ...


class Round:
    """Tries tactics as they are given, and tells the outcomes as they are known.

    Args:
        trial: what judges one.
        tactics: in the order to try. The next is taken only when a slot is free, so whoever gives them can
            still change the order, and may let it wait.
        slots: how many are tried at once.
        seconds: for each.
        within: seconds for all together, from now on; None: as long as it takes. What is being tried
            then comes out as a timeout, what has not been begun not at all.
    """

    def __init__(
        self,
        trial: Tries,
        tactics: Sequence[str] | AsyncIterable[str],
        *,
        slots: int,
        seconds: float,
        within: float | None = None,
    ) -> None:
        self._trial = trial
        self._tactics = aiter(tactics) if isinstance(tactics, AsyncIterable) else _each(tactics)
        self._seconds = seconds
        self._within = within
        self._running: list[str] = []
        self._taking = asyncio.Lock()
        self._told: asyncio.Queue[TacticOutcome | asyncio.Task[None]] = asyncio.Queue()
        self._workers = {asyncio.create_task(self._work()) for _ in range(slots)}
        for worker in self._workers:
            worker.add_done_callback(self._told.put_nowait)

    @property
    def is_busy(self) -> bool:
        """Whether Lean may still be at a tactic that nobody waits for any more."""
        return bool(self._running)

    async def outcomes(self) -> AsyncGenerator[TacticOutcome, None]:
        """Outcomes as they come. Raises what a trial or the source of the tactics raises."""
        end = None if self._within is None else asyncio.get_running_loop().time() + self._within
        working = set(self._workers)
        while working:
            try:
                async with asyncio.timeout_at(end):
                    item = await self._told.get()
            except TimeoutError:
                break
            if isinstance(item, TacticOutcome):
                yield item
            else:
                working.discard(item)
                item.result()
        else:
            return
        for tactic in list(self._running):
            message = f"Lean had not finished when the {self._within:g} s for all tactics were over"
            yield TacticOutcome(tactic, "timeout", None, message)

    async def end(self) -> None:
        """Stop; `is_busy` still tells what Lean may be at."""
        running = list(self._running)
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)
        self._running = running

    async def _work(self) -> None:
        while (tactic := await self._next()) is not None:
            self._running.append(tactic)
            try:
                outcome = await self._trial.run(tactic, self._seconds)
            finally:
                self._running.remove(tactic)
            self._told.put_nowait(outcome)
            # A verdict may have needed no Lean. Whoever reads the outcomes gets a turn even then, and may stop:
            # else a source without end would fill the memory.
            await asyncio.sleep(0)

    async def _next(self) -> str | None:
        async with self._taking:
            return await anext(self._tactics, None)


async def _each(tactics: Sequence[str]) -> AsyncIterator[str]:
    for tactic in tactics:
        yield tactic
