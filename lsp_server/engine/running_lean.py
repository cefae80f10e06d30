"""The one Lean of a project: started when first needed, and again when its settings or what files import change."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import TypeVar

from lean_extract.common.errors import (
    BadSettings,
    ErrorPlace,
    LeanError,
    LeanNotFound,
    ProjectBroken,
    UserError,
)
from lean_extract.common.files.reading import read_regular
from lean_extract.limits import MAX_SOURCE_BYTES
from lean_extract.session import LeanLimits, LeanSession
from lean_extract.session.document import LeanDocument
from lean_extract.session.imports import ImportedSource, changed_since_built, compiled_files, imported_sources
from lean_extract.session.live import LiveLean
from lean_extract.toolchains import packaged
from lean_extract.toolchains.compile import Rejected, read_sources
from lean_extract.toolchains.elan import split_command
from lean_extract.toolchains.toolchain import Toolchain, project_oleans, resolve_lean
from lsp_server.engine.current_files import size_and_time
from lsp_server.engine.schema import Suggestion, TrialsAnswer
from lsp_server.engine.settings import LeanSettings
from lsp_server.engine.tasks import LeanProgress, start_task, to_the_end
from lsp_server.limits import CACHED_FILES, QUOTED_CHARACTERS
from prover.verify import GoalPosition


@dataclass(frozen=True, slots=True)
class _Import:
    """A module that a document imports: its file and its compiled forms, as they were, there or not."""

    module: str
    path: Path
    stamp: tuple[int, int]
    digest: bytes
    compiled: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _ImportChanges:
    """What has changed of a document's imports since they were loaded.

    `is_new`: they are not known yet. `sources`: files whose content has changed. `is_rebuilt`: Lake has compiled one
    again, or it is not known where it keeps the result.
    """

    is_new: bool = False
    sources: tuple[Path, ...] = ()
    is_rebuilt: bool = False


class _LoadedImports:
    """The imports of documents that are files of their project. Documents with the same header share them.

    Safe to use from several threads.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[str, tuple[_Import, ...]] = {}

    def changes(self, text: str) -> _ImportChanges:
        """What has changed since `record`; costs a look at each file, and a read of those that were written."""
        imports = self._known.get(LeanDocument(text).header)
        if imports is None:
            return _ImportChanges(is_new=True)
        changed = [one for one in imports if size_and_time(one.path) != one.stamp and _has_changed(one)]
        is_unknown = any(all(size < 0 for size, _ in one.compiled) for one in changed)
        is_rebuilt = is_unknown or any(one.compiled != _stamps(self._root, one.module) for one in imports)
        return _ImportChanges(False, tuple(one.path for one in changed), is_rebuilt)

    def record(self, text: str) -> None:
        """Note a document's imports as they are now, just before Lean loads them."""
        imports = tuple(self._import(one) for one in imported_sources(text, self._root))
        while len(self._known) >= CACHED_FILES:
            self._known.pop(next(iter(self._known)))
        self._known[LeanDocument(text).header] = imports

    def modules(self, text: str) -> frozenset[str]:
        """The modules that a document imports, directly or not; empty if nothing is known of it."""
        return frozenset(one.module for one in self._known.get(LeanDocument(text).header, ()))

    def _import(self, source: ImportedSource) -> _Import:
        return _Import(
            source.module,
            source.path,
            size_and_time(source.path),
            _digest(source.content),
            _stamps(self._root, source.module),
        )


def _stamps(root: Path, module: str) -> tuple[tuple[int, int], ...]:
    return tuple(map(size_and_time, compiled_files(root, module)))


def _has_changed(one: _Import) -> bool:
    """Whether a file's content has changed, or whether it was created or deleted."""
    try:
        return _digest(read_regular(one.path, MAX_SOURCE_BYTES)) != one.digest
    except OSError:
        return one.digest != _digest(None)


def _digest(content: bytes | None) -> bytes:
    return b"" if content is None else hashlib.blake2b(content, digest_size=16).digest()


_OF_THAT_BUILD = "Goals and verdicts are those of that build."
_MOST_WARNINGS = 3

OpenLean = Callable[[LeanSettings], Awaitable[LiveLean]]
"""Opens a live Lean."""


class RunningLean:
    """Owns a project's live Lean: a `LeanSession`, or what else the settings name.

    Args:
        root: the project's root; None: there is no project, and no Lean will run.
        settings: which Lean, and its limits; `configure` replaces them.
        toolchain: which Lean; None: the one that fits the project (`lean_extract.toolchains.toolchain`).
        opener: opens the live Lean, in place of what the settings name.
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
        self._imports = _LoadedImports(root) if root is not None else None
        self._rejected: tuple[LeanError, ...] = ()
        """What kept modules from being compiled when that was last tried."""
        self._outdated: dict[Path, tuple[Path, ...]] = {}
        """By document, the imports that have changed since Lake last built them, as of the last request."""
        self.note = ""
        """Which Lean gives the verdicts, for people; empty if it is the one that the project needs."""
        self.note_on_unknown = ""
        """The same where a name is unknown; also for the packaged Lean, if the project needs none in particular."""
        self._stop = Event()
        """Set when compilation should stop."""
        self.version = 0
        """When it changes, the same request may have another answer: the settings changed, or imports were
        compiled again."""

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
        self.note, self.note_on_unknown = "", ""
        if self._opener is not None:
            return await self._opener(wanted)
        if self.root is None:
            raise LeanNotFound("Lean runs in a project, and there is none.", "Ask in a saved file.")
        if wanted.source == "repl":
            from lean_extract.repl import ReplSession

            return await ReplSession.start(self.root, _repl_command(wanted), _limits_of(wanted))
        toolchain = self._toolchain
        if toolchain is None:
            override = wanted.command or None
            toolchain = await asyncio.to_thread(resolve_lean, self.root, override=override)
        self.note, self.note_on_unknown = toolchain.note, toolchain.note_on_unknown
        if toolchain.kind == "packaged":
            await asyncio.to_thread(self._compiled, self.root)
        return await LeanSession.start(self.root, toolchain, _limits_of(wanted))

    @property
    def has_headers(self) -> bool:
        """Whether the running Lean reads files with their headers, so that another import can be tried."""
        return isinstance(self._session, LeanSession)

    async def another(self, wanted: LeanSettings) -> LiveLean:
        """Start the same Lean once more. Raises as `session`; LeanNotFound: it is not a language server's."""
        session = await self.session()
        if self.root is None or not isinstance(session, LeanSession):
            raise LeanNotFound(
                "This Lean does not load the imports of files.", "Set `lean.source` to `server`."
            )
        return await LeanSession.start(self.root, session.toolchain, _limits_of(wanted))

    def progress(self, position: GoalPosition) -> LeanProgress | None:
        """How far Lean is on its way to a position; None: it is there, or that is not known."""
        lines = position.position.line + 1
        left = self._session.left(position.path, lines) if self._session is not None else 0
        return LeanProgress(lines - left, lines) if left else None

    def prepare_ahead(self, position: GoalPosition) -> None:
        """Begin with the text above for trials while Lean finds the goal; errors are raised by the trials."""
        if self.root is not None and (self._preparing is None or self._preparing.done()):
            self._preparing = start_task(self._prepared(position))

    async def _prepared(self, position: GoalPosition) -> None:
        await (await self.session()).prepare(position.path, position.text, position.position)

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

    @property
    def rejected(self) -> tuple[LeanError, ...]:
        """What kept modules of the project from being compiled when we last tried."""
        return self._rejected

    async def compile(self) -> None:
        """Compile a saved file, if Lake does not do that.

        If others import it, the next request has Lean load it again.
        """
        if self.root is None or not self.compiles:
            return
        async with self._compiling:
            compiled = await asyncio.to_thread(self._compiled, self.root)
        if await asyncio.to_thread(_is_imported, self.root, compiled):
            await self.reload()

    def _compiled(self, root: Path) -> tuple[str, ...]:
        """Compile the project; returns the modules that had changed. Raises CompilationStopped."""
        rejected: list[LeanError] = []
        compiled = _compile_project(root, self._stop, rejected.append)
        self._rejected = tuple(rejected)
        return compiled

    async def refresh(self, position: GoalPosition) -> None:
        """Before a request to Lean: have it load the document's imports again, if they have changed.

        Without Lake, it is compiled. With Lake, it is loaded again once Lake has built it; until then Lean keeps
        its version, and `warnings_at` says so.
        """
        if self._imports is None or position.text is None or self._opener is not None:
            return
        found = await asyncio.to_thread(self._imports.changes, position.text)
        waits_for_lake = self.is_running and not self.compiles and not (found.is_new or found.is_rebuilt)
        self._outdated.pop(position.path, None)
        if waits_for_lake and found.sources:
            self._outdated[position.path] = found.sources
        if waits_for_lake or found == _ImportChanges():
            return
        await asyncio.to_thread(self._imports.record, position.text)
        if self.compiles:
            await self.compile()
        elif found.is_rebuilt and self.is_running:
            await self.reload()

    async def reload(self) -> None:
        """Have Lean load all imports again."""
        self.version += 1
        if isinstance(self._session, LeanSession):
            self._session.reload()
        else:
            await self.end()

    def warnings_at(self, position: GoalPosition) -> list[str]:
        """Sentences on imports whose files have changed, so that Lean uses their last good build."""
        if self._imports is None or position.text is None:
            return []
        if not self.compiles:
            return [_old_build(path) for path in self._outdated.get(position.path, ())[:_MOST_WARNINGS]]
        modules = self._imports.modules(position.text) if self._rejected else frozenset()
        found = [error for error in self._rejected if not modules.isdisjoint(error.modules)]
        return [_rejection(error) for error in found[:_MOST_WARNINGS]]

    def rejection(self, module: str) -> str:
        """Why a module does not compile, in a short sentence; empty where that is not known, or Lake compiles it."""
        error = next((one for one in self._rejected if module in one.modules), None)
        place = error.place if isinstance(error, ProjectBroken) else None
        if error is None or place is None:
            return str(error or "")
        return f"{place.path.name} has an error (line {place.line})."

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


def _compile_project(root: Path, stop: Event, rejected: Rejected) -> tuple[str, ...]:
    """Compile a project for the packaged Lean, which has no Lake; returns the modules that had changed.

    A file that Lean rejects is left out, and `rejected` is called: Lean itself reports that to its importers, or they
    use what was compiled when Lean last accepted it. Raises CompilationStopped once `stop` is set.
    """
    return packaged.build_library(
        root, project_oleans(root), packaged.prepare(stop=stop), rejected=rejected, stop=stop
    )


def _rejection(error: LeanError) -> str:
    """The warning that an import does not compile, so that its last good build is used."""
    place = error.place if isinstance(error, ProjectBroken) else None
    if place is None:
        return (
            f"{error.message.rstrip('.')}. Goals and verdicts are those of the last good build. {error.hint}"
        )
    return (
        f"{place.path.name} has an error since it was last built ({_quoted(place)}). {_OF_THAT_BUILD}"
        f" Fix {place.path.name} and save it."
    )


def _quoted(place: ErrorPlace) -> str:
    """`line 8: MESSAGE`, in one line."""
    message = " ".join(place.message.split())
    message = message if len(message) <= QUOTED_CHARACTERS else f"{message[: QUOTED_CHARACTERS - 1]}…"
    return f"line {place.line}: {message.rstrip('.')}"


def _old_build(path: Path) -> str:
    """The warning that Lake has not built a changed import again, so that its last build is used."""
    return f"{changed_since_built(path)}. {_OF_THAT_BUILD} Build the project with `lake build`."


def _repl_command(settings: LeanSettings) -> list[str]:
    """The REPL's command line. Raises BadSettings: it is missing, or cannot be split."""
    try:
        words = split_command(settings.repl_command)
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


def _limits_of(settings: LeanSettings) -> LeanLimits:
    """A session's limits from the settings."""
    limits = LeanLimits(
        start_seconds=settings.start_seconds,
        request_seconds=settings.request_seconds,
        tactic_seconds=settings.tactic_seconds,
        slots=settings.slots,
    )
    return replace(limits, memory_mb=settings.memory_mb) if settings.memory_mb else limits


_Answer = TypeVar("_Answer", Suggestion, TrialsAnswer)
UNKNOWN = "nknown "
"""Unknown identifier, unknown constant, Unknown module prefix: something that Lean does not find."""


def with_remarks(
    answer: _Answer, lean: RunningLean, position: GoalPosition, *, is_lacking: bool = False
) -> _Answer:
    """The answer with remarks on its goal and verdicts; `is_lacking`: they name what this Lean has not."""
    note: str = lean.note_on_unknown if is_lacking else lean.note
    warnings = [*lean.warnings_at(position), *answer.warnings]
    return replace(answer, warnings=warnings, notes=[*([note] if note else []), *answer.notes])


@asynccontextmanager
async def refreshed_lean(lean: RunningLean, position: GoalPosition) -> AsyncIterator[None]:
    """Have Lean load what has changed before it is used.

    If a name or an import is missing, and this is not the Lean that the project needs, or has only the mini core, the
    error's hint says so.
    """
    await lean.refresh(position)
    try:
        yield
    except (LeanError, UserError) as error:
        is_broken = isinstance(error, ProjectBroken)
        note = lean.note_on_unknown if UNKNOWN in str(error) else lean.note if is_broken else ""
        error.hint = f"{error.hint} {note}".strip()
        raise
