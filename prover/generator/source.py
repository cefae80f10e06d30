"""The tactic generator's interface, and its tactics as candidates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from lean_extract.records import Goal, Premise
from prover.candidates import Candidate

GENERATOR = "generator"
"""The source of what a generator decodes."""


@dataclass(frozen=True, slots=True)
class Generated:
    """A tactic and its probability according to the model."""

    tactic: str
    log_probability: float
    """Natural logarithm, summed over the symbols, including the end."""
    source: str = GENERATOR
    """The kind of model."""


class TacticGenerator(Protocol):
    """What writes tactics for a state."""

    @property
    def fingerprint(self) -> str:
        """Equal fingerprints, equal tactics."""
        ...

    def generate(
        self, goals: Sequence[Goal], premises: Sequence[Premise], *, count: int = 8, max_bytes: int = 64
    ) -> list[Generated]:
        """At most `count` tactics, best first."""
        ...


def as_candidates(generated: Sequence[Generated]) -> list[Candidate]:
    """A generator's tactics; the scores are its own probabilities."""
    return [Candidate(one.tactic, math.exp(min(one.log_probability, 0.0)), one.source) for one in generated]
