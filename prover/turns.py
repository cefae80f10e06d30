"""In which order the candidates of two kinds of source are tried: those ready at once, and a generator's."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Sequence
from typing import Self

from prover.candidates import Candidate, is_unfinished, key_of

SHARE = 4
"""One in so many of the tactics tried is kept for the generator while it is still at work."""


class Turns:
    """Candidates one by one, as many as are wanted, whichever are known.

    What is ready first is handed out first. While the generator is awaited the others get at most three
    quarters of the places; once its candidates are here, whoever had fewer turns is next, each with its best,
    and what one source leaves the other may have. A tactic of both counts once.

    Args:
        ready: the candidates that are soon there, best first.
        generated: those of the generator, best first; None: there is none.
        limit: how many are handed out.
    """

    def __init__(
        self,
        ready: Awaitable[Sequence[Candidate]] | None,
        generated: Awaitable[Sequence[Candidate]] | None,
        limit: int,
    ) -> None:
        self.scores: dict[str, float] = {}
        """By tactic, as it was handed out: the best score that a source gave it."""
        self._lists = (_Waiting(ready), _Waiting(generated))
        self._limit = limit
        self._reserve = min(-(-limit // SHARE), limit - 1) if generated is not None else 0
        self._best: dict[str, float] = {}
        self._handed: dict[str, str] = {}

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Candidate:
        """The next to try. Raises what a source raises."""
        while len(self._handed) < self._limit:
            for source in self._lists:
                self._note(source)
            candidate = self._choose()
            if candidate is not None:
                return candidate
            awaited = [source.awaited for source in self._lists if source.awaited is not None]
            if not awaited:
                break
            await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
        raise StopAsyncIteration

    def close(self) -> None:
        """Wait for nothing more."""
        for source in self._lists:
            if source.awaited is not None:
                source.awaited.cancel()

    def _note(self, source: _Waiting) -> None:
        for candidate in source.arrived():
            key = key_of(candidate.tactic)
            self._best[key] = max(candidate.score, self._best.get(key, 0.0))
            if key in self._handed:
                self.scores[self._handed[key]] = self._best[key]

    def _choose(self) -> Candidate | None:
        ready, generated = self._lists
        left = self._limit - len(self._handed)
        if generated.awaited is not None and left <= self._reserve:
            return None
        first, second = (generated, ready) if generated.turns <= ready.turns else (ready, generated)
        return self._take(first) or self._take(second)

    def _take(self, source: _Waiting) -> Candidate | None:
        while source.candidates:
            candidate = source.candidates.popleft()
            key = key_of(candidate.tactic)
            if key and key not in self._handed and not is_unfinished(candidate.tactic):
                self._handed[key] = candidate.tactic
                self.scores[candidate.tactic] = self._best[key]
                source.turns += 1
                return candidate
        return None


class _Waiting:
    """One source: its candidates that have not had their turn, and how many had."""

    def __init__(self, coming: Awaitable[Sequence[Candidate]] | None) -> None:
        self.awaited = None if coming is None else asyncio.ensure_future(coming)
        self.candidates: deque[Candidate] = deque()
        self.turns = 0

    def arrived(self) -> Sequence[Candidate]:
        """What has come since this was last asked."""
        if self.awaited is None or not self.awaited.done():
            return ()
        done, self.awaited = self.awaited, None
        found = done.result()
        self.candidates.extend(found)
        return found
