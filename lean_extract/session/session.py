"""LeanSession: gets the goals at a position and tries tactics on them, with one Lean server per project."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Hashable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from lean_extract.common.errors import GoalBroken, LeanDied, NoGoalHere
from lean_extract.common.files.reading import read_source
from lean_extract.records import Position, ProofState, TacticOutcome
from lean_extract.session.document import LeanDocument
from lean_extract.session.faults import Fault, mentions_sorry
from lean_extract.session.goal_queries import GoalsFound, broken_goal, query_expected, query_goals
from lean_extract.session.live import LeanLimits, TacticSeconds, TrialBatch
from lean_extract.session.server import LeanServer
from lean_extract.session.tactic_sites import command_start
from lean_extract.session.trials import find_site
from lean_extract.toolchains.toolchain import Toolchain

GoalQuery = Callable[[LeanServer, Path, LeanDocument, Position], Awaitable[GoalsFound]]


class LeanSession:
    """A live Lean for one project.

    It writes nothing to disk. If the server has ended, the next request restarts it. Several requests may run
    at the same time, but those about the same file, and trials, wait for each other.
    """

    def __init__(self, project: Path, toolchain: Toolchain, limits: LeanLimits) -> None:
        """Use `start` instead."""
        self._project = project.resolve()
        self._toolchain = toolchain
        self._limits = limits
        self._server: LeanServer | None = None
        self._starting = asyncio.Lock()
        self._trying = asyncio.Lock()
        self._file_locks: dict[Path, asyncio.Lock] = {}
        self._last_found: tuple[Hashable, GoalsFound] | None = None
        self._is_closed = False

    @classmethod
    async def start(
        cls, project: Path, toolchain: Toolchain, limits: LeanLimits | None = None
    ) -> LeanSession:
        """Start Lean's server for a project.

        Raises:
            LeanNotFound, LeanDied, LeanTimeout: the server cannot be run, exits, or does not respond.
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
        """The Lean in use."""
        return self._toolchain

    @property
    def lean_version(self) -> str:
        """The version of the Lean in use."""
        return self._toolchain.version

    @property
    def needs_compiling(self) -> bool:
        """Whether the Lean in use has no Lake, so that we compile what files import."""
        return self._toolchain.kind == "packaged"

    @property
    def pid(self) -> int | None:
        """The process of the running server; None if it is not running."""
        return self._server.pid if self._server is not None and self._server.is_alive else None

    async def close(self) -> None:
        """Stop the server and all its workers. The session cannot be used afterwards."""
        self._is_closed = True
        server, self._server = self._server, None
        if server is not None:
            await server.close()

    def reload(self) -> None:
        """Make the next requests reload imports. Call this after modules have been rebuilt."""
        self._last_found = None
        if self._server is not None:
            self._server.outdate()

    def left(self, path: Path, lines: int) -> int:
        """How many of the first lines of a file, or of its copies, Lean has still to elaborate."""
        return self._server.left(self._project / path, lines) if self._server is not None else 0

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
        path = self._project / path
        document = await _document(path, text)
        found = await self._find(path, document, position)
        self._last_found = self._key(path, document, position), found
        return found.state

    async def expected_at(self, path: Path, text: str | None, position: Position) -> ProofState:
        """The goal of the `sorry` at the position of a term: what Lean expects there.

        Raises: as `goals_at`; NoGoalHere also if Lean did not get to elaborate the term.
        """
        path = self._project / path
        return (await self._find(path, await _document(path, text), position, query_expected)).state

    async def errors_above(self, path: Path, text: str | None, position: Position) -> list[Fault]:
        """Lean's errors in the declarations above that of a position, but for those of the compiler alone.

        Only what Lean has reported so far counts: it is read after the goal there is known, without waiting.

        Raises BadPosition, BadSource.
        """
        path = self._project / path
        document = await _document(path, text)
        first, _ = document.declaration(document.offset(position))
        if self._server is None:
            return []
        line = document.position(first).line
        return self._server.errors_in(path, document.text[:first], line)

    async def prepare(self, path: Path, text: str | None, position: Position) -> None:
        """Begin to elaborate what is above a position for `try_tactics`, without waiting for it.

        Raises: as `goals_at`, except NoGoalHere.
        """
        path = self._project / path
        document = await _document(path, text)
        above, line = await asyncio.to_thread(_above, document, position)
        async with self._trying:
            await (await self._running()).prepare(path, document.header, above, line)

    async def try_tactics(
        self,
        path: Path,
        text: str | None,
        position: Position,
        tactics: Sequence[str] | AsyncIterable[str],
        *,
        timeout: TacticSeconds | None = None,
        within: float | None = None,
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

        Raises:
            NoGoalHere: also if there is a goal, but a tactic cannot be tried there. All that `goals_at` raises.
            GoalBroken: the goal mentions `sorry`, usually because of an error above it.
        """
        path = self._project / path
        document = await _document(path, text)
        found = await self._found(path, document, position)
        if not found.state.goals:
            raise NoGoalHere("The proof is complete here.", "Choose a position before its end.")
        if mentions_sorry(found.state.goals[0]):
            raise await self._broken_goal(path, document, found)
        seconds = timeout if timeout is not None else self._limits.tactic_seconds
        async with self._trying:
            server = await self._running()
            trials: TrialBatch | None = None
            try:
                trial = await find_site(server, path, document, found, self._limits)
                trials = TrialBatch(trial, tactics, slots=self._limits.slots, seconds=seconds, within=within)
                async for outcome in trials.outcomes():
                    yield outcome
            finally:
                if trials is not None:
                    await trials.end()
                await _close_if_dead(server)

    async def _running(self) -> LeanServer:
        """The running server, which is started if needed."""
        async with self._starting:
            if self._is_closed:
                raise LeanDied("The Lean session has been closed.", "Open another.")
            if self._server is None or not self._server.is_alive:
                old, self._server = self._server, None
                if old is not None:
                    await old.close()
                self._server = await LeanServer.start(self._project, self._toolchain, self._limits)
            return self._server

    async def _found(self, path: Path, document: LeanDocument, position: Position) -> GoalsFound:
        """The last result if the request is the same; otherwise as `_find`."""
        last = self._last_found
        if last is not None and last[0] == self._key(path, document, position):
            return last[1]
        return await self._find(path, document, position)

    def _key(self, path: Path, document: LeanDocument, position: Position) -> Hashable:
        return self.pid, path, hash(document.text), position

    async def _broken_goal(self, path: Path, document: LeanDocument, found: GoalsFound) -> GoalBroken:
        async with self._file_locks.setdefault(path, asyncio.Lock()):
            server = await self._running()
            try:
                # In the meantime, another request may have given Lean a shorter part of the file.
                await query_goals(server, path, document, found.position)
                return await broken_goal(server, path, document, found.position)
            finally:
                server.release(path)
                await _close_if_dead(server)

    async def _find(
        self, path: Path, document: LeanDocument, position: Position, query: GoalQuery = query_goals
    ) -> GoalsFound:
        document.offset(position)  # Report a bad position before Lean is started.
        async with self._file_locks.setdefault(path, asyncio.Lock()):
            server = await self._running()
            try:
                try:
                    return await query(server, path, document, position)
                except LeanDied:
                    if not server.is_alive or server.outgrew:
                        raise
                    # Only the file's worker ended, perhaps long ago. Reopening the file starts another.
                    await server.forget(path)
                    return await query(server, path, document, position)
            finally:
                server.release(path)
                await _close_if_dead(server)


async def _document(path: Path, text: str | None) -> LeanDocument:
    return await asyncio.to_thread(_read_document, path, text)


def _read_document(path: Path, text: str | None) -> LeanDocument:
    """The document, with its header, which takes time in a large one."""
    document = LeanDocument(read_source(path) if text is None else text)
    document.header  # noqa: B018
    return document


def _above(document: LeanDocument, position: Position) -> tuple[str, int]:
    """The lines above the command of the declaration at a position, and how many they are."""
    first, _ = document.declaration(document.offset(position))
    line = document.position(command_start(document.text, first)).line
    return document.text[: document.offset(Position(line, 0))], line


async def _close_if_dead(server: LeanServer) -> None:
    """Clean up a server that has ended."""
    if not server.is_alive:
        await server.close()
