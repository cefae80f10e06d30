"""A theorem in LeanDojo's `Dojo` (the extra `premise-suggest[dojo]`): for a search, and as a live Lean."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from lean_extract.common.errors import BadState, GoalBroken, LeanDied, LeanError, NoGoalHere, UserError
from lean_extract.goals import parse_state
from lean_extract.records import Goal, Position, ProofState, TacticOutcome
from lean_extract.session.faults import mentions_sorry
from lean_extract.session.live import LiveLean, TryTactic
from lean_extract.session.verdict import GAVE_UP, same_goal
from lean_extract.traced.lean_dojo import LeanDojo
from prover.limits import DOJO_START_SECONDS
from prover.search.environment import TacticPath

_T = TypeVar("_T")


class DojoEnvironment:
    """A theorem of a traced repository.

    LeanDojo runs one tactic after the other. If a tactic takes too long or Lean dies, its state objects are lost.
    LeanDojo is then started again, and the tactics that lead to a state are run again when that state is needed.
    """

    def __init__(
        self,
        library: LeanDojo,
        theorem: Any,
        *,
        start_seconds: float = DOJO_START_SECONDS,
        deaths: int = 4,
        build_deps: bool = False,
    ) -> None:
        """Set up the theorem; Lean starts later.

        Args:
            theorem: a `lean_dojo.Theorem`.
            start_seconds: how long Lean may take to reach the theorem, once its repository is traced.
            deaths: how often Lean may die before the theorem is given up.
            build_deps: whether to trace the repository's dependencies, too.
        """
        self._library = library
        self._theorem = theorem
        self._start_seconds = start_seconds
        self._deaths_left = deaths
        self._build_deps = build_deps
        self._thread = ThreadPoolExecutor(1, "lean-dojo")
        self._dojo: Any = None
        self._states: dict[TacticPath, Any] = {}
        self._is_closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End LeanDojo's Lean."""
        self._is_closed = True
        self._end()
        self._thread.shutdown(wait=False)

    async def start(self) -> ProofState:
        """The theorem's goals. Traces the repository first if that was not done before.

        Raises:
            LeanError: LeanDojo cannot open the theorem; the error includes LeanDojo's message.
        """
        await self._in_thread(self._open)
        return _state(self._states[()])

    async def run(
        self, path: TacticPath, tactics: Sequence[str], *, timeout: float
    ) -> AsyncGenerator[TacticOutcome, None]:
        """See `ProofEnvironment.run`.

        Raises:
            LeanDied: Lean died more often than `deaths` allows. LeanError: it cannot be started again.
        """
        for tactic in tactics:
            yield await self._in_thread(partial(self._try, path, tactic, timeout))

    def _try(self, path: TacticPath, tactic: str, seconds: float) -> TacticOutcome:
        package = self._library.package
        begin = time.monotonic()
        try:
            result = self._run(self._find(path), tactic, seconds)
        except package.DojoTacticTimeoutError:
            self._end()
            message = f"Lean did not finish within {seconds:g} s"
            return TacticOutcome(tactic, "timeout", None, message, _since(begin))
        except (package.DojoCrashError, OSError, AssertionError) as error:
            # LeanDojo asserts that it can parse a state, and that Lean has exited by itself.
            if isinstance(error, AssertionError) and self._is_alive():
                message = "LeanDojo cannot read the resulting state"
                return TacticOutcome(tactic, "fails", None, message, _since(begin))
            self._end()
            self._deaths_left -= 1
            if self._deaths_left < 0:
                raise LeanDied(f"LeanDojo's Lean died again: {error!r}.", "Give it more memory.") from error
            return TacticOutcome(tactic, "fails", None, f"Lean died: {error!r}", _since(begin))
        return self._outcome(path, tactic, result, _since(begin))

    def _is_alive(self) -> bool:
        return self._dojo is not None and bool(self._dojo.proc.isalive())

    def _outcome(self, path: TacticPath, tactic: str, result: Any, milliseconds: float) -> TacticOutcome:
        package = self._library.package
        if isinstance(result, package.ProofFinished):
            return TacticOutcome(tactic, "closes", ProofState(()), "", milliseconds)
        if isinstance(result, package.TacticState):
            self._states[(*path, tactic)] = result
            return TacticOutcome(tactic, "progress", _state(result), "", milliseconds)
        if isinstance(result, package.ProofGivenUp):
            return TacticOutcome(tactic, "fails", None, GAVE_UP, milliseconds)
        return TacticOutcome(tactic, "fails", None, str(result.error), milliseconds)

    def _find(self, path: TacticPath) -> Any:
        """LeanDojo's state after these tactics, which are run first if the current Lean has not run them."""
        if self._dojo is None:
            self._open()
        if path not in self._states:
            before = self._find(path[:-1])
            again = self._run(before, path[-1], self._start_seconds)
            if not isinstance(again, self._library.package.TacticState):
                raise LeanError(f"`{path[-1]}` no longer gives the same result.", "Search again.")
            self._states[path] = again
        return self._states[path]

    def _run(self, state: Any, tactic: str, seconds: float) -> Any:
        # Dojo uses one limit for its start and for tactics; it is stored in the terminal object.
        self._dojo.proc.timeout = seconds
        return self._dojo.run_tac(state, tactic)

    def _open(self) -> None:
        package = self._library.package
        dojo = package.Dojo(
            self._theorem, timeout=math.ceil(self._start_seconds), build_deps=self._build_deps
        )
        try:
            with self._library.starting:
                _, state = dojo.__enter__()
        except Exception as error:
            _leave(dojo)
            raise LeanError(
                f"LeanDojo cannot open {getattr(self._theorem, 'full_name', self._theorem)}: {error!r}.",
                "It needs `lake` on PATH and a repository that builds.",
            ) from error
        if self._is_closed:  # The search was cancelled meanwhile.
            _leave(dojo)
            raise LeanError("The search was cancelled while LeanDojo started.")
        self._dojo, self._states = dojo, {(): state}

    def _end(self) -> None:
        """End Lean; the next tactic starts a new one."""
        dojo, self._dojo, self._states = self._dojo, None, {}
        if dojo is not None:
            _leave(dojo)

    async def _in_thread(self, call: Callable[[], _T]) -> _T:
        """Run the call in the thread. Cancellation ends Lean, and thereby the call that waits for it."""
        doing = asyncio.get_running_loop().run_in_executor(self._thread, call)
        try:
            return await asyncio.shield(doing)
        except asyncio.CancelledError:
            if self._dojo is not None:
                self._end()
                await asyncio.wait([doing])
            doing.add_done_callback(lambda done: done.cancelled() or done.exception())
            raise


class TheoremLean(LiveLean):
    """One theorem, after some tactics: LeanDojo's `Dojo` in place of Lean's server.

    Whatever the position, the goal is the theorem's, after the tactics that were given.
    """

    def __init__(
        self, environment: DojoEnvironment, path: TacticPath, state: ProofState, tactic_seconds: float
    ) -> None:
        """Use `open` instead."""
        self._environment = environment
        self._path = path
        self._state = state
        self._tactic_seconds = tactic_seconds

    @classmethod
    async def open(
        cls, environment: DojoEnvironment, after: Sequence[str], tactic_seconds: float
    ) -> TheoremLean:
        """Open the theorem and run tactics, one after the other.

        Raises UserError: a tactic fails; and what the environment raises.
        """
        path: TacticPath = ()
        try:
            state = await environment.start()
            for number, tactic in enumerate(after, start=1):
                outcome = await _run(environment, path, tactic, tactic_seconds)
                if outcome.state is None:
                    problem = f"Tactic {number} of --after, `{tactic}`, fails: {outcome.message}"
                    raise UserError(problem, "Give tactics that Lean accepts one after the other.")
                path, state = (*path, tactic), outcome.state
        except BaseException:
            await environment.close()
            raise
        return cls(environment, path, state, tactic_seconds)

    async def goals_at(self, path: Path, text: str | None, position: Position) -> ProofState:
        """The theorem's goals, whatever the position."""
        return self._state

    async def prepare(self, path: Path, text: str | None, position: Position) -> None:
        """Nothing: the theorem is open."""

    @asynccontextmanager
    async def _trial_at(
        self, path: Path, text: str | None, position: Position, are_steps: bool
    ) -> AsyncGenerator[TryTactic, None]:
        goals = self._state.goals
        if not goals:
            raise NoGoalHere("The proof is complete here.", "Give fewer tactics to --after.")
        if mentions_sorry(goals[0]):
            raise GoalBroken("The goal mentions `sorry`.", "Fix what is above the theorem first.")
        yield self._tried

    async def _tried(self, tactic: str, seconds: float) -> TacticOutcome:
        outcome = await _run(self._environment, self._path, tactic, seconds)
        if outcome.state is not None and outcome.state.goals and _same(outcome.state, self._state):
            return replace(outcome, status="fails", state=None, message="changes nothing")
        return outcome

    async def close(self) -> None:
        """End the environment."""
        await self._environment.close()


def _same(one: ProofState, other: ProofState) -> bool:
    return len(one.goals) == len(other.goals) and all(map(same_goal, one.goals, other.goals))


async def _run(environment: DojoEnvironment, path: TacticPath, tactic: str, seconds: float) -> TacticOutcome:
    async with aclosing(environment.run(path, [tactic], timeout=seconds)) as outcomes:
        return await anext(outcomes)


def _leave(dojo: Any) -> None:
    """Have a Dojo end its Lean and remove its file. If it never started, it may have neither."""
    with contextlib.suppress(AttributeError):
        dojo.__exit__(None, None, None)


def _state(state: Any) -> ProofState:
    try:
        return parse_state(state.pp)
    except BadState:
        # A goal that is printed in an unknown form still counts as a goal.
        return ProofState((Goal((), state.pp.strip()),))


def _since(begin: float) -> float:
    return (time.monotonic() - begin) * 1000
