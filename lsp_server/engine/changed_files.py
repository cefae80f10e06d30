"""Before an answer, reads files that another program changed (a checkout, another editor)."""

from __future__ import annotations

import asyncio

from lsp_server.engine.open_index import OpenIndex
from lsp_server.engine.running_lean import RunningLean
from lsp_server.engine.tasks import ahead

_PATIENCE_SECONDS = 1.5
"""How long answers wait for this, in seconds; most need a tenth of it."""


class ChangedFiles:
    """Brings the index of one project, and its running Lean, up to date with the files on disk."""

    def __init__(self, lean: RunningLean, index: OpenIndex) -> None:
        self._lean = lean
        self._index = index
        self._reading: asyncio.Task[None] | None = None
        self._patience = 0.0
        """Until when answers wait, in the event loop's time."""
        self._is_lean_old = False
        """Whether files were read that the running Lean has not loaded."""

    async def catch_up(self) -> None:
        """Begin to read the changed files.

        A Lean that runs has to load it before it is asked, so this waits for it; one that is still to be
        started has loaded nothing old.
        """
        if self._reading is None or self._reading.done():
            self._reading = ahead(self._read())
            self._patience = asyncio.get_running_loop().time() + _PATIENCE_SECONDS
        if self._lean.is_running:
            await self.caught_up()
            if self._is_lean_old:
                self._is_lean_old = False
                await self._lean.compile()

    async def caught_up(self) -> None:
        """Wait for the changed files to be read, but not for long: one large file must not block answers."""
        task = self._reading
        if task is None:
            return
        await asyncio.wait([task], timeout=max(0.0, self._patience - asyncio.get_running_loop().time()))
        if task.done():
            task.result()

    async def _read(self) -> None:
        is_running = self._lean.is_running
        self._is_lean_old = self._is_lean_old and is_running
        if await self._index.catch_up():
            self._is_lean_old = is_running
