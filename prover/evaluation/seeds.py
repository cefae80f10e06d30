"""How a seed varies further passes over the same problem."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from lean_extract.goals import format_goal
from lean_extract.records import Goal
from prover.search.environment import Proposed, Proposer

TEMPERATURE = 0.5
"""By how much, on average, a seed lowers a tactic's log-probability."""


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
