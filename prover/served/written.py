"""Tactics on their way from a model, which writes them one after the other, to what has them tried."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from prover.candidates import Candidate
from prover.generator.source import GENERATOR

_CHANCE, _STEP = 0.5, 0.05
"""How likely the first tactic is to be kept, roughly: no odds are fitted for a model that the user chooses. The model
was asked for the likeliest first, so each further one is a little less likely."""


class WrittenTactics:
    """The tactics that a model writes for one goal; writing starts at once. They are tried as they come.

    `tactics`: what writes them. It is closed when nobody waits any more, and then asks the server for nothing more.
    """

    def __init__(self, tactics: AsyncGenerator[str, None]) -> None:
        self._waiting: list[Candidate] = []
        self._count = 0
        self._news: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._writing = asyncio.create_task(self._write(tactics))

    async def _write(self, tactics: AsyncGenerator[str, None]) -> None:
        try:
            async with aclosing(tactics):
                async for tactic in tactics:
                    self._waiting.append(Candidate(tactic, _CHANCE / (1 + _STEP * self._count), GENERATOR))
                    self._count += 1
                    self._tell()
        finally:
            self._tell()

    def _tell(self) -> None:
        if not self._news.done():
            self._news.set_result(None)

    @property
    def is_open(self) -> bool:
        """Whether more may come."""
        return not self._writing.done()

    def next(self) -> Candidate | None:
        """The next tactic to try. Raises what the writing raised."""
        if self._waiting:
            return self._waiting.pop(0)
        if self._writing.done() and not self._writing.cancelled():
            self._writing.result()
        return None

    def news(self) -> list[asyncio.Future[None]]:
        """One of these is done once there is another tactic, or no more will come."""
        if self._news.done() and self.is_open:
            self._news = asyncio.get_running_loop().create_future()
        return [self._writing, self._news]

    def close(self) -> None:
        """Stop the writing."""
        self._writing.cancel()
