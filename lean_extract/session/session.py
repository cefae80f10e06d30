"""LeanSession: gets the goals at a position and tries tactics on them, with one Lean server per project."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

from lean_extract.common.errors import GoalBroken, LeanDied, NoGoalHere
from lean_extract.common.files.reading import read_source
from lean_extract.records import Position, ProofState, Span
from lean_extract.session.document import LeanDocument
from lean_extract.session.faults import Fault, mentions_sorry
from lean_extract.session.goal_queries import (
    GoalsFound,
    broken_goal,
    query_errors,
    query_expected,
    query_goals,
)
from lean_extract.session.live import LeanLimits, LiveLean, TryTactic
from lean_extract.session.server import LeanServer
from lean_extract.session.tactic_sites import command_start
from lean_extract.session.trials import find_site
from lean_extract.session.verdict import faults_in_file
from lean_extract.toolchains.toolchain import Toolchain

_Found = TypeVar("_Found")
_Query = Callable[[LeanServer, Path, LeanDocument, Position], Awaitable[_Found]]


class LeanSession(LiveLean):
    """A Lean language server for one project.

    It writes nothing to disk. If the server has ended, the next request restarts it. Several requests may run
    at the same time, but those about the same file, and trials, wait for each other.
    """

    def __init__(self, project: Path, toolchain: Toolchain, limits: LeanLimits) -> None:
        """Use `start` instead."""
        self._project = project.resolve()
        self._toolchain = toolchain
        self._limits = limits
        self._tactic_seconds, self._slots = limits.tactic_seconds, limits.slots
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
        """Whether it is the packaged Lean, which has no Lake."""
        return self._toolchain.kind == "packaged"

    @property
    def pid(self) -> int | None:
        """The process of the running server; None if it is not running."""
        return self._server.pid if self._server is not None and self._server.is_alive else None

    async def close(self) -> None:
        """Stop the server and all its workers."""
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
        """See `LiveLean.left`."""
        return self._server.left(self._project / path, lines) if self._server is not None else 0

    async def goals_at(self, path: Path, text: str | None, position: Position) -> ProofState:
        """See `LiveLean.goals_at`."""
        path, document = await self._opened(path, text)
        found = await self._find(path, document, position, query_goals)
        self._last_found = self._key(path, document, position), found
        return found.state

    async def expected_at(self, path: Path, text: str | None, position: Position) -> ProofState:
        """See `LiveLean.expected_at`."""
        path, document = await self._opened(path, text)
        return (await self._find(path, document, position, query_expected)).state

    async def errors_at(self, path: Path, text: str | None, position: Position, part: Span) -> list[Fault]:
        """See `LiveLean.errors_at`."""
        path, document = await self._opened(path, text)
        return await self._find(path, document, position, partial(query_errors, part=part))

    async def check(self, path: Path, text: str) -> list[Fault]:
        """See `LiveLean.check`."""
        path, document = await self._opened(path, text)
        server = await self._running()
        try:
            return faults_in_file(await server.fresh_messages(path, document.text))
        finally:
            await _close_if_dead(server)

    async def errors_above(self, path: Path, text: str | None, position: Position) -> list[Fault]:
        """See `LiveLean.errors_above`. It does not wait for Lean."""
        path, document = await self._opened(path, text)
        first, _ = document.declaration(document.offset(position))
        if self._server is None:
            return []
        line = document.position(first).line
        return self._server.errors_in(path, document.text[:first], line)

    async def prepare(self, path: Path, text: str | None, position: Position) -> None:
        """Begin to elaborate what is above the position, without waiting for it. Raises: see `LiveLean.prepare`."""
        path, document = await self._opened(path, text)
        above, line = await asyncio.to_thread(_above, document, position)
        async with self._trying:
            await (await self._running()).prepare(path, document.header, above, line)

    @asynccontextmanager
    async def _trial_at(
        self, path: Path, text: str | None, position: Position, are_steps: bool
    ) -> AsyncGenerator[TryTactic, None]:
        path, document = await self._opened(path, text)
        found = await self._found(path, document, position)
        if not found.state.goals:
            raise NoGoalHere("The proof is complete here.", "Choose a position before its end.")
        if mentions_sorry(found.state.goals[0]):
            raise await self._broken_goal(path, document, found)
        async with self._trying:
            server = await self._running()
            try:
                trial = await find_site(server, path, document, found, self._limits)
                yield trial.run_step if are_steps else trial.run
            finally:
                await _close_if_dead(server)

    async def _opened(self, path: Path, text: str | None) -> tuple[Path, LeanDocument]:
        path = self._project / path
        return path, await asyncio.to_thread(_read_document, path, text)

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
        return await self._find(path, document, position, query_goals)

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
        self, path: Path, document: LeanDocument, position: Position, query: _Query[_Found]
    ) -> _Found:
        document.offset(position)  # Report a bad position before Lean is started.
        async with self._file_locks.setdefault(path, asyncio.Lock()):
            server = await self._running()
            try:
                try:
                    return await query(server, path, document, position)
                except LeanDied as error:
                    if not server.is_alive or error.is_of_memory:
                        raise
                    # Only the file's worker ended, perhaps long ago. Reopening the file starts another.
                    await server.forget(path)
                    return await query(server, path, document, position)
            finally:
                server.release(path)
                await _close_if_dead(server)


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
