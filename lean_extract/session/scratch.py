"""Copies of a file on which tactics are tried: several at the same time, each with its own Lean worker."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from leanclient.aio import LeanClientError, LeanRequestTimeout, LeanWorkerCrashed

from lean_extract.limits import WORKER_STOP_SECONDS
from lean_extract.session.client import LeanClient, Patience

log = logging.getLogger("premise_suggest")


class Scratch:
    """Documents of a file's module, each of which elaborates the text above the goal before it is given tactics.

    So a tactic's time is its own. If Lean does not finish a text in time, or the request is cancelled, the
    document goes back to the text above, which cancels the work and keeps what is there. Only a worker that does not
    stop is replaced.

    `warm` and `begin` must not be called while a text is checked.

    Args:
        client: the connection to Lean.
        path: the file; it need not exist.
        header: the file's imports.
        names: the names of the documents (`copy_of`).
        silence: seconds without progress of Lean, after which waiting ends.
    """

    def __init__(
        self, client: LeanClient, path: Path, header: str, names: Sequence[str], silence: float
    ) -> None:
        self.path = path
        self.header = header
        self._client = client
        self._names = names
        self._silence = silence
        self._base = header
        self._base_seconds = 0.0
        self._line = 0
        # Last in, first out: what the document used last has elaborated is the likeliest to be used again.
        self._free: asyncio.LifoQueue[str] = asyncio.LifoQueue()
        self._idle = [*names][::-1]
        """Documents that are not to be used before all are needed; the first one to be used is last."""
        self._returning: dict[str, asyncio.Task[None]] = {}
        self._used = time.monotonic()

    async def warm(self, text: str, line: int) -> None:
        """Begin to elaborate what is above a declaration, in one document per four processors.

        The others load the imports, in the background. Lean uses several processors for one document, so with
        fewer than four the user's own document has them to itself until its goal is there.

        Args:
            text: the text above.
            line: the first line of the declaration, from 0.

        Raises LeanTransportError.
        """
        self._base, self._line = text, line
        names = await self._all()
        begun = (os.cpu_count() or 1) // 4
        self._idle = names[begun:][::-1]
        for name in self._idle:
            if self._client.document(name) is None:
                await self._send(name, self.header)
        for name in names[:begun]:
            self._give_back(name, Patience(self._silence))

    async def begin(self, text: str, line: int) -> list[dict[str, Any]]:
        """All diagnostics of a text without a tactic. Then the other documents begin to elaborate it, too.

        Args: as for `warm`; the text goes on with the declaration.

        Raises LeanIsSilent, LeanWorkerCrashed, LeanTransportError.
        """
        above = "".join(text.splitlines(keepends=True)[:line])
        self._line = line
        if above != self._base:
            self._base = above
            self._idle = (await self._all())[::-1]  # the first one has the processors to itself
        elif self._free.empty() and self._returning:  # Lean would begin anew if it got another text meanwhile
            await asyncio.wait(self._returning.values(), return_when=asyncio.FIRST_COMPLETED)
        name = self._idle.pop() if self._free.empty() else self._free.get_nowait()
        begin = time.monotonic()
        found = await self._run(name, text, Patience(self._silence))
        self._base_seconds = time.monotonic() - begin
        while self._idle:
            self._give_back(self._idle.pop(), Patience(self._silence))
        return found

    async def check(self, text: str, seconds: float) -> list[dict[str, Any]]:
        """All diagnostics of a text, with columns in code points, from the next free document.

        Raises:
            LeanRequestTimeout: it takes longer than `seconds`, counted from when Lean has elaborated what is above
                the declaration.
            LeanIsSilent, LeanWorkerCrashed, LeanTransportError: as `LeanClient.wait_for`.
        """
        return await self._run(await self._free.get(), text, Patience(self._silence, seconds, self._line))

    def left(self, lines: int) -> int:
        """How many of the first lines are not elaborated in the document that is furthest."""
        known = [one for one in map(self._client.progress, self._names) if one is not None]
        return min((one.left(lines) for one in known), default=0)

    def idle_seconds(self) -> float:
        """How long no text has been checked; 0 while one is."""
        unused = self._free.qsize() + len(self._idle) + len(self._returning)
        return time.monotonic() - self._used if unused == len(self._names) else 0.0

    async def close(self) -> None:
        """Close the documents, which ends their workers."""
        for name in await self._all():
            await self._client.close_file(name)

    async def _all(self) -> list[str]:
        """Take all documents, whatever they elaborate, the likeliest to be of use first."""
        free = []
        while not self._free.empty():
            free.append(self._free.get_nowait())
        returning, self._returning = self._returning, {}
        for task in returning.values():
            task.cancel()
        await asyncio.gather(*returning.values(), return_exceptions=True)
        idle, self._idle = self._idle[::-1], []
        return [*free, *returning, *idle]

    async def _run(self, name: str, text: str, patience: Patience) -> list[dict[str, Any]]:
        is_done = False
        try:
            found = await self._elaborated(name, text, patience)
            is_done = True
        finally:
            self._used = time.monotonic()
            if is_done:
                self._free.put_nowait(name)
            else:
                own = self._base_seconds + WORKER_STOP_SECONDS
                self._give_back(name, Patience(self._silence, own, self._line))
        return found

    async def _elaborated(self, name: str, text: str, patience: Patience) -> list[dict[str, Any]]:
        await self._send(name, text)
        report = await self._client.wait_for(name, self._client.diagnostics(name, fresh=True), patience)
        return list(report.items)

    async def _send(self, name: str, text: str) -> None:
        if self._client.document(name) is not None:
            await self._client.update(name, text)
            return
        document = await self._client.open(name, text=text, wait=False)
        document.pinned = True

    def _give_back(self, name: str, patience: Patience) -> None:
        """Make a document free as soon as it has elaborated what is above the declaration."""
        self._returning[name] = asyncio.ensure_future(self._return(name, patience))

    async def _return(self, name: str, patience: Patience) -> None:
        try:
            try:
                await self._elaborated(name, self._base, patience)
            except (LeanRequestTimeout, LeanWorkerCrashed):
                await self._client.close_file(name)
                await self._elaborated(name, self._base, Patience(self._silence))
        except LeanClientError as error:  # it is raised at the next use, too
            log.info("A copy of %s was not prepared: %s", self.path.name, error)
        del self._returning[name]
        self._free.put_nowait(name)
