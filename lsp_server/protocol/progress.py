"""Reports progress to the editor: a progress bar, and the notification of an index's state."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from lsp_server.engine.documented_json import to_json
from lsp_server.engine.schema import StatusItem
from lsp_server.engine.schema_items import IndexItem
from lsp_server.engine.tasks import LeanProgress
from lsp_server.limits import STATUS_SECONDS
from lsp_server.protocol.parameters import Token

_Result = TypeVar("_Result")
STATUS = "$/premiseSuggest/status"
_STAGES = {
    "wait": "waiting for another index run",
    "scan": "looking at files",
    "embed": "reading",
    "merge": "merging",
    "graph": "building the graph",
    "lean": "lines elaborated",
}


class IndexStatus:
    """The notification `$/premiseSuggest/status`: when an update begins, how far it is, and when it ends."""

    def __init__(self, server: LanguageServer, root: Path) -> None:
        self._server = server
        self._root = root
        self._loop = asyncio.get_running_loop()
        self._next = 0.0
        self._has_ended = False

    def begin(self) -> None:
        """Report the beginning."""
        self._send(StatusItem(str(self._root), True, "", 0, 0, None))

    def report(self, stage: str, done: int, total: int) -> None:
        """Take in progress, of which at most four a second are sent; may be called from any thread."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + STATUS_SECONDS
            item = StatusItem(str(self._root), True, _STAGES.get(stage, stage), done, total, None)
            self._loop.call_soon_threadsafe(self._send, item)

    def end(self, index: IndexItem | None) -> None:
        """Report the end; `index` is None if the update failed."""
        self._send(StatusItem(str(self._root), False, "", 0, 0, index))
        self._has_ended = True

    def _send(self, item: StatusItem) -> None:
        if not self._has_ended:
            self._server.protocol.notify(STATUS, to_json(item))


class WaitingBar:
    """A progress bar that is shown once Lean takes long to get to a goal."""

    def __init__(self, server: LanguageServer, title: str) -> None:
        self._server = server
        self._title = title
        self._beginning: asyncio.Task[WorkDone] | None = None

    def __call__(self, progress: LeanProgress) -> None:
        """Take in how far Lean is."""
        if self._beginning is None:
            self._beginning = asyncio.create_task(
                WorkDone.begin(self._server, self._title, cancellable=False)
            )
        elif self._beginning.done():
            self._beginning.result().report("lean", progress.done, progress.lines)

    async def end(self) -> None:
        """Remove the bar, if there is one."""
        if self._beginning is not None:
            (await self._beginning).end("")


class WorkDone:
    """A progress bar in the editor; does nothing if the editor has none."""

    def __init__(self, server: LanguageServer, token: Token | None) -> None:
        self._server = server
        self._token = token
        self._loop = asyncio.get_running_loop()
        self._shown = ("", -1)

    @classmethod
    def given(cls, server: LanguageServer, title: str, token: Token | None) -> WorkDone:
        """Show the bar that a request brought the token of."""
        if token is not None:
            server.work_done_progress.begin(
                token, types.WorkDoneProgressBegin(title=title, cancellable=True, percentage=0)
            )
        return cls(server, token)

    @classmethod
    async def begin(
        cls, server: LanguageServer, title: str, *, cancellable: bool = True, counts: bool = True
    ) -> WorkDone:
        """Ask the editor for a bar, and show it if the editor agrees; `counts`: it will show a percentage."""
        window = server.client_capabilities.window
        if not (window and window.work_done_progress):
            return cls(server, None)
        token = str(uuid.uuid4())
        try:
            await server.work_done_progress.create_async(token)
        except JsonRpcException:  # the editor shows none after all
            return cls(server, None)
        server.work_done_progress.begin(
            token,
            types.WorkDoneProgressBegin(
                title=title, cancellable=cancellable, percentage=0 if cancellable and counts else None
            ),
        )
        return cls(server, token)

    def is_cancelled(self) -> bool:
        """Whether the user has cancelled it."""
        future = self._future
        return future is not None and future.cancelled()

    def on_cancel(self, stop: Callable[[], object]) -> None:
        """Have this called once the user cancels it."""
        if self._future is not None:
            self._future.add_done_callback(lambda _: stop())

    @property
    def _future(self) -> Future[None] | None:
        """What pygls cancels when the user does."""
        return None if self._token is None else self._server.work_done_progress.tokens.get(self._token)

    async def unless_cancelled(self, work: Coroutine[Any, Any, _Result]) -> _Result | None:
        """The result of some work, or None once the user has cancelled the bar, which ends the work."""
        task = asyncio.ensure_future(work)
        self.on_cancel(task.cancel)
        try:
            return await task
        except asyncio.CancelledError:
            if self.is_cancelled():
                return None
            raise
        finally:
            task.cancel()

    def report(self, stage: str, done: int, total: int) -> None:
        """Take in progress; may be called from any thread."""
        shown = (stage, 100 * done // total if total else 100)
        if self._token is None or shown == self._shown:
            return
        self._shown = shown
        self.say(f"{_STAGES.get(stage, stage)}: {done:,} of {total:,}", min(shown[1], 100))

    def say(self, message: str, percentage: int) -> None:
        """Show how far it is in other words; may be called from any thread."""
        if self._token is not None:
            value = types.WorkDoneProgressReport(message=message, percentage=percentage, cancellable=True)
            self._loop.call_soon_threadsafe(self._server.work_done_progress.report, self._token, value)

    def end(self, message: str) -> None:
        """Remove the bar."""
        if self._token is not None:
            self._server.work_done_progress.end(self._token, types.WorkDoneProgressEnd(message=message))
            self._server.work_done_progress.tokens.pop(self._token, None)
