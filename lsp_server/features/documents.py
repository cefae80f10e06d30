"""Opened and saved documents keep the project's index fresh, with progress the user can see and cancel."""

from __future__ import annotations

import asyncio
import shlex
import uuid
from pathlib import Path

from lsprotocol import types

from lean_extract.errors import IndexLocked
from lean_extract.source.project import is_project_root
from lsp_server.engine import Engine
from lsp_server.knowledge import project_store
from lsp_server.render import counted
from lsp_server.server import LANGUAGES, PremiseServer, log, passive

_STAGES = {"scan": "looking at files", "embed": "reading", "merge": "merging", "graph": "building the graph"}


def register(server: PremiseServer) -> None:
    """`textDocument/didOpen`, `textDocument/didSave`."""
    indexing = Indexing(server)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    @passive(server, "indexing")
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        if params.text_document.language_id in LANGUAGES and server.settings.index.auto:
            engine = server.engine(server.document(params.text_document.uri))
            await indexing.once(engine)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    @passive(server, "indexing")
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        engine = server.engine(server.document(params.text_document.uri))
        try:
            if server.settings.index.on_save:
                await indexing.run(engine)
        finally:  # The new lemma is offered before those who import its file are compiled.
            await compile_saved(server, engine)


async def compile_saved(server: PremiseServer, engine: Engine) -> None:
    """Compile what was saved where that is our work, with a bar of its own."""
    if engine.root is None or not engine.compiles:
        return
    bar = await WorkDone.begin(server, f"Compiling {engine.root.name}", cancellable=False)
    try:
        await engine.saved()
    finally:
        bar.end("")


class Indexing:
    """Runs at most one update a project at a time; what is saved meanwhile asks for one more."""

    def __init__(self, server: PremiseServer) -> None:
        self._server = server
        self._seen: set[Path] = set()
        self._running: set[Path] = set()
        self._again: set[Path] = set()
        self._refused: set[Path] = set()

    async def once(self, engine: Engine) -> None:
        """Update a project's index the first time a file of it is opened."""
        if engine.root is not None and engine.root not in self._seen:
            self._seen.add(engine.root)
            await self.run(engine)

    async def run(self, engine: Engine) -> None:
        """Update a project's index, telling the editor how far it is."""
        root = engine.root
        if root is None or not self._is_wanted(root):
            return
        self._again.add(root)
        if root in self._running:
            return
        self._running.add(root)
        try:
            while root in self._again:
                self._again.discard(root)
                await self._update(engine, root)
        except IndexLocked as error:
            log.info("%s", error)  # Another server of this user is at it; its result serves us, too.
        finally:
            self._running.discard(root)

    def _is_wanted(self, root: Path) -> bool:
        """Whether a folder is indexed unasked: a project, or what the user has indexed before.

        The folder of a stray file may be a whole home folder.
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

    async def _update(self, engine: Engine, root: Path) -> None:
        bar = await WorkDone.begin(self._server, f"Indexing {root.name}")
        try:
            report = await engine.index(bar.report, bar.is_cancelled)
            bar.end(
                counted(report.premises, "premise") if not report.stopped else "stopped; it goes on next time"
            )
        except BaseException:
            bar.end("failed")
            raise


class WorkDone:
    """A progress bar in the editor; silent where the editor has none."""

    def __init__(self, server: PremiseServer, token: str | None) -> None:
        self._server = server
        self._token = token
        self._loop = asyncio.get_running_loop()
        self._shown = ("", -1)

    @classmethod
    async def begin(cls, server: PremiseServer, title: str, *, cancellable: bool = True) -> WorkDone:
        """Ask the editor for a bar and show it."""
        window = server.client_capabilities.window
        if not (window and window.work_done_progress):
            return cls(server, None)
        token = str(uuid.uuid4())
        await server.work_done_progress.create_async(token)
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
