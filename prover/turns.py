"""The order in which to try the candidates of two sources: those that are ready soon, and a generator's."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Sequence
from typing import Self

from prover.candidates import Candidate, is_unfinished, key_of

SHARE = 4
"""While the generator is still working, one in this many of the trials is reserved for its tactics."""


class Turns:
    """Yields candidates one by one, up to a limit, from those that are known.

    Candidates are yielded as soon as they are known. While the generator is working, the other source gets at most
    three quarters of the trials. Once the generator's candidates are there, the source that had fewer turns is
    next, with its best candidate; when one source runs out, the other gets the rest. A tactic from both sources is
    yielded once.

    Args:
        ready: the candidates that are available soon, best first.
        generated: the generator's candidates, best first; None if there is no generator.
        limit: how many candidates to yield.
    """

    def __init__(
        self,
        ready: Awaitable[Sequence[Candidate]] | None,
        generated: Awaitable[Sequence[Candidate]] | None,
        limit: int,
    ) -> None:
        self.scores: dict[str, float] = {}
        """The best score that a source gave to each tactic, by the tactic's text as yielded."""
        self._lists = (_Waiting(ready), _Waiting(generated))
        self._limit = limit
        self._reserve = min(-(-limit // SHARE), limit - 1) if generated is not None else 0
        self._best: dict[str, float] = {}
        self._handed: dict[str, str] = {}

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Candidate:
        """The next candidate to try. Raises what a source raises."""
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
        """Stop waiting for the sources."""
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
    """One source: its candidates that have not had a turn, and the number of turns so far."""

    def __init__(self, coming: Awaitable[Sequence[Candidate]] | None) -> None:
        self.awaited = None if coming is None else asyncio.ensure_future(coming)
        self.candidates: deque[Candidate] = deque()
        self.turns = 0

    def arrived(self) -> Sequence[Candidate]:
        """The candidates that have arrived since the last call."""
        if self.awaited is None or not self.awaited.done():
            return ()
        done, self.awaited = self.awaited, None
        found = done.result()
        self.candidates.extend(found)
        return found
