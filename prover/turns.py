"""The order in which to try the candidates of several sources that arrive at different times."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from typing import Self

from prover.candidates import Candidate, key_of
from prover.odds import Odds


class Turns:
    """Yields candidates one by one, up to a limit: always the one with the best odds among those that are known.

    The odds are chances by what a trial costs (`Odds.worth`). A tactic is yielded once, whoever
    proposes it; its chance is higher if several sources do. While a source is still working, what can be expected
    of it competes: if that alone would fill the trials that are left with better chances than the best known
    candidate has, the next trial waits for it. The first trial never waits.

    Args:
        sources: each source's candidates, best first, by the name of the source.
        limit: how many candidates to yield.
        odds: the fitted chances.
    """

    def __init__(self, sources: Mapping[str, Awaitable[Sequence[Candidate]]], limit: int, odds: Odds) -> None:
        self.scores: dict[str, float] = {}
        """The chance of each tactic, by its text as yielded. It grows if another source proposes the tactic, too."""
        self.origins: dict[str, str] = {}
        """The theorems that tactics are taken from, by the tactic's text as yielded."""
        self._awaited = {name: asyncio.ensure_future(coming) for name, coming in sources.items()}
        self._limit = limit
        self._odds = odds
        self._lists: list[Sequence[Candidate]] = []
        self._left: list[Candidate] = []
        self._handed: dict[str, str] = {}

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Candidate:
        """The next candidate to try. Raises what a source raises."""
        while len(self._handed) < self._limit:
            self._note_arrivals()
            if self._left and not self._is_worth_waiting():
                return self._handed_out(self._left.pop(0))
            if not self._awaited:
                break
            await asyncio.wait(self._awaited.values(), return_when=asyncio.FIRST_COMPLETED)
        raise StopAsyncIteration

    def close(self) -> None:
        """Stop waiting for the sources."""
        for coming in self._awaited.values():
            coming.cancel()

    def _note_arrivals(self) -> None:
        arrived = [name for name, coming in self._awaited.items() if coming.done()]
        if not arrived:
            return
        self._lists += [self._awaited.pop(name).result() for name in arrived]
        self._left = []
        for candidate in sorted(self._odds.weighed(self._lists), key=self._odds.worth, reverse=True):
            given = self._handed.get(key_of(candidate.tactic))
            if given is None:
                self._left.append(candidate)
            else:
                self._describe(given, candidate)

    def _is_worth_waiting(self) -> bool:
        """Whether the sources that are still working are expected to fill the trials left with better tactics."""
        best = self._left[0].score
        expected = (chance for name in self._awaited for chance in self._odds.expected.get(name, ()))
        left = self._limit - len(self._handed)
        return bool(self._handed) and sum(chance > best for chance in expected) >= left

    def _handed_out(self, candidate: Candidate) -> Candidate:
        self._handed[key_of(candidate.tactic)] = candidate.tactic
        self._describe(candidate.tactic, candidate)
        return candidate

    def _describe(self, given: str, candidate: Candidate) -> None:
        self.scores[given] = candidate.score
        if candidate.origin:
            self.origins[given] = candidate.origin
