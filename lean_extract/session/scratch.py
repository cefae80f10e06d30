"""Scratch documents: several at the same time, each with its own Lean worker, and none of them on disk."""

from __future__ import annotations

import asyncio
from typing import Any

from leanclient.aio import AsyncLeanLSPClient, LeanRequestTimeout, ScratchPool


class Scratch(ScratchPool):
    """leanclient's scratch documents. If Lean does not finish in time, the document gets another worker.

    Lean stops obsolete work only where the code checks for cancellation. So in the same worker the next text
    could have to wait for a tactic whose outcome is no longer wanted.
    """

    def __init__(self, client: AsyncLeanLSPClient, header: str, size: int, name_prefix: str) -> None:
        super().__init__(client, header, size, name_prefix)
        # Last in, first out: in the document used last, Lean has already elaborated the text above the goal.
        self._free = asyncio.LifoQueue()

    async def check(self, text: str, seconds: float) -> list[dict[str, Any]]:
        """All diagnostics of a text, with columns in code points, from the next free document.

        Raises what leanclient raises, such as LeanRequestTimeout if it takes longer than `seconds`, counted from
        the moment when a document is free.
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
        """Start another worker for a document, and wait until it has loaded the header."""
        await self._client.close_file(path)
        document = await self._client.open(path, text=self.header, wait=False)
        document.pinned = True
        await self._client.barrier(path)
