"""The generator as a source of candidates: turns log-probabilities into scores between 0 and 1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from lean_extract.records import Goal, Premise
from prover.candidates import Candidate, merge
from prover.generator.model import Generated

CERTAIN = 0.9
"""The score of a tactic of probability 1, about that of the best templates. Set by hand."""
EVEN = -3.0
"""The log-probability at which the score is half of that. Set by hand."""
SPREAD = 1.2
"""The width of the logistic curve, in log-probability. Set by hand."""


class TacticGenerator(Protocol):
    """What `GeneratorSource` needs of a generator."""

    def generate(
        self, goals: Sequence[Goal], premises: Sequence[Premise], *, count: int = 8, max_bytes: int = 64
    ) -> list[Generated]:
        """At most `count` tactics, best first."""
        ...


@dataclass(frozen=True, slots=True)
class GeneratorSource:
    """The generator as a `CandidateSource`."""

    generator: TacticGenerator
    name: str = "generator"
    per_goal: int = 8

    def candidates(self, goal: Goal, premises: Sequence[Premise], limit: int) -> list[Candidate]:
        """At most `limit` and `per_goal` tactics, best first. Raises ModelError."""
        generated = self.generator.generate([goal], premises, count=min(limit, self.per_goal))
        return merge(
            [[Candidate(each.tactic, score(each.log_probability), self.name) for each in generated]], limit
        )


def score(log_probability: float) -> float:
    """A score in [0, 1] that grows with the log-probability, on the scale of `prover.candidates`.

    It is a logistic curve, the form of a logistic regression of "Lean accepted it" on the log-probability. The
    three constants above were chosen by hand, not fitted.
    """
    exponent = max(-60.0, min(60.0, (EVEN - log_probability) / SPREAD))
    return CERTAIN * (1 + math.exp(EVEN / SPREAD)) / (1 + math.exp(exponent))
