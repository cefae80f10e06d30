"""Keeps the projects' indexes fresh, with one update per project at a time, and shows progress in the editor."""

from __future__ import annotations

import asyncio
import shlex
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from lean_extract.common.errors import BadSource, IndexLocked
from lean_extract.source.projects.project import is_project_root
from lsp_server.engine.engine import Engine
from lsp_server.engine.schema_items import IndexItem
from lsp_server.engine.stores import project_store
from lsp_server.protocol.progress import IndexStatus, WorkDone
from lsp_server.rendering.labels import counted
from retriever.search.indexing.report import IndexReport


class Indexing:
    """Runs at most one update per project at a time; after a save during an update, another one follows."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._seen: set[Path] = set()
        self._running: dict[Path, asyncio.Task[IndexReport]] = {}
        self._again: set[Path] = set()
        self._refused: set[Path] = set()
        self._stopped: set[Path] = set()
        self._logged: dict[Path, tuple[str, ...]] = {}
        self._is_closing = False

    async def once(self, engine: Engine) -> None:
        """Update a project's index the first time a file of it is opened."""
        if engine.root is not None and engine.root not in self._seen:
            self._seen.add(engine.root)
            await self.update_automatically(engine)

    async def update_automatically(self, engine: Engine) -> None:
        """Update a project's index if it may be indexed automatically."""
        if engine.root is None or not self._is_wanted(engine.root):
            return
        try:
            await self.run(engine)
        except IndexLocked as error:  # Another server of this user is doing it; we can use its result.
            self._server.window_log_message(types.LogMessageParams(types.MessageType.Info, str(error)))

    async def run(self, engine: Engine) -> IndexReport:
        """Update a project's index and show its progress; further callers wait for the same update.

        Cancelling stops the update; what was read until then is kept. Raises what `Engine.update_index` does.
        """
        root = engine.root
        if root is None:
            raise BadSource("There is no project to index.", "Open the folder of a Lean project.")
        self._again.add(root)
        task = self._running.get(root)
        if task is None:
            task = asyncio.create_task(self._updates(engine, root))
            self._running[root] = task
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if not task.done():
                self._stopped.add(root)
                self._again.discard(root)
            raise

    def stop(self) -> None:
        """Make running updates end soon, because the server is closing."""
        self._is_closing = True

    async def ended(self) -> None:
        """Wait for running updates to end."""
        if self._running:
            await asyncio.wait(self._running.values())

    async def _updates(self, engine: Engine, root: Path) -> IndexReport:
        try:
            while True:
                self._again.discard(root)
                report = await self._update(engine, root)
                # A request after a cancelled one wants a complete update.
                is_over = report.stopped and root not in self._stopped
                if root not in self._again or is_over:
                    return report
                self._stopped.discard(root)
        finally:
            del self._running[root]
            self._again.discard(root)
            self._stopped.discard(root)

    def _is_wanted(self, root: Path) -> bool:
        """Whether a folder is indexed automatically: a project, or a folder that the user has indexed before.

        The folder of a stray file may be a whole home folder. The same holds for packages outside of a project
        (`lean_extract/source/projects/packages.py`): they are read if they are Lake packages themselves.
        """
        if is_project_root(root) or project_store(root).stamp() is not None:
            return True
        if root not in self._refused:
            self._refused.add(root)
            message = (
                f"{root} is not a Lean project (no lakefile, no lean-toolchain), so it is not indexed "
                f"automatically. To have its lemmas offered, run: premise-suggest index {shlex.quote(str(root))}"
            )
            self._server.window_log_message(types.LogMessageParams(types.MessageType.Info, message))
        return False

    async def _update(self, engine: Engine, root: Path) -> IndexReport:
        status = IndexStatus(self._server, root)
        status.begin()
        ended: IndexItem | None = None
        try:
            with engine.being_indexed():
                report = await self._read(engine, root, status)
            if not self._is_closing:
                ended = await engine.freshness()
        finally:
            status.end(ended)
        return report

    async def _read(self, engine: Engine, root: Path, status: IndexStatus) -> IndexReport:
        """The update itself, with its progress bar."""
        bar = await WorkDone.begin(self._server, f"Indexing {root.name}")

        def progress(stage: str, done: int, total: int) -> None:
            bar.report(stage, done, total)
            status.report(stage, done, total)

        try:
            report = await engine.update_index(
                progress, lambda: self._is_closing or bar.is_cancelled() or root in self._stopped
            )
        except BaseException:
            bar.end("failed")
            raise
        self._log(root, report.notes)
        bar.end(
            counted(report.documents, "premise") if not report.stopped else "stopped; the next run continues"
        )
        return report

    def _log(self, root: Path, notes: tuple[str, ...]) -> None:
        """Log what an update left out, once."""
        if self._logged.get(root, ()) != notes:
            self._logged[root] = notes
            for note in notes:
                self._server.window_log_message(types.LogMessageParams(types.MessageType.Info, note))
