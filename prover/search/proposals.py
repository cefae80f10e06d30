"""Turns sources of candidates and a generator into a proposer, and varies its proposals from pass to pass."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from lean_extract.goals import format_goal
from lean_extract.records import Goal, Premise
from prover.candidates import CandidateSource
from prover.generator.source import TacticGenerator, as_candidates
from prover.odds import shipped_odds
from prover.opening import count_for
from prover.search.environment import Proposed, Proposer

Retrieve = Callable[[Goal], Awaitable[Sequence[Premise]]]
"""The premises that fit a goal, best first."""
TEMPERATURE = 0.5
"""By how much, on average, a seed lowers a tactic's log-probability."""


async def no_premises(_: Goal) -> Sequence[Premise]:
    """No premises, whatever the goal."""
    return ()


@dataclass(frozen=True, slots=True)
class SourcesProposer:
    """Any sources of candidates, and a generator, as a proposer, by the fitted odds.

    `sources`: if there are none, the generator's own log-probabilities count (section 4.5, after LeanDojo).
    `limit`: how many tactics are proposed. `first`: those that are tried before all others. `generated`: how many
    the generator writes for a state. `readable`: which premises the generator reads.
    """

    retrieve: Retrieve
    sources: tuple[CandidateSource, ...]
    limit: int = 32
    first: tuple[str, ...] = ()
    generator: TacticGenerator | None = None
    generated: int = 16
    readable: Callable[[Premise], bool] = lambda premise: True

    async def tactics(self, goals: Sequence[Goal]) -> list[Proposed]:
        """At most `limit` tactics, best first; all sources run in a thread. Raises ModelError, IndexDamaged."""
        premises = await self.retrieve(goals[0])
        return await asyncio.to_thread(self._proposed, goals, premises)

    def _proposed(self, goals: Sequence[Goal], premises: Sequence[Premise]) -> list[Proposed]:
        written = []
        if self.generator is not None:
            read = [premise for premise in premises if self.readable(premise)]
            count = count_for(self.generator, self.generated)
            written = self.generator.generate(goals, read, count=count)
        if not self.sources:
            return [Proposed(one.tactic, one.log_probability) for one in written][: self.limit]
        lists = [source.candidates(goals[0], premises, self.limit) for source in self.sources]
        found = shipped_odds().weighed([*lists, as_candidates(written)])
        best = max((one.score for one in found), default=1.0)
        first = [Proposed(tactic, math.log(best)) for tactic in self.first]
        return [*first, *(Proposed(one.tactic, math.log(one.score)) for one in found)][: self.limit]


@dataclass(frozen=True, slots=True)
class Shuffled:
    """A proposer whose log-probabilities are lowered at random, each by a draw of its own.

    The draw is exponential with mean `temperature`. It depends only on seed, goals and tactic, so that the same
    seed gives the same search. Seed 0 changes nothing.
    """

    proposer: Proposer
    seed: int
    temperature: float = TEMPERATURE

    async def tactics(self, goals: Sequence[Goal]) -> list[Proposed]:
        """The proposer's tactics, best first by the lowered log-probabilities."""
        proposed = await self.proposer.tactics(goals)
        if self.seed == 0:
            return proposed
        state = "\n".join(map(format_goal, goals))
        lowered = [
            Proposed(item.tactic, item.log_probability - self._draw(state, item.tactic)) for item in proposed
        ]
        return sorted(lowered, key=lambda item: -item.log_probability)

    def _draw(self, state: str, tactic: str) -> float:
        chance = random.Random(f"{self.seed}\0{state}\0{tactic}").random()
        return -self.temperature * math.log1p(-chance)
