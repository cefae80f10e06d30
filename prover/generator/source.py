"""A tactic generator, and its log-probabilities as scores on the scale of the templates'."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from lean_extract.records import Goal, Premise
from prover.generator.model import Generated

CERTAIN = 0.9
"""The score that a tactic of probability 1 comes near: what the best templates have. Set by hand."""
EVEN = -3.0
"""The log-probability of half that score. Set by hand."""
SPREAD = 1.2
"""How much log-probability separates good from bad: the logistic curve's width. Set by hand."""


class TacticGenerator(Protocol):
    """What writes tactics for a state."""

    def generate(
        self, goals: Sequence[Goal], premises: Sequence[Premise], *, count: int = 8, max_bytes: int = 64
    ) -> list[Generated]:
        """At most `count` tactics, best first."""
        ...


def score(log_probability: float) -> float:
    """A chance in [0, 1] that grows with the log-probability, on the scale of `prover.candidates`.

    A logistic curve, the form that a fit of "Lean accepted it" on the log-probability has; the three
    constants above were chosen by hand, not fitted.
    """
    exponent = max(-60.0, min(60.0, (EVEN - log_probability) / SPREAD))
    return CERTAIN * (1 + math.exp(EVEN / SPREAD)) / (1 + math.exp(exponent))
