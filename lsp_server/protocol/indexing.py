"""Keeps projects' indexes fresh: one update a project at a time, told to the editor as it goes."""

from __future__ import annotations

import asyncio
import shlex
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from lean_extract.errors import BadSource, IndexLocked
from lean_extract.source.project import is_project_root
from lsp_server.commands.render import counted
from lsp_server.engine.engine import Engine
from lsp_server.engine.schema import IndexItem, StatusItem, to_json
from lsp_server.engine.stores import project_store
from retriever.search.index.report import IndexReport

if TYPE_CHECKING:
    from lsp_server.protocol.server import PremiseServer

STATUS = "$/premiseSuggest/status"
_STAGES = {
    "wait": "waiting for another index run",
    "scan": "looking at files",
    "embed": "reading",
    "merge": "merging",
    "graph": "building the graph",
}
_STATUS_SECONDS = 0.25


class Indexing:
    """Runs at most one update a project at a time; what is saved meanwhile asks for one more."""

    def __init__(self, server: PremiseServer) -> None:
        self._server = server
        self._seen: set[Path] = set()
        self._running: dict[Path, asyncio.Task[IndexReport]] = {}
        self._again: set[Path] = set()
        self._refused: set[Path] = set()
        self._stopped: set[Path] = set()
        self._told: dict[Path, tuple[str, ...]] = {}

    async def once(self, engine: Engine) -> None:
        """Update a project's index the first time a file of it is opened."""
        if engine.root is not None and engine.root not in self._seen:
            self._seen.add(engine.root)
            await self.unasked(engine)

    async def unasked(self, engine: Engine) -> None:
        """Update a project's index if it is one that is indexed without being asked for."""
        if engine.root is None or not self._is_wanted(engine.root):
            return
        try:
            await self.run(engine)
        except IndexLocked as error:  # Another server of this user is at it; its result serves us, too.
            self._server.window_log_message(types.LogMessageParams(types.MessageType.Info, str(error)))

    async def run(self, engine: Engine) -> IndexReport:
        """Update a project's index, telling the editor how far it is; whoever asks meanwhile waits for it.

        Being cancelled stops the update; what was read by then is kept. Raises what `Engine.index` raises.
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

    async def ended(self) -> None:
        """Wait for the updates that run; the server's going stops them."""
        if self._running:
            await asyncio.wait(self._running.values())

    async def _updates(self, engine: Engine, root: Path) -> IndexReport:
        try:
            while True:
                self._again.discard(root)
                report = await self._update(engine, root)
                # Who asks anew behind a request that was cancelled wants a whole update.
                is_over = report.stopped and root not in self._stopped
                if root not in self._again or is_over:
                    return report
                self._stopped.discard(root)
        finally:
            del self._running[root]
            self._again.discard(root)
            self._stopped.discard(root)

    def _is_wanted(self, root: Path) -> bool:
        """Whether a folder is indexed unasked: a project, or what the user has indexed before.

        The folder of a stray file may be a whole home folder. Packages outside of a project come under the
        same rule (`lean_extract/source/packages.py`): they are read where they are Lake packages themselves.
        """
        if is_project_root(root) or project_store(root).stamp() is not None:
            return True
        if root not in self._refused:
            self._refused.add(root)
            message = (
                f"{root} is no Lean project (no lakefile, no lean-toolchain), so it is not indexed "
                f"by itself. To have its lemmas offered, run: premise-suggest index {shlex.quote(str(root))}"
            )
            self._server.window_log_message(types.LogMessageParams(types.MessageType.Info, message))
        return False

    async def _update(self, engine: Engine, root: Path) -> IndexReport:
        status = Status(self._server, root)
        status.begin()
        ended: IndexItem | None = None
        try:
            with engine.being_indexed():
                report = await self._read(engine, root, status)
            if not self._server.is_closing:
                ended = await engine.freshness()
        finally:
            status.end(ended)
        return report

    async def _read(self, engine: Engine, root: Path, status: Status) -> IndexReport:
        """The update itself, with its bar."""
        bar = await WorkDone.begin(self._server, f"Indexing {root.name}")

        def progress(stage: str, done: int, total: int) -> None:
            bar.report(stage, done, total)
            status.report(stage, done, total)

        try:
            report = await engine.index(progress, lambda: bar.is_cancelled() or root in self._stopped)
        except BaseException:
            bar.end("failed")
            raise
        self._tell(root, report.notes)
        bar.end(
            counted(report.documents, "premise") if not report.stopped else "stopped; it goes on next time"
        )
        return report

    def _tell(self, root: Path, notes: tuple[str, ...]) -> None:
        """Log what an update left out, once."""
        if self._told.get(root, ()) != notes:
            self._told[root] = notes
            for note in notes:
                self._server.window_log_message(types.LogMessageParams(types.MessageType.Info, note))


class Status:
    """The notification `$/premiseSuggest/status`: when an update begins, how far it is, and when it ends."""

    def __init__(self, server: PremiseServer, root: Path) -> None:
        self._server = server
        self._root = root
        self._loop = asyncio.get_running_loop()
        self._next = 0.0
        self._has_ended = False

    def begin(self) -> None:
        """Say that it begins."""
        self._send(StatusItem(str(self._root), True, "", 0, 0, None))

    def report(self, stage: str, done: int, total: int) -> None:
        """Take in progress, of which at most four a second are sent; may be called from any thread."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _STATUS_SECONDS
            item = StatusItem(str(self._root), True, _STAGES.get(stage, stage), done, total, None)
            self._loop.call_soon_threadsafe(self._send, item)

    def end(self, index: IndexItem | None) -> None:
        """Say that it has ended; `index` is None where it failed."""
        self._send(StatusItem(str(self._root), False, "", 0, 0, index))
        self._has_ended = True

    def _send(self, item: StatusItem) -> None:
        if not self._has_ended:
            self._server.protocol.notify(STATUS, to_json(item))


class WorkDone:
    """A progress bar in the editor; silent where the editor has none."""

    def __init__(self, server: PremiseServer, token: str | None) -> None:
        self._server = server
        self._token = token
        self._loop = asyncio.get_running_loop()
        self._shown = ("", -1)

    @classmethod
    async def begin(cls, server: PremiseServer, title: str, *, cancellable: bool = True) -> WorkDone:
        """Ask the editor for a bar and show it, if it will."""
        window = server.client_capabilities.window
        if not (window and window.work_done_progress):
            return cls(server, None)
        token = str(uuid.uuid4())
        try:
            await server.work_done_progress.create_async(token)
        except JsonRpcException:  # it shows none after all
            return cls(server, None)
        server.work_done_progress.begin(
            token,
            types.WorkDoneProgressBegin(
                title=title, cancellable=cancellable, percentage=0 if cancellable else None
            ),
        )
        return cls(server, token)

    def is_cancelled(self) -> bool:
        """Whether the user has cancelled it, or the server is going."""
        if self._server.is_closing:
            return True
        future = self._server.work_done_progress.tokens.get(self._token) if self._token else None
        return future is not None and future.cancelled()

    def report(self, stage: str, done: int, total: int) -> None:
        """Take in progress; may be called from any thread."""
        shown = (stage, 100 * done // total if total else 100)
        if self._token is None or shown == self._shown:
            return
        self._shown = shown
        message = f"{_STAGES.get(stage, stage)}: {done:,} of {total:,}"
        value = types.WorkDoneProgressReport(message=message, percentage=min(shown[1], 100), cancellable=True)
        self._loop.call_soon_threadsafe(self._server.work_done_progress.report, self._token, value)

    def end(self, message: str) -> None:
        """Take the bar away."""
        if self._token is not None:
            self._server.work_done_progress.end(self._token, types.WorkDoneProgressEnd(message=message))
            self._server.work_done_progress.tokens.pop(self._token, None)
