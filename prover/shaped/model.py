"""Runs the generator of shapes: goals and premises in, the most probable tactics out. No torch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lean_extract.records import Goal, Premise
from prover.candidates import is_unfinished, key_of
from prover.generator.model import Generated
from prover.shaped.files import Contents, read
from prover.shaped.filling import Filler, tactics
from prover.shaped.pointing import ranked
from prover.shaped.situation import Situation, bags

_MOST_SHAPES = 160
"""The most probable shapes of a goal that are filled."""
_MORE = 3
"""As many times as many tactics are found as are asked for, since one tactic may come by two shapes."""


class ShapeGenerator:
    """A generator loaded from its folder. Safe to use from several threads."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents

    @classmethod
    def load(cls, folder: Path) -> ShapeGenerator:
        """Load a generator. Raises ModelError: a file is missing, damaged or of another format or version."""
        return cls(read(folder))

    @property
    def fingerprint(self) -> str:
        """A hash of the folder's files: equal fingerprints give equal suggestions."""
        return self._contents.fingerprint

    def generate(
        self, goals: Sequence[Goal], premises: Sequence[Premise], *, count: int = 8, max_bytes: int = 64
    ) -> list[Generated]:
        """At most `count` different tactics, best first.

        Args:
            goals: the state's goals, of which the main one is read; without goals there are no tactics.
            premises: best first; only as many are read as the model was trained on.
            max_bytes: a hint of other generators; shapes have lengths of their own.

        Raises Unwanted.
        """
        if not goals or count < 1:
            return []
        situation = Situation.of(goals[0])
        chances = self._contents.networks.shapes(bags(situation))
        # Number 0 stands for all shapes that are not known.
        order = 1 + np.argsort(-chances[1:], kind="stable")[:_MOST_SHAPES]
        shapes = [(float(chances[number]), self._contents.shapes[number]) for number in order.tolist()]
        known = ranked(situation, premises[: self._contents.max_premises])
        filler = Filler(self._contents.networks, situation, known, self._contents.uses)
        found: dict[str, tuple[str, float]] = {}
        for chance, tactic, _shape in tactics(filler, shapes):
            key = key_of(tactic)
            before = found.get(key)
            found[key] = (
                (tactic, chance) if before is None else (before[0], float(np.logaddexp(before[1], chance)))
            )
            if len(found) >= _MORE * count:
                break
        best = sorted(found.values(), key=lambda one: -one[1])
        return [
            Generated(tactic, min(chance, 0.0))
            for tactic, chance in best
            if not is_unfinished(tactic) and math.isfinite(chance)
        ][:count]
