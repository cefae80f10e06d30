"""Before an answer, reads files that another program changed (a checkout, another editor) into the index."""

from __future__ import annotations

import asyncio

from lsp_server.engine.open_index import OpenIndex
from lsp_server.engine.tasks import ahead

_PATIENCE_SECONDS = 1.5
"""How long answers wait for this, in seconds; most need a tenth of it."""


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
            self._reading = ahead(self._index.catch_up())
            self._patience = asyncio.get_running_loop().time() + _PATIENCE_SECONDS

    async def caught_up(self) -> None:
        """Wait for the changed files to be read, but not for long: one large file must not block answers."""
        task = self._reading
        if task is None:
            return
        await asyncio.wait([task], timeout=max(0.0, self._patience - asyncio.get_running_loop().time()))
        if task.done():
            task.result()
