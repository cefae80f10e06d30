"""The interface of every live Lean (language server, REPL, LeanDojo), its limits, and how it tries many tactics on one
goal, in several slots at the same time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from lean_extract.common.errors import BadSettings
from lean_extract.limits import (
    LEAN_REQUEST_SECONDS,
    LEAN_START_SECONDS,
    MAX_LEAN_MEGABYTES,
    TACTIC_SECONDS,
    TACTIC_SLOTS,
)
from lean_extract.records import Position, ProofState, TacticOutcome
from lean_extract.session.faults import Fault
from lean_extract.session.processes import machine_megabytes


def _default_memory_mb() -> int:
    return min(MAX_LEAN_MEGABYTES, machine_megabytes() // 3)


TacticSeconds = float | Callable[[str], float]
"""The time for each tactic, or a function of a tactic that gives it."""


@dataclass(frozen=True, slots=True)
class LeanLimits:
    """Limits on time, memory and parallelism of a session. Raises BadSettings if one is not positive.

    `start_seconds`: from the start of the server to its first response. `request_seconds`: without any progress of
    Lean while a goal is awaited. `tactic_seconds`: for one tactic, from when all above it is elaborated, unless the
    caller gives a time. `memory_mb`: private memory of one Lean process, which is killed above that; a third of the
    machine's by default. `slots`: the number of tactics tried at the same time, each in a Lean process of its own.
    """

    start_seconds: float = LEAN_START_SECONDS
    request_seconds: float = LEAN_REQUEST_SECONDS
    tactic_seconds: float = TACTIC_SECONDS
    memory_mb: int = field(default_factory=_default_memory_mb)
    slots: int = TACTIC_SLOTS

    @property
    def all_mb(self) -> int:
        """Private memory of all Lean processes together, above which the largest is killed."""
        return max(self.memory_mb, machine_megabytes() // 2)

    def __post_init__(self) -> None:
        for name in ("start_seconds", "request_seconds", "tactic_seconds", "memory_mb", "slots"):
            value = getattr(self, name)
            if not value > 0:
                raise BadSettings(f"The limit {name} is {value}.", "Give a number above 0.")


class LiveLean(Protocol):
    """A live Lean for one project; `LeanSession` documents arguments, results and errors."""

    @property
    def lean_version(self) -> str:
        """The version of the running Lean; empty if it is not known."""

    @property
    def needs_compiling(self) -> bool:
        """Whether this Lean has no Lake, so that we compile what files import."""

    def left(self, path: Path, lines: int) -> int:
        """How many of the first lines of a file this Lean has still to elaborate; 0 if that is not known."""
        ...

    async def goals_at(self, path: Path, text: str | None, position: Position) -> ProofState:
        """The goals at a position."""
        ...

    async def expected_at(self, path: Path, text: str | None, position: Position) -> ProofState:
        """The goal of the `sorry` at the position of a term."""
        ...

    async def errors_above(self, path: Path, text: str | None, position: Position) -> Sequence[Fault]:
        """The errors in the declarations above that of a position."""
        ...

    async def prepare(self, path: Path, text: str | None, position: Position) -> None:
        """Begin with what `try_tactics` at a position will wait for."""
        ...

    def try_tactics(
        self,
        path: Path,
        text: str | None,
        position: Position,
        tactics: Sequence[str] | AsyncIterable[str],
        *,
        timeout: TacticSeconds | None = None,
        within: float | None = None,
    ) -> AsyncGenerator[TacticOutcome, None]:
        """Try tactics on the main goal at a position, each separately."""
        ...

    async def close(self) -> None:
        """Stop Lean."""
        ...


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
        seconds: the time for each, or a function of the tactic that gives it.
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
