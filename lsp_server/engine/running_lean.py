"""The one Lean of a project: started when first needed, and again when its settings change."""

from __future__ import annotations

import asyncio
import logging
import shlex
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from threading import Event

from lean_extract.errors import BadSettings, LeanNotFound
from lean_extract.repl import ReplSession
from lean_extract.session import LeanLimits, LeanSession
from lean_extract.session.live import LiveLean
from lean_extract.toolchains import packaged
from lean_extract.toolchains.compile import read_sources
from lean_extract.toolchains.toolchain import Toolchain, project_oleans, resolve_lean
from lsp_server.engine.settings import LeanSettings
from lsp_server.engine.tasks import ahead, to_the_end
from prover.verify import GoalPosition

log = logging.getLogger("premise_suggest")

OpenLean = Callable[[LeanSettings], Awaitable[LiveLean]]
"""Opens a live Lean."""


class RunningLean:
    """Owns a project's live Lean: a `LeanSession`, or what else the settings name.

    Args:
        root: the project's root; None: there is no project, and no Lean will run.
        settings: which Lean, and its limits; `configure` replaces them.
        toolchain: which Lean; None: the one that fits the project (`lean_extract.toolchains.toolchain`).
        opener: opens what is asked in place of what the settings name.
    """

    def __init__(
        self,
        root: Path | None,
        settings: LeanSettings,
        toolchain: Toolchain | None = None,
        opener: OpenLean | None = None,
    ) -> None:
        self.root = root
        self._settings = settings
        self._toolchain = toolchain
        self._opener = opener
        self._session: LiveLean | None = None
        self._started_with: LeanSettings | None = None
        self._lock = asyncio.Lock()
        self._compiling = asyncio.Lock()
        self._preparing: asyncio.Task[None] | None = None
        self._stop = Event()
        """Set when compilation should stop."""
        self.version = 0
        """Where it is another one, the same question may have another answer: other settings, or what files
        import was compiled again."""

    def configure(self, settings: LeanSettings) -> None:
        """Use new settings; if they differ, the next request starts Lean again."""
        if settings != self._settings:
            self._settings = settings
            self.version += 1

    async def session(self) -> LiveLean:
        """The session, started if need be. Raises LeanNotFound, LeanDied, LeanTimeout."""
        return await to_the_end(self._started())

    async def _started(self) -> LiveLean:
        async with self._lock:
            wanted = self._settings
            if self._session is not None and self._started_with != wanted:
                await self._session.close()
                self._session = None
            if self._session is None:
                self._session = await self._start(wanted)
                self._started_with = wanted
            return self._session

    async def _start(self, wanted: LeanSettings) -> LiveLean:
        if self._opener is not None:
            return await self._opener(wanted)
        if self.root is None:
            raise LeanNotFound("Lean runs in a project, and there is none.", "Ask in a saved file.")
        if wanted.source == "repl":
            return await ReplSession.start(self.root, repl_command(wanted), limits_of(wanted))
        toolchain = self._toolchain
        if toolchain is None:
            override = wanted.command or None
            toolchain = await asyncio.to_thread(resolve_lean, self.root, override=override)
        if toolchain.kind == "packaged":
            await asyncio.to_thread(compile_project, self.root, self._stop)
        return await LeanSession.start(self.root, toolchain, limits_of(wanted))

    def prepare_ahead(self, position: GoalPosition) -> None:
        """Begin to load the imports for trials while Lean elaborates; errors are raised by the trials."""
        if self.root is not None and (self._preparing is None or self._preparing.done()):
            self._preparing = ahead(self._prepared(position))

    async def _prepared(self, position: GoalPosition) -> None:
        await (await self.session()).prepare(position.path, position.text)

    @property
    def is_running(self) -> bool:
        """Whether there is a session, whose loaded modules may be older than the files."""
        return self._session is not None

    @property
    def lean_version(self) -> str:
        """The version of the running Lean; empty if none runs."""
        return self._session.lean_version if self._session is not None else ""

    @property
    def compiles(self) -> bool:
        """Whether the running Lean needs us to compile the project; with Lake, Lake does that."""
        return self._session is not None and self._session.needs_compiling

    async def compile(self) -> None:
        """Compile a saved file, if Lake does not do that.

        Where others import it, Lean is ended, so that the next request loads it again.
        """
        if self.root is None or not self.compiles:
            return
        async with self._compiling:
            compiled = await asyncio.to_thread(compile_project, self.root, self._stop)
        if await asyncio.to_thread(_is_imported, self.root, compiled):
            await self.end()
            self.version += 1

    async def end(self) -> None:
        """End Lean; the next request starts it again."""
        if self._preparing is not None:  # it would wait for an answer of the Lean that is ending
            self._preparing.cancel()
        async with self._lock:
            if self._session is not None:
                session, self._session = self._session, None
                await session.close()

    async def close(self) -> None:
        """End Lean, and stop compiling for it."""
        self._stop.set()
        await self.end()
        async with self._compiling:  # when the lock is free, the thread has ended
            self._stop = Event()


def _is_imported(root: Path, compiled: tuple[str, ...]) -> bool:
    """Whether any file of a project imports one of these modules."""
    if not compiled:
        return False
    found = frozenset(compiled)
    return any(not found.isdisjoint(source.imports) for source in read_sources(root).values())


def compile_project(root: Path, stop: Event) -> tuple[str, ...]:
    """Compile a project for the packaged Lean, which has no Lake; returns the modules that had changed.

    A file that Lean rejects is left out: Lean itself reports that to whoever imports it, or they have what
    was compiled of it when Lean last accepted it. Raises CompilationStopped once `stop` is set.
    """
    return packaged.build_library(
        root,
        project_oleans(root),
        packaged.prepare(stop=stop),
        rejected=lambda error: log.info("%s", error),
        stop=stop,
    )


def repl_command(settings: LeanSettings) -> list[str]:
    """The REPL's command line. Raises BadSettings: there is none, or it cannot be split."""
    try:
        words = shlex.split(settings.repl_command)
    except ValueError as error:
        raise BadSettings(
            f"`lean.replCommand` cannot be split into words: {error}.", "Close its quotation marks."
        ) from error
    if not words:
        raise BadSettings(
            "`lean.source` is repl, but `lean.replCommand` is empty.",
            "Set it to the command that runs the REPL, such as `lake env /path/to/repl`.",
        )
    return words


def limits_of(settings: LeanSettings) -> LeanLimits:
    """A session's limits from the settings."""
    limits = LeanLimits(
        start_seconds=settings.start_seconds,
        request_seconds=settings.request_seconds,
        tactic_seconds=settings.tactic_seconds,
        slots=settings.slots,
    )
    return replace(limits, memory_mb=settings.memory_mb) if settings.memory_mb else limits
