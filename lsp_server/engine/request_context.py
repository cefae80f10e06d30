"""The context that a request carries through all its steps."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from lsp_server.engine.generators import OpenGenerator
from lsp_server.engine.open_index import ChangedFiles, OpenIndex
from lsp_server.engine.project_index import ProjectIndex
from lsp_server.engine.running_lean import RunningLean
from lsp_server.engine.schema_items import IndexItem, IndexState
from lsp_server.engine.settings import Settings


@dataclass(frozen=True, slots=True)
class RequestContext:
    """The settings of one request, and the objects that own a process or a file."""

    settings: Settings
    """As they were when the request came."""
    lean: RunningLean
    index: OpenIndex
    generator: OpenGenerator
    files: ChangedFiles

    async def catch_up(self) -> None:
        """Begin to read files that changed on disk before the answer, if the settings say so."""
        if self.settings.index.on_save:
            self.files.catch_up()

    async def current_index(self) -> ProjectIndex:
        """The index, with files that changed on disk, as far as they can be read in time.

        Raises IndexMissing, IndexDamaged, ModelError.
        """
        await self.catch_up()
        await self.files.caught_up()
        return (await self.index.current()).index

    async def freshness(self, index: ProjectIndex) -> IndexItem:
        """What the index holds and how fresh it is."""
        item = await asyncio.to_thread(index.freshness, self.lean.lean_version)
        return replace(item, state=self._state(index))

    def _state(self, index: ProjectIndex) -> IndexState:
        if self.index.is_being_updated:
            return IndexState.WARMING
        return IndexState.UNAVAILABLE if index.note else IndexState.CONSULTED
