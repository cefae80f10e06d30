"""The open index of a project: opened when first needed, and again when it, its settings or the files change."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from lean_extract.common.errors import BadSource, IndexMissing, ModelError, PremiseIndexError
from lsp_server.engine.answering_stores import AnsweringLibrary
from lsp_server.engine.current_files import Changes
from lsp_server.engine.project_index import ProjectIndex
from lsp_server.engine.settings import Settings
from lsp_server.engine.stores import Progress, ShouldStop
from lsp_server.engine.tasks import start_task, to_the_end
from lsp_server.limits import CHANGED_FILES_SECONDS, RUNNING_UPDATE_SECONDS
from retriever.search.indexing.report import IndexReport

log = logging.getLogger("premise_suggest")


@dataclass(frozen=True, slots=True)
class CurrentIndex:
    """A project's index as it is now."""

    index: ProjectIndex
    version: int
    """When it changes, the same question may have another answer."""


class OpenIndex:
    """Owns a project's `ProjectIndex`, and lets one update of its index run at a time.

    Args:
        root: the project's root; None: there is no project, and the bundled Mathlib index answers.
        settings: which model, and which Lean's core; `configure` replaces them.
        library: a published one, which answers in place of the bundled index.
    """

    def __init__(
        self, root: Path | None, settings: Settings, library: AnsweringLibrary | None = None
    ) -> None:
        self._root = root
        self._library = library
        self._settings = settings
        self._index: ProjectIndex | None = None
        self._version = 0
        self._opening = asyncio.Lock()
        self._updating = asyncio.Lock()
        self._tried: Changes = frozenset()
        self._updates = _Updates()
        self._ahead: asyncio.Task[CurrentIndex] | None = None
        self._stop = Event()
        """Set when reading should stop."""

    def configure(self, settings: Settings) -> None:
        """Use new settings; if they name another model, the next request opens the index again."""
        self._settings = settings

    async def current(self) -> CurrentIndex:
        """The index and its premise service, opened if need be, as new as what is on disk.

        If there is no index yet but one is being built, this waits for it. Raises IndexMissing,
        IndexDamaged, ModelError.
        """
        ended = self._updates.ended
        try:
            return await to_the_end(self._opened())
        except IndexMissing:
            if not await self._updates.another_since(ended):
                raise
        return await to_the_end(self._opened())

    async def _opened(self) -> CurrentIndex:
        async with self._opening:
            settings = self._settings
            model, rerank, device = settings.model_folder, settings.premises.rerank, settings.models.device
            index = self._index
            if index is not None and await asyncio.to_thread(index.has_changed):
                self._version += 1
                if not await asyncio.to_thread(index.is_sound):  # another index may answer instead
                    index = self._index = None
            if index is None or not index.is_as_set(model, rerank, device) or index.is_outdated():
                download = settings.model_download
                index = await asyncio.to_thread(
                    ProjectIndex,
                    self._root,
                    model,
                    download=download,
                    rerank=rerank,
                    device=device,
                    library=self._library,
                )
                self._index = index
                self._version += 1
            return CurrentIndex(index, self._version)

    def preload(self) -> None:
        """Begin to open the index while Lean starts and elaborates; errors are raised to whoever needs it."""
        if self._index is None:
            self._ahead = start_task(self._opened())

    @contextmanager
    def being_updated(self) -> Iterator[None]:
        """A context for the time of an update: requests that find no index wait for its end."""
        with self._updates.one():
            yield

    @property
    def is_being_updated(self) -> bool:
        """Whether an update runs."""
        return self._updates.is_running or self._updating.locked()

    async def update(self, progress: Progress, should_stop: ShouldStop) -> IndexReport:
        """Build or refresh the project's index; only what changed is read and embedded.

        Raises IndexLocked, IndexWriteFailed, ModelError, BadSource (no project, no `.lean` file).
        """
        if self._root is None:
            raise BadSource("There is no project to index.", "Give the folder of a Lean project.")
        async with self._updating:
            return await self._update(self._root, progress, should_stop)

    async def _update(self, root: Path, progress: Progress, should_stop: ShouldStop) -> IndexReport:
        from lsp_server.engine.indexing import (
            update_project,  # an answer from a current index needs none of it
        )

        settings, stop = self._settings, self._stop
        return await asyncio.to_thread(
            update_project,
            root,
            settings.model_folder,
            progress,
            lambda: stop.is_set() or should_stop(),
            download=settings.model_download,
            lean=settings.lean.command,
            device=settings.models.device,
        )

    async def catch_up(self) -> None:
        """Read the few files that changed on disk since they were indexed.

        This scans the project's files. If many changed, or another update does not end
        soon, the index stays as it is, and answers say so.
        """
        await to_the_end(self._caught_up())

    async def _caught_up(self) -> None:
        if self._root is None:
            return
        try:
            async with asyncio.timeout(RUNNING_UPDATE_SECONDS):
                await self._updating.acquire()
        except TimeoutError:
            return
        try:
            index = (await self._opened()).index
            changes = await asyncio.to_thread(index.few_changes)
            if changes and changes != self._tried:
                self._tried = changes
                await self._update(self._root, lambda stage, done, total: None, lambda: False)
        except (PremiseIndexError, ModelError) as error:  # the next ranking reports the error
            log.info("The index was not brought up to date: %s", error)
        finally:
            self._updating.release()

    def stop(self) -> None:
        """Make running updates end soon; what they have read is kept."""
        self._stop.set()
        self._stop = Event()

    def close(self) -> None:
        """Close the index; the next request opens it again."""
        self._index = None


class _Updates:
    """Counts the updates of one index, so that others can wait for their end."""

    def __init__(self) -> None:
        self.ended = 0
        self._running = 0
        self._change = asyncio.Event()

    @contextmanager
    def one(self) -> Iterator[None]:
        """One update, from its beginning to its end."""
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1
            self.ended += 1
            self._change.set()
            self._change = asyncio.Event()

    @property
    def is_running(self) -> bool:
        """Whether there is one now."""
        return self._running > 0

    async def another_since(self, ended: int) -> bool:
        """Wait for the end of an update, if one runs; whether one has ended since there were so many."""
        if self.ended == ended and self._running:
            await self._change.wait()
        return self.ended > ended


class ChangedFiles:
    """Brings the index of one project up to date with the files on disk."""

    def __init__(self, index: OpenIndex) -> None:
        self._index = index
        self._reading: asyncio.Task[None] | None = None
        self._patience = 0.0
        """Until when answers wait, in the event loop's time."""

    def catch_up(self) -> None:
        """Begin to read the changed files."""
        if self._reading is None or self._reading.done():
            self._reading = start_task(self._index.catch_up())
            self._patience = asyncio.get_running_loop().time() + CHANGED_FILES_SECONDS

    async def caught_up(self) -> None:
        """Wait for the changed files to be read, but not for long: one large file must not block answers."""
        task = self._reading
        if task is None:
            return
        await asyncio.wait([task], timeout=max(0.0, self._patience - asyncio.get_running_loop().time()))
        if task.done():
            task.result()
