"""LeanSession: goals at a position, and tactics tried on them, in one Lean server a project."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from lean_extract.errors import GoalBroken, LeanDied, LeanTimeout, NoGoalHere
from lean_extract.files.reading import read_source
from lean_extract.records import Position, ProofState, TacticOutcome
from lean_extract.session.asking import GoalsFound, ask, ask_expected, broken_goal
from lean_extract.session.document import LeanDocument
from lean_extract.session.faults import mentions_sorry
from lean_extract.session.limits import LeanLimits
from lean_extract.session.round import Round
from lean_extract.session.server import LeanServer
from lean_extract.session.trials import find_site
from lean_extract.toolchains.toolchain import Toolchain

Asking = Callable[[LeanServer, Path, LeanDocument, Position], Awaitable[GoalsFound]]


class LeanSession:
    """A live Lean for one project.

    Nothing on disk is written. A server that has died is started anew by the next request. Requests
    may be made at the same time; those about the same file, and trials, wait for each other.
    """

    def __init__(self, project: Path, toolchain: Toolchain, limits: LeanLimits) -> None:
        """Use `start`."""
        self._project = project.resolve()
        self._toolchain = toolchain
        self._limits = limits
        self._server: LeanServer | None = None
        self._starting = asyncio.Lock()
        self._trying = asyncio.Lock()
        self._file_locks: dict[Path, asyncio.Lock] = {}
        self._is_closed = False

    @classmethod
    async def start(
        cls, project: Path, toolchain: Toolchain, limits: LeanLimits | None = None
    ) -> LeanSession:
        """Start Lean's server for a project.

        Raises:
            LeanNotFound, LeanDied, LeanTimeout: the server does not run, ends, or does not answer.
        """
        session = cls(project, toolchain, limits or LeanLimits())
        await session._running()
        return session

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def toolchain(self) -> Toolchain:
        """The Lean that runs here."""
        return self._toolchain

    @property
    def pid(self) -> int | None:
        """The server's process, while there is one that lives."""
        return self._server.pid if self._server is not None and self._server.is_alive else None

    async def close(self) -> None:
        """End the server and all its workers; the session is of no use afterwards."""
        self._is_closed = True
        server, self._server = self._server, None
        if server is not None:
            await server.close()

    def reload(self) -> None:
        """Have imports loaded anew by the next requests; to be called when modules have been rebuilt."""
        if self._server is not None:
            self._server.outdate()

    async def goals_at(self, path: Path, text: str | None, position: Position) -> ProofState:
        """The goals that Lean shows at a position: the tactic block's, else those of the term there.

        Args:
            path: the file; it need not exist if its text is given.
            text: the file's text as the user sees it; None reads the disk.
            position: counted from 0, in code points. As in the editor: at the start of a tactic the
                goals before it, farther in those it leaves. Anywhere in a `sorry`, a hole, or a tactic
                that leaves none: the goals before it. No goals at all: the proof above is complete.

        Raises:
            NoGoalHere: there is no proof at the position; the hint says why.
            BadPosition: the text has no such place. BadSource: the file cannot be read.
            ProjectBroken: the file's imports cannot be loaded.
            LeanDied, LeanTimeout: Lean ended, or took longer than `LeanLimits.request_seconds`.
        """
        path = self._project / path
        return (await self._find(path, _document(path, text), position)).state

    async def expected_at(self, path: Path, text: str | None, position: Position) -> ProofState:
        """What Lean expects of the `sorry` at a position where a term stands, as a goal.

        Raises: what `goals_at` raises; NoGoalHere also where Lean did not come to elaborate the term.
        """
        path = self._project / path
        return (await self._find(path, _document(path, text), position, ask_expected)).state

    async def prepare(self, path: Path, text: str | None) -> None:
        """Load what a file imports for the trials that will come, so that `try_tactics` finds it loaded.

        Raises: what `goals_at` raises, but for NoGoalHere and BadPosition.
        """
        header = _document(self._project / path, text).header
        async with self._trying:
            await (await self._running()).scratch(header)

    async def try_tactics(
        self,
        path: Path,
        text: str | None,
        position: Position,
        tactics: Sequence[str] | AsyncIterable[str],
        *,
        timeout: float | None = None,
        within: float | None = None,
    ) -> AsyncGenerator[TacticOutcome, None]:
        """Try tactics on the main goal at a position, each by itself; yields outcomes as they come.

        A `sorry` or hole at the position is replaced; a tactic around it is replaced, too; at the end
        of a line and on an empty one the tactic is a new step. A tactic `closes` the goal if Lean is left
        with no goal of it and has no complaint about the rest that it had not without the tactic. It is
        `unjudged` where an error above may have changed the goal, or broken what the tactic uses. Close the
        generator (`contextlib.aclosing`) when leaving it early: that ends what is still being tried.

        Args:
            path, text, position: as for `goals_at`.
            tactics: in the order to try. Of an asynchronous source the next is taken when a slot is free,
                the first ones while others are still being thought of.
            timeout: seconds for each (`LeanLimits.tactic_seconds` by default).
            within: seconds for all together, from when Lean has found the place; then what is being tried
                comes out as a timeout, and the rest not at all.

        Raises:
            NoGoalHere: also where there is a goal, but no place for a tactic. All that `goals_at` raises.
            GoalBroken: the goal mentions `sorry`, as a rule for an error above it.
        """
        path = self._project / path
        document = _document(path, text)
        found = await self._find(path, document, position)
        if not found.state.goals:
            raise NoGoalHere("The proof is complete here.", "Choose a position before its end.")
        if mentions_sorry(found.state.goals[0]):
            raise await self._broken_goal(path, document, found)
        seconds = timeout if timeout is not None else self._limits.tactic_seconds
        async with self._trying:
            server = await self._running()
            trials: Round | None = None
            try:
                trial = await find_site(server, path, document, found, self._limits)
                trials = Round(trial, tactics, slots=self._limits.slots, seconds=seconds, within=within)
                async for outcome in trials.outcomes():
                    yield outcome
            except LeanTimeout:
                server.give_up()
                raise
            finally:
                if trials is not None:
                    await trials.end()
                await _bury(server)
                if trials is None or trials.is_busy:
                    # A worker may still be busy with what nobody waits for.
                    await asyncio.shield(server.drop_scratch())

    async def _running(self) -> LeanServer:
        """The server, started if there is none that lives."""
        async with self._starting:
            if self._is_closed:
                raise LeanDied("The Lean session has been closed.", "Open another.")
            if self._server is None or not self._server.is_alive:
                old, self._server = self._server, None
                if old is not None:
                    await old.close()
                self._server = await LeanServer.start(self._project, self._toolchain, self._limits)
            return self._server

    async def _broken_goal(self, path: Path, document: LeanDocument, found: GoalsFound) -> GoalBroken:
        async with self._file_locks.setdefault(path, asyncio.Lock()):
            server = await self._running()
            try:
                # Another request may have given Lean less of the file meanwhile.
                await ask(server, path, document, found.position)
                return await broken_goal(server, path, document, found.position)
            except (LeanDied, LeanTimeout):
                await _bury(server)
                raise

    async def _find(
        self, path: Path, document: LeanDocument, position: Position, ask: Asking = ask
    ) -> GoalsFound:
        document.offset(position)  # A bad position is told before Lean is started.
        async with self._file_locks.setdefault(path, asyncio.Lock()):
            server = await self._running()
            try:
                async with asyncio.timeout(self._limits.request_seconds):
                    try:
                        return await ask(server, path, document, position)
                    except LeanDied:
                        if not server.is_alive or server.outgrew:
                            raise
                        # Only the file's worker died, perhaps long ago. Opened anew it gets another.
                        await server.forget(path)
                        return await ask(server, path, document, position)
            except LeanDied:
                await _bury(server)
                raise
            except (TimeoutError, LeanTimeout) as error:
                server.give_up()
                await _bury(server)
                raise LeanTimeout(
                    f"Lean did not get to line {position.line + 1} of {path.name}"
                    f" within {self._limits.request_seconds:g} s.",
                    "Raise the limit `lean.requestSeconds`, or split the file.",
                ) from error


def _document(path: Path, text: str | None) -> LeanDocument:
    return LeanDocument(read_source(path) if text is None else text)


async def _bury(server: LeanServer) -> None:
    """End what is left of a server that is of no use any more."""
    if not server.is_alive:
        await server.close()
