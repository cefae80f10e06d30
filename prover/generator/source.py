"""The tactic generator's interface, and its log-probabilities as scores between 0 and 1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from lean_extract.records import Goal, Premise
from prover.generator.model import Generated

CERTAIN = 0.9
"""The score of a tactic of probability 1, about that of the best templates. Set by hand."""
EVEN = -3.0
"""The log-probability at which the score is half of that. Set by hand."""
SPREAD = 1.2
"""The width of the logistic curve, in log-probability. Set by hand."""


class TacticGenerator(Protocol):
    """What writes tactics for a state."""

    def generate(
        self, goals: Sequence[Goal], premises: Sequence[Premise], *, count: int = 8, max_bytes: int = 64
    ) -> list[Generated]:
        """At most `count` tactics, best first."""
        ...


def score(log_probability: float) -> float:
    """A score in [0, 1] that grows with the log-probability, on the scale of `prover.candidates`.

    It is a logistic curve, the form of a logistic regression of "Lean accepted it" on the log-probability. The
    three constants above were chosen by hand, not fitted.
    """
    exponent = max(-60.0, min(60.0, (EVEN - log_probability) / SPREAD))
    return CERTAIN * (1 + math.exp(EVEN / SPREAD)) / (1 + math.exp(exponent))
