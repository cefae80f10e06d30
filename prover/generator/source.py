"""The tactic generator's interface, and its tactics as candidates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from lean_extract.records import Goal, Premise
from prover.candidates import Candidate
from prover.generator.model import Generated

GENERATOR = "generator"
"""The source of a generator's candidates."""


class TacticGenerator(Protocol):
    """What writes tactics for a state."""

    def generate(
        self, goals: Sequence[Goal], premises: Sequence[Premise], *, count: int = 8, max_bytes: int = 64
    ) -> list[Generated]:
        """At most `count` tactics, best first."""
        ...


def as_candidates(generated: Sequence[Generated]) -> list[Candidate]:
    """A generator's tactics; the scores are its own probabilities."""
    return [Candidate(one.tactic, math.exp(min(one.log_probability, 0.0)), GENERATOR) for one in generated]
