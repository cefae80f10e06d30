"""Tries many tactics on one goal, as many at the same time as there are slots."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Sequence
from typing import Protocol

from lean_extract.records import TacticOutcome
from lean_extract.session.live import TacticSeconds


class Tries(Protocol):
    """An object that tries one tactic, such as `Trial`."""

    async def run(self, tactic: str, seconds: float) -> TacticOutcome:
        """Lean's verdict on the tactic, within this time."""
        ...


class TrialBatch:
    """Tries tactics as they become available, and yields the outcomes as they become known.

    Args:
        trial: tries one tactic.
        tactics: in the order to try. The next one is taken only when a slot is free, so the source can still
            change the order, and may be slow.
        slots: how many are tried at the same time.
        seconds: the time for each, or a function of the tactic that says it.
        within: the time in seconds for all together, from now on; None: no limit. Tactics that are being tried
            at the end have the outcome `timeout`; those not yet begun have none.
    """

    def __init__(
        self,
        trial: Tries,
        tactics: Sequence[str] | AsyncIterable[str],
        *,
        slots: int,
        seconds: TacticSeconds,
        within: float | None = None,
    ) -> None:
        self._trial = trial
        self._tactics = aiter(tactics) if isinstance(tactics, AsyncIterable) else _each(tactics)
        self._seconds = seconds
        self._within = within
        self._running: list[str] = []
        self._taking = asyncio.Lock()
        self._results: asyncio.Queue[TacticOutcome | asyncio.Task[None]] = asyncio.Queue()
        self._workers = {asyncio.create_task(self._work()) for _ in range(slots)}
        for worker in self._workers:
            worker.add_done_callback(self._results.put_nowait)

    async def outcomes(self) -> AsyncGenerator[TacticOutcome, None]:
        """Yields outcomes as they become known. Raises what a trial or the source of the tactics raises."""
        end = None if self._within is None else asyncio.get_running_loop().time() + self._within
        working = set(self._workers)
        while working:
            try:
                async with asyncio.timeout_at(end):
                    item = await self._results.get()
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
            message = f"Lean had not finished within the {self._within:g} s for all tactics"
            yield TacticOutcome(tactic, "timeout", None, message)

    async def end(self) -> None:
        """Stop all trials."""
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)

    async def _work(self) -> None:
        while (tactic := await self._next()) is not None:
            self._running.append(tactic)
            try:
                outcome = await self._trial.run(tactic, self._seconds_of(tactic))
            finally:
                self._running.remove(tactic)
            self._results.put_nowait(outcome)
            # A verdict may not have needed Lean. Even then the reader of the outcomes must get a turn, so that
            # it can stop; otherwise an endless source would fill the memory.
            await asyncio.sleep(0)

    def _seconds_of(self, tactic: str) -> float:
        return self._seconds(tactic) if callable(self._seconds) else self._seconds

    async def _next(self) -> str | None:
        async with self._taking:
            return await anext(self._tactics, None)


async def _each(tactics: Sequence[str]) -> AsyncIterator[str]:
    for tactic in tactics:
        yield tactic
