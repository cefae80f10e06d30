"""The order in which to try the candidates of several sources: templates, neighbours, and a generator."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Sequence
from typing import Self

from prover.candidates import Candidate, is_unfinished, key_of

SHARE = 4
"""While the generator is still working, one in this many of the trials is reserved for its tactics."""


NEIGHBOUR_COST = 2
"""A turn of the neighbours counts as this many: they get half as many turns as another source."""


class Turns:
    """Yields candidates one by one, up to a limit, from those that are known.

    Candidates are yielded as soon as they are known. While the generator is working, the other sources get at most
    three quarters of the trials. Once the generator's candidates are there, the source that had fewer turns is
    next, with its best candidate; when one source runs out, the others get the rest. A tactic from several sources
    is yielded once.

    Args:
        ready: the candidates that are available soon, best first.
        generated: the generator's candidates, best first; None if there is no generator.
        limit: how many candidates to yield.
        neighbours: tactics taken from known proofs, best first; None if these are not asked for.
    """

    def __init__(
        self,
        ready: Awaitable[Sequence[Candidate]] | None,
        generated: Awaitable[Sequence[Candidate]] | None,
        limit: int,
        neighbours: Awaitable[Sequence[Candidate]] | None = None,
    ) -> None:
        self.scores: dict[str, float] = {}
        """The best score that a source gave to each tactic, by the tactic's text as yielded."""
        self.origins: dict[str, str] = {}
        """The theorems that tactics are taken from, by the tactic's text as yielded."""
        self._generated = _Waiting(generated)
        self._lists = (self._generated, _Waiting(ready), _Waiting(neighbours, NEIGHBOUR_COST))
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
        left = self._limit - len(self._handed)
        if self._generated.awaited is not None and left <= self._reserve:
            return None
        for source in sorted(self._lists, key=lambda source: source.turns):
            if candidate := self._take(source):
                return candidate
        return None

    def _take(self, source: _Waiting) -> Candidate | None:
        while source.candidates:
            candidate = source.candidates.popleft()
            key = key_of(candidate.tactic)
            if key and key not in self._handed and not is_unfinished(candidate.tactic):
                self._handed[key] = candidate.tactic
                self.scores[candidate.tactic] = self._best[key]
                if candidate.origin:
                    self.origins[candidate.tactic] = candidate.origin
                source.turns += source.cost
                return candidate
        return None


class _Waiting:
    """One source: its candidates that have not had a turn, and what its turns so far have cost."""

    def __init__(self, coming: Awaitable[Sequence[Candidate]] | None, cost: int = 1) -> None:
        self.awaited = None if coming is None else asyncio.ensure_future(coming)
        self.candidates: deque[Candidate] = deque()
        self.turns = 0
        self.cost = cost

    def arrived(self) -> Sequence[Candidate]:
        """The candidates that have arrived since the last call."""
        if self.awaited is None or not self.awaited.done():
            return ()
        done, self.awaited = self.awaited, None
        found = done.result()
        self.candidates.extend(found)
        return found
