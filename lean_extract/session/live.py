"""The interface of every live Lean (language server, REPL, LeanDojo), its limits, and how it tries many tactics on one
goal, in several slots at the same time.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from lean_extract.common.errors import BadSettings, LeanError
from lean_extract.limits import (
    LEAN_REQUEST_SECONDS,
    LEAN_START_SECONDS,
    MAX_LEAN_MEGABYTES,
    TACTIC_SECONDS,
    TACTIC_SLOTS,
)
from lean_extract.records import Position, ProofState, Span, TacticOutcome
from lean_extract.session.faults import Fault
from lean_extract.session.processes import machine_megabytes
from lean_extract.syntax.tactic_text import defect, without_sorry

TacticSeconds = float | Callable[[str], float]
"""The time for each tactic, or a function of a tactic that gives it."""


@dataclass(frozen=True, slots=True)
class LeanLimits:
    """Limits on time, memory and parallelism of a session. Raises BadSettings if one is not positive.

    `start_seconds`: from the start of the server to its first response. `request_seconds`: without any progress of
    Lean while a goal is awaited. `tactic_seconds`: for one tactic, from when all above it is elaborated, unless the
    caller gives a time. `memory_mb`: private memory of one Lean process, which is killed above that; a third of the
    machine's by default. `all_mb`: that of all its processes, half of the machine's by default. Above that, files that
    are no longer looked at are closed; where that does not help, the largest process is killed. `slots`: the number of
    tactics tried at the same time, each in a Lean process of its own.
    """

    start_seconds: float = LEAN_START_SECONDS
    request_seconds: float = LEAN_REQUEST_SECONDS
    tactic_seconds: float = TACTIC_SECONDS
    memory_mb: int = field(default_factory=lambda: min(MAX_LEAN_MEGABYTES, machine_megabytes() // 3))
    all_mb: int = field(default_factory=lambda: machine_megabytes() // 2)
    slots: int = TACTIC_SLOTS

    def __post_init__(self) -> None:
        for name in ("start_seconds", "request_seconds", "tactic_seconds", "memory_mb", "all_mb", "slots"):
            value = getattr(self, name)
            if not value > 0:
                raise BadSettings(f"The limit {name} is {value}.", "Give a number above 0.")


TryTactic = Callable[[str, float], Awaitable[TacticOutcome]]
"""Lean's verdict on a tactic, within this time in seconds."""


class LiveLean(ABC):
    """A live Lean for one project, or for one theorem.

    A subclass sets `_tactic_seconds`, the time for a tactic if the caller gives none, and `_slots`, the number of
    tactics tried at the same time.
    """

    _tactic_seconds: float
    _slots = 1

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def lean_version(self) -> str:
        """The version of the running Lean; empty if it is not known."""
        return ""

    @property
    def needs_compiling(self) -> bool:
        """Whether this Lean has no Lake, so that we compile what files import."""
        return False

    def left(self, path: Path, lines: int) -> int:
        """How many of the first lines of a file, or of its copies, Lean has still to elaborate; 0 if not known."""
        return 0

    @abstractmethod
    async def goals_at(self, path: Path, text: str | None, position: Position) -> ProofState:
        """The goals that Lean shows at a position: those of the tactic block, otherwise those of the term there.

        Args:
            path: the file; it need not exist if its text is given.
            text: the file's text as the user sees it; None: it is read from disk.
            position: counted from 0, in code points. As in the editor, the start of a tactic gives the goals
                before it, and a position further inside it the goals that it leaves. Any position in a `sorry`,
                a hole, or a tactic that leaves no goals gives the goals before it. If there are no goals at all,
                the proof above is complete.

        Raises:
            NoGoalHere: there is no proof at the position; the hint says why.
            BadPosition: the position lies outside the text. BadSource: the file cannot be read.
            ProjectBroken: the file's imports cannot be loaded.
            LeanDied, LeanTimeout: Lean ended, or took longer than `LeanLimits.request_seconds`.
        """

    async def expected_at(self, path: Path, text: str | None, position: Position) -> ProofState:
        """The goal of the `sorry` at the position of a term: what Lean expects there.

        Raises: as `goals_at`; NoGoalHere also if Lean did not get to elaborate the term.
        """
        return await self.goals_at(path, text, position)

    async def errors_above(self, path: Path, text: str | None, position: Position) -> Sequence[Fault]:
        """Lean's errors in the declarations above that of a position, except those of the compiler alone.

        Only what Lean has reported so far counts. Empty if this Lean cannot report them without waiting.

        Raises BadPosition, BadSource.
        """
        return []

    async def errors_at(
        self, path: Path, text: str | None, position: Position, part: Span
    ) -> Sequence[Fault]:
        """Lean's errors in the declaration at a position, from top to bottom, once it is past the lines of a part.

        Errors below the part may be missing, except where Lean cannot read the text. Empty if this Lean does not
        report them. Raises: as `goals_at`, except NoGoalHere.
        """
        return []

    async def check(self, path: Path, text: str) -> Sequence[Fault]:
        """The errors of a whole file, and its warnings about `sorry`, from top to bottom, by a new Lean process.

        Raises: LeanError also if this Lean cannot check files; as `goals_at`, except NoGoalHere.
        """
        raise LeanError(
            "This Lean does not check whole files.",
            "Use Lean's language server: set `lean.source` to server.",
        )

    @abstractmethod
    async def prepare(self, path: Path, text: str | None, position: Position) -> None:
        """Begin to elaborate what `try_tactics` at a position will need. Raises: as `goals_at`, except NoGoalHere."""

    async def try_tactics(
        self,
        path: Path,
        text: str | None,
        position: Position,
        tactics: Sequence[str] | AsyncIterable[str],
        *,
        timeout: TacticSeconds | None = None,
        within: float | None = None,
        unfinished: bool = False,
    ) -> AsyncGenerator[TacticOutcome, None]:
        """Try tactics on the main goal at a position, each separately. Yields outcomes as they become known.

        A `sorry`, a hole or a tactic at the position is replaced. At the end of a line and on an empty line the
        tactic is a new step. A tactic `closes` the goal if it leaves no goals and causes no errors in the rest of
        the declaration. It is `unjudged` if an error above may have changed the goal, or broken something that
        the tactic uses. If you stop early, close the generator (`contextlib.aclosing`), which ends the trials
        that are still running.

        Args:
            path, text, position: as for `goals_at`.
            tactics: in the order to try. From an asynchronous source, the next tactic is taken when a slot is
                free, so the first ones are tried while others are still being generated.
            timeout: seconds for each tactic (`LeanLimits.tactic_seconds` by default).
            within: seconds for all together, from the moment when Lean has found where to put the tactics. At
                the end, tactics that are being tried have the outcome `timeout`, and the others have none.
            unfinished: whether a tactic may contain the word `sorry`. Then it closes the goals that it stands for, and
                the outcome rests on `sorry`.

        Raises:
            NoGoalHere: also if there is a goal, but a tactic cannot be tried there. All that `goals_at` raises.
            GoalBroken: the goal mentions `sorry`, usually because of an error above it.
        """
        async with self._trial_at(path, text, position) as trial:
            seconds = timeout if timeout is not None else self._tactic_seconds
            trials = TrialBatch(
                trial, tactics, slots=self._slots, seconds=seconds, within=within, unfinished=unfinished
            )
            try:
                async for outcome in trials.outcomes():
                    yield outcome
            finally:
                await trials.end()

    @abstractmethod
    def _trial_at(
        self, path: Path, text: str | None, position: Position
    ) -> AbstractAsyncContextManager[TryTactic]:
        """What tries a tactic at a position, for a block. Raises: as `try_tactics`."""

    @abstractmethod
    async def close(self) -> None:
        """Stop Lean and all its workers. It cannot be used afterwards."""


class TrialBatch:
    """Tries tactics as they become available, and yields the outcomes as they become known.

    Args:
        trial: tries one tactic. It gets none with a `defect`; those fail.
        tactics: in the order to try. The next one is taken only when a slot is free, so the source can still
            change the order, and may be slow.
        slots: how many are tried at the same time.
        seconds: the time for each, or a function of the tactic that gives it.
        within: the time in seconds for all together, from now on; None: no limit. Tactics that are being tried
            at the end have the outcome `timeout`; those not yet begun have none.
        unfinished: whether they may contain `sorry`.
    """

    def __init__(
        self,
        trial: TryTactic,
        tactics: Sequence[str] | AsyncIterable[str],
        *,
        slots: int,
        seconds: TacticSeconds,
        within: float | None = None,
        unfinished: bool = False,
    ) -> None:
        self._trial = trial
        self._unfinished = unfinished
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
                problem = defect(without_sorry(tactic) if self._unfinished else tactic)
                if problem is None:
                    seconds = self._seconds(tactic) if callable(self._seconds) else self._seconds
                    outcome = await self._trial(tactic, seconds)
                else:
                    outcome = TacticOutcome(tactic, "fails", None, problem)
            finally:
                self._running.remove(tactic)
            self._results.put_nowait(outcome)
            # A verdict may not have needed Lean. Even then the reader of the outcomes must get a turn, so that
            # it can stop; otherwise an endless source would fill the memory.
            await asyncio.sleep(0)

    async def _next(self) -> str | None:
        async with self._taking:
            return await anext(self._tactics, None)


async def _each(tactics: Sequence[str]) -> AsyncIterator[str]:
    for tactic in tactics:
        yield tactic
