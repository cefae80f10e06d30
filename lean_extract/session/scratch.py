"""Scratch documents: several at once, each with a Lean worker of its own, none of them on disk."""

from __future__ import annotations

import asyncio
from typing import Any

from leanclient.aio import AsyncLeanLSPClient, LeanRequestTimeout, ScratchPool


class Scratch(ScratchPool):
    """leanclient's scratch documents; one in which Lean did not finish in time gets another worker.

    Lean stops what it no longer needs only where that looks for being stopped, so the next text in the same
    worker could wait for a tactic that nobody waits for.
    """

    def __init__(self, client: AsyncLeanLSPClient, header: str, size: int, name_prefix: str) -> None:
        super().__init__(client, header, size, name_prefix)
        # The document used last is used first: Lean has elaborated in it what stands above the place.
        self._free = asyncio.LifoQueue()

    async def check(self, text: str, seconds: float) -> list[dict[str, Any]]:
        """All diagnostics of a text, columns in code points, from the next free document.

        Raises what leanclient raises; LeanRequestTimeout where it took longer than `seconds`, counted from
        when a document was free.
        """
        await self.warm()
        path = await self._free.get()
        try:
            await self._client.update(path, text, wait=False)
            report = await self._client.diagnostics(path, fresh=True, timeout=seconds)
        except LeanRequestTimeout:
            await self._renew(path)
            raise
        finally:
            self._free.put_nowait(path)
        return list(report.items)

    async def _renew(self, path: str) -> None:
        """Another worker for a document, which has loaded the header when this is done."""
        await self._client.close_file(path)
        document = await self._client.open(path, text=self.header, wait=False)
        document.pinned = True
        await self._client.barrier(path)
