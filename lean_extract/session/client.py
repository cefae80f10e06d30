"""leanclient with what it lacks: the only module that uses its private members."""

from __future__ import annotations

import asyncio
import contextlib
import math
import re
import time
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from leanclient.aio import (
    AsyncLeanLSPClient,
    DocState,
    LeanClientError,
    LeanRequestTimeout,
    LeanTransportError,
    LeanWorkerCrashed,
)

from lean_extract.limits import LEAN_END_SECONDS, LEAN_WATCH_SECONDS
from lean_extract.records import Span
from lean_extract.session.watching import file_changes

_T = TypeVar("_T")
_COPY = "\0"
"""Separates the path of a file from the number of a copy of it; no path contains it."""
_CHARACTERS = re.compile(r"%[0-9A-Fa-f]{2}|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Progress:
    """What Lean still has to elaborate of a document.

    `number` counts Lean's reports on the document; `processing` is the last one, which is read only when needed:
    there is one for each theorem, with a range for each of the others.
    """

    version: int | None
    number: int
    processing: Sequence[Mapping[str, Any]] = field(compare=False)

    @property
    def pending(self) -> list[tuple[int, int]]:
        """Ranges of lines, from 0, the last one included. The proofs of theorems are done in any order."""
        ranges = [one["range"] for one in self.processing]
        return [(one["start"]["line"], one["end"]["line"]) for one in ranges]

    @property
    def line(self) -> int | None:
        """The first line that is not elaborated; None: all is."""
        return min((first for first, _ in self.pending), default=None)

    def is_past(self, first: int, last: int) -> bool:
        """Whether the lines from `first` to `last` are elaborated."""
        return not any(begin <= last and first <= end for begin, end in self.pending)

    def left(self, lines: int) -> int:
        """How many of the first `lines` are not elaborated."""
        spans = ((first, min(last + 1, lines)) for first, last in self.pending)
        return len({line for first, end in spans for line in range(first, end)})


class LeanIsSilent(LeanClientError):
    """Lean's progress in a document has not moved within the time limit.

    `progress` is its last report; None: no report on the present text.
    """

    def __init__(self, path: str, progress: Progress | None) -> None:
        super().__init__(f"Lean's progress in {path} does not move.")
        self.path = path
        self.progress = progress


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for a response, in seconds.

    `silence`: without any progress of Lean in the document. `own`: from the moment when all lines above `line` are
    elaborated.
    """

    silence: float
    own: float = math.inf
    line: int = 0


class LeanClient(AsyncLeanLSPClient):
    """leanclient without limits on the time of a request: `wait_for` has them.

    It watches less than all files, never has Lake build anything, and opens copies of a file as documents of the same
    module.
    """

    def __init__(self, project: Path, command: list[str], start_seconds: float, open_files: int) -> None:
        super().__init__(
            str(project),
            max_workers=open_files,
            request_timeout=math.inf,
            check_version=False,
            server_command=command,
        )
        self._progress: dict[str, Progress] = {}
        self._reported = asyncio.Event()
        """Set when Lean has reported something of a document; then another takes its place."""
        request, notify, die = self._transport.request, self._transport.notify, self._transport._die

        async def bounded(method: str, params: dict[str, Any], timeout: float | None = None) -> object:
            return await request(method, params, start_seconds if method == "initialize" else timeout)

        async def whole(method: str, params: dict[str, Any]) -> None:
            # Lean must have what `_docs` records, even if the caller is cancelled.
            await asyncio.shield(notify(method, params))

        def died(exc: LeanTransportError) -> None:
            responses = [*self._transport._futures.values()]
            die(exc)
            for response in responses:  # nobody awaits that of a request that could not be written
                if response.done() and not response.cancelled():
                    response.exception()

        self._transport._die = died  # type: ignore[method-assign]
        self._transport.request = bounded  # type: ignore[method-assign]
        self._transport.notify = whole  # type: ignore[method-assign]

    @property
    def process(self) -> asyncio.subprocess.Process | None:
        """The process that was started; None once it has ended."""
        return self._transport._proc

    def document(self, path: str) -> DocState | None:
        """An open document."""
        return self._docs.get(path)

    def progress(self, path: str) -> Progress | None:
        """How far Lean is in a document, as it last reported."""
        document = self._docs.get(path)
        return self._progress.get(document.uri) if document is not None else None

    async def passed(self, path: str, part: Span) -> None:
        """Wait until Lean has elaborated the lines of a part of a document, and has reported what it found there.

        The line where a proof's declaration begins is elaborated last. Lean's progress passes a tactic before Lean has
        the errors, and its response about the goals, which waits for the errors, can arrive before their report. The
        first report on a new version has all that was found before.
        """
        if await self._is_whole_or_past(path, part):
            return
        await self.goal(path, part.end.line, part.end.column, fresh=False)
        await self.update(path, self.content(path))
        await self._is_whole_or_past(path, part)

    async def _is_whole_or_past(self, path: str, part: Span) -> bool:
        """Wait until Lean's progress is past the lines of a part. True: the whole document is elaborated instead."""
        whole = asyncio.ensure_future(self.barrier(path))
        try:
            while not whole.done() and not self._is_past(path, part):
                report = asyncio.ensure_future(self._reported.wait())
                try:
                    await asyncio.wait([whole, report], return_when=asyncio.FIRST_COMPLETED)
                finally:
                    report.cancel()
            if whole.done():
                whole.result()
            return whole.done()
        finally:
            whole.cancel()

    async def barrier(self, path: str, timeout: float | None = None) -> None:
        """Wait until Lean has elaborated a document. Lean responds early where a new version is sent meanwhile."""
        await super().barrier(path, timeout)
        while (document := self._docs.get(path)) and document.barrier_version != document.version:
            await super().barrier(path, timeout)

    def _is_past(self, path: str, part: Span) -> bool:
        document, progress = self._docs.get(path), self.progress(path)
        if document is None or progress is None or not _is_of(document, progress):
            return False
        has_reports = document.diagnostics_version == document.version
        return has_reports and progress.is_past(part.start.line, part.end.line)

    async def close_file(self, path: str) -> None:
        """Close a document, which ends its worker."""
        document = self._docs.get(path)
        if document is not None:
            self._progress.pop(document.uri, None)
        await super().close_file(path)

    async def close_older(self) -> bool:
        """Close the file that was used longest ago, unless it is the only one or in use. False: there is none."""
        files = sorted(
            (one for one in self._docs.values() if _COPY not in one.path), key=lambda one: one.last_used
        )
        unused = (one for one in files[:-1] if not (one.pinned or one.refcount))
        oldest = next(unused, None)
        if oldest is not None:
            await self.close_file(oldest.path)
        return oldest is not None

    async def wait_for(self, path: str, request: Coroutine[Any, Any, _T], patience: Patience) -> _T:
        """The response to a request about a document, which is awaited as long as Lean makes progress.

        If the worker ended just before the request, Lean never responds to it. Then only Lean's notification that
        the worker ended arrives.

        Raises:
            LeanIsSilent, LeanRequestTimeout: `patience.silence`, `patience.own` has passed.
            LeanWorkerCrashed: the worker ended. All that the request raises.
        """
        response = asyncio.ensure_future(request)
        watch = _Watch(path, patience)
        look = min(LEAN_WATCH_SECONDS, patience.own)
        try:
            while not (await asyncio.wait([response], timeout=look))[0]:
                watch.look(self._docs.get(path), self.progress(path))
            return response.result()
        finally:
            if not response.done():
                response.cancel()
                await asyncio.wait([response])

    async def end(self) -> None:
        """Close the connection to a server that is being killed, and wait for its process, within a limit."""
        process = self.process
        readers = [
            task for task in (self._transport._reader_task, self._transport._stderr_task) if task is not None
        ]
        await self.close()
        if process is None:
            return
        for reader in readers:  # `close` leaves them after a failed write
            reader.cancel()
        if readers:
            await asyncio.wait(readers)
        with contextlib.suppress(TimeoutError):  # Another process holds the pipes; the server has ended.
            async with asyncio.timeout(LEAN_END_SECONDS):
                await process.communicate()

    def _path_to_uri(self, path: str) -> str:
        file, _, number = path.partition(_COPY)
        uri = super()._path_to_uri(file)
        return _respelled(uri, int(number)) if number else uri

    def _on_notification(self, method: str, params: dict[str, Any]) -> None:
        super()._on_notification(method, params)
        reported, self._reported = self._reported, asyncio.Event()
        reported.set()
        if method == "$/lean/fileProgress":
            document = params["textDocument"]
            before = self._progress.get(document["uri"])
            number = before.number + 1 if before is not None else 1
            self._progress[document["uri"]] = Progress(
                document.get("version"), number, params.get("processing", ())
            )

    async def _rebuild_stale_dependencies(self, path: str, timeout: float | None) -> bool:
        return False

    async def _watch_project_files(self) -> None:
        """Notify Lean of changed files.

        leanclient watches everything below the folder, and where links lead. It also marks documents that it has read
        from the disk; ours have their texts from us.
        """
        self._watch_ready.set()
        async for changes in file_changes(Path(self.project_path)):
            items = [{"uri": Path(path).as_uri(), "type": change.value} for change, path in sorted(changes)]
            with contextlib.suppress(LeanTransportError):  # it has ended
                await self._transport.notify("workspace/didChangeWatchedFiles", {"changes": items})


class _Watch:
    """Watches a document while a response about it is awaited."""

    def __init__(self, path: str, patience: Patience) -> None:
        self._path = path
        self._patience = patience
        self._seen: Progress | None = None
        self._moved = time.monotonic()
        self._reached: float | None = None
        self._was_dead = False

    def look(self, document: DocState | None, progress: Progress | None) -> None:
        """Raises LeanIsSilent, LeanRequestTimeout, LeanWorkerCrashed."""
        now = time.monotonic()
        is_dead = document is not None and document.fatal_error
        if is_dead and self._was_dead:
            raise LeanWorkerCrashed("The worker has ended.")
        self._was_dead = is_dead
        if progress != self._seen:
            self._seen, self._moved = progress, now
        current = progress if _is_of(document, progress) else None
        if self._reached is None and current is not None and not current.left(self._patience.line):
            self._reached = now
        if self._reached is not None and now - self._reached >= self._patience.own:
            raise LeanRequestTimeout("It takes too long.")
        if now - self._moved >= self._patience.silence:
            raise LeanIsSilent(self._path, current)


def _is_of(document: DocState | None, progress: Progress | None) -> bool:
    """Whether this is progress in a document's present version."""
    return document is not None and progress is not None and progress.version in (None, document.version)


def copy_of(path: Path, number: int) -> str:
    """The name of a copy of a file, from 1, as a document of the same module that has a worker of its own.

    Lean distinguishes documents by the spelling of their addresses, and Lake distinguishes modules by their files. So
    the copy has the options and the rights of the file itself.
    """
    return f"{path}{_COPY}{number}"


def name_of(path: Path) -> str:
    """The name of a file, or of the one that this is a copy of."""
    return path.name.partition(_COPY)[0]


def _respelled(uri: str, number: int) -> str:
    """A `file:` address whose letters are percent-encoded where `number` has bits; each number gives another."""
    characters = _CHARACTERS.findall(uri)
    stem = next((place for place in reversed(range(len(characters))) if characters[place] == "."), None)
    letters = [
        place
        for place in reversed(range(len(characters[:stem])))
        if re.fullmatch("[A-Za-z0-9]", characters[place])
    ]
    for bit, place in enumerate(letters):
        if number >> bit & 1:
            characters[place] = f"%{ord(characters[place]):02X}"
    return "".join(characters)
