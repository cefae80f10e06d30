"""Chooses which proposed tactics to run, and turns sources of candidates into a proposer."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass

from lean_extract.records import Goal, Premise
from prover.candidates import Candidate, CandidateSource, is_unfinished
from prover.odds import shipped_odds
from prover.search.environment import Proposed
from prover.search.theorem import script


def choose(proposed: Iterable[Proposed], most: int) -> list[Proposed]:
    """At most `most` tactics, likeliest first, each once, without unfinished ones (`sorry`).

    One-line tactics that differ only in spacing count as one; in longer ones, spacing counts. A tactic without a
    finite log-probability is left out; a log-probability above 0 counts as 0.
    """
    best: dict[str, Proposed] = {}
    for item in proposed:
        tactic = script([item.tactic])
        key = tactic if "\n" in tactic else " ".join(tactic.split())
        if not key or is_unfinished(key) or not math.isfinite(item.log_probability):
            continue
        if key not in best or best[key].log_probability < item.log_probability:
            best[key] = Proposed(key, min(item.log_probability, 0.0))
    return sorted(best.values(), key=lambda item: -item.log_probability)[:most]


Retrieve = Callable[[Goal], Awaitable[Sequence[Premise]]]
"""The premises that fit a goal, best first."""


@dataclass(frozen=True, slots=True)
class SourcesProposer:
    """Any sources of candidates (templates, closers, a generator) as a proposer, by the fitted odds."""

    sources: tuple[CandidateSource, ...]
    retrieve: Retrieve
    limit: int = 32

    async def tactics(self, goals: Sequence[Goal]) -> list[Proposed]:
        """At most `limit` tactics for the main goal. The sources run in a thread."""
        premises = await self.retrieve(goals[0])
        found = await asyncio.to_thread(self._candidates, goals[0], premises)
        return [Proposed(item.tactic, math.log(item.score)) for item in found]

    def _candidates(self, goal: Goal, premises: Sequence[Premise]) -> list[Candidate]:
        lists = [source.candidates(goal, premises, self.limit) for source in self.sources]
        return shipped_odds().weighed(lists)[: self.limit]
