"""Files that something else changed (a checkout, another editor) are read before an answer is given."""

from __future__ import annotations

import asyncio

from lsp_server.engine.open_index import OpenIndex
from lsp_server.engine.running_lean import RunningLean
from lsp_server.engine.tasks import ahead

_PATIENCE_SECONDS = 1.5
"""How long answers wait for the reading; most are in a tenth of it."""


class ChangedFiles:
    """Lets the index of one project, and the Lean that runs, catch up with the files on disk."""

    def __init__(self, lean: RunningLean, index: OpenIndex) -> None:
        self._lean = lean
        self._index = index
        self._reading: asyncio.Task[None] | None = None
        self._patience = 0.0
        """Until when answers wait for it, in the event loop's time."""
        self._is_lean_old = False
        """Whether files were read that the Lean that runs has not loaded."""

    async def catch_up(self) -> None:
        """Begin to read what changed.

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
        """Wait until what changed has been read, but not for long: one large file must not stop the rest."""
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
