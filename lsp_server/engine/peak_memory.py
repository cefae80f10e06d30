"""Measures what the Lean processes of a request need."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from lean_extract.session import LeanSession, processes
from lean_extract.session.live import LiveLean
from lsp_server.limits import MEMORY_LOOK_SECONDS


@dataclass(slots=True)
class PeakMemory:
    """The most private memory of the processes together, in megabytes, and the most of them at the same time."""

    megabytes: float = 0.0
    count: int = 0
    own: set[int] = field(default_factory=set)
    """Numbers of further processes to count."""

    def look(self, pid: int | None) -> None:
        """Look at a server's process and its descendants now."""
        roots = [*self.own, *([pid] if pid is not None else [])]
        running = [one for root in roots for one in (root, *processes.descendants(root))]
        sizes = [size for one in running if (size := processes.private_megabytes(one)) > 0]
        self.megabytes, self.count = max(self.megabytes, sum(sizes)), max(self.count, len(sizes))


@asynccontextmanager
async def measured(lean: LiveLean) -> AsyncGenerator[PeakMemory, None]:
    """What a live Lean needs during the block, as seen a few times a second; nothing where its process is unknown."""
    peak = PeakMemory()

    async def watch() -> None:
        while True:
            peak.look(lean.pid if isinstance(lean, LeanSession) else None)
            await asyncio.sleep(MEMORY_LOOK_SECONDS)

    task = asyncio.create_task(watch())
    try:
        yield peak
    finally:
        task.cancel()
        peak.look(lean.pid if isinstance(lean, LeanSession) else None)
