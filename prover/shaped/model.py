"""Runs the generator of shapes: goals and premises in, the most probable tactics out. No torch."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from lean_extract.records import Goal, Premise
from lean_extract.syntax.complete_tactics import head
from prover.candidates import is_unfinished, key_of
from prover.generator.source import Generated
from prover.shaped.files import Contents, read
from prover.shaped.filling import Filler, tactics
from prover.shaped.pointing import ranked
from prover.shaped.shape import Shape
from prover.shaped.situation import Situation, bags

SHAPES = "shapes"
"""The source of what it writes."""
_MOST_SHAPES = 160
"""The most probable shapes of a goal that are filled."""
_MORE = 3
"""As many times as many tactics are found as are asked for, since one tactic may come by two shapes."""
_PROBABLE = 3
"""So many quarters of the tactics are the most probable; the others begin with the likeliest further first words."""


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

        Three quarters are the most probable ones; the others have the likeliest first words that those lack.

        Args:
            goals: the state's goals, of which the main one is read; without goals there are no tactics.
            premises: best first; only as many are read as the model was trained on.
            max_bytes: a hint of other generators; shapes have lengths of their own.

        Raises Cancelled.
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
        found = _summed(tactics(filler, shapes), _MORE * count)
        chosen = found[: -(-_PROBABLE * count // 4)]
        heads = {head(one.tactic) for one in chosen}
        for first in _likely_heads(shapes):
            if len(chosen) >= min(count, len(found)):
                break
            if first not in heads:
                heads.add(first)
                own = [one for one in shapes if head(one[1].texts[0]) == first]
                chosen += _summed(tactics(filler, own), 1)
        names = {one.tactic for one in chosen}
        chosen += [one for one in found if one.tactic not in names]
        return sorted(chosen[:count], key=lambda one: -one.log_probability)


def _summed(found: Iterator[tuple[float, str]], most: int) -> list[Generated]:
    """The first different tactics with their probabilities, those of equal ones added up, best first."""
    chances: dict[str, tuple[str, float]] = {}
    for chance, tactic in found:
        if is_unfinished(tactic) or not math.isfinite(chance):
            continue
        key = key_of(tactic)
        known, before = chances.get(key, (tactic, -math.inf))
        chances[key] = (known, float(np.logaddexp(before, chance)))
        if len(chances) >= most:
            break
    made = [Generated(tactic, min(chance, 0.0), SHAPES) for tactic, chance in chances.values()]
    return sorted(made, key=lambda one: -one.log_probability)


def _likely_heads(shapes: Sequence[tuple[float, Shape]]) -> list[str]:
    """The first words of shapes, by the sum of their probabilities."""
    total: dict[str, float] = defaultdict(float)
    for chance, shape in shapes:
        total[head(shape.texts[0])] += math.exp(chance)
    return sorted(total, key=lambda first: -total[first])
