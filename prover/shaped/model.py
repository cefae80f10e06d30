"""The generator of shapes: goals and premises in, the most probable tactics out. No torch.

Tactics are found by a best-first search over shapes and what fills their slots. The log-probability of a tactic is
that of its shape plus that of each filler given those before it. A beginning never gains by going on, so the tactics
come out in order of their probability, and no more is computed than needed.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from lean_extract.common.arrays import Floats
from lean_extract.common.cancellation import check_cancelled
from lean_extract.records import Goal, Premise
from lean_extract.syntax.complete_tactics import head
from prover.candidates import is_unfinished, key_of
from prover.generator.source import Generated
from prover.limits import MAX_BEGINNINGS, MAX_SHAPES_FILLED
from prover.shaped.files import Contents, Networks, log_softmax, read
from prover.shaped.pointing import (
    Ranked,
    Uses,
    eligible,
    head_bucket,
    local_table,
    premise_table,
    ranked,
    type_buckets,
)
from prover.shaped.shape import GROUPS, Shape, Slot
from prover.shaped.situation import Situation, bags
from prover.shapes import Argument
from prover.templates import PremiseView

_SHAPES = "shapes"
"""The source of what it writes."""
_MORE = 3
"""This many times the wanted number of tactics are found, since one tactic may come from two shapes."""
_PROBABLE = 3
"""This many quarters of the tactics are the most probable; the others begin with the likeliest further first words."""


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
            premises: best first; at most as many are read as the model was trained on.
            max_bytes: a hint of other generators; shapes have lengths of their own.

        Raises Cancelled.
        """
        if not goals or count < 1:
            return []
        situation = Situation.of(goals[0])
        chances = self._contents.networks.shapes(bags(situation))
        # Number 0 means any unknown shape.
        order = 1 + np.argsort(-chances[1:], kind="stable")[:MAX_SHAPES_FILLED]
        shapes = [(float(chances[number]), self._contents.shapes[number]) for number in order.tolist()]
        known = ranked(situation, premises[: self._contents.max_premises])
        filler = _Filler(self._contents.networks, situation, known, self._contents.uses)
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
    made = [Generated(tactic, min(chance, 0.0), _SHAPES) for tactic, chance in chances.values()]
    return sorted(made, key=lambda one: -one.log_probability)


def _likely_heads(shapes: Sequence[tuple[float, Shape]]) -> list[str]:
    """The first words of shapes, by the sum of their probabilities."""
    total: dict[str, float] = defaultdict(float)
    for chance, shape in shapes:
        total[head(shape.texts[0])] += math.exp(chance)
    return sorted(total, key=lambda first: -total[first])


_MOST_FILLERS = 6
"""The best fillers of a slot that are followed."""
_Choices = list[tuple[float, str]]
"""Fillers with their log-probabilities, best first."""


class _Filler:
    """Fills the slots of shapes for one goal."""

    def __init__(
        self, networks: Networks, situation: Situation, premises: Sequence[Ranked], uses: Uses
    ) -> None:
        self._networks, self._situation = networks, situation
        self._premises, self._uses = premises, uses
        self._views = {one.premise.written: one.view for one in premises}
        self._types = type_buckets(situation)
        self._known: dict[tuple[object, ...], _Choices] = {}

    def choices(self, shape: Shape, taken: Sequence[str]) -> _Choices:
        """What may fill the next slot of a shape, after these fillers."""
        slot = shape.slots[len(taken)]
        head = head_bucket(shape.texts[0])
        if slot.kind == "B":
            return [(0.0, self._situation.binder)] if self._situation.binder else []
        argument = wanted(slot, taken, self._views)
        owner = taken[slot.of] if argument else ""
        key = (slot.kind, slot.group, slot.arguments, slot.place, owner, head, tuple(taken))
        if key not in self._known:
            self._known[key] = (
                self._premise(slot, head, taken)
                if slot.kind == "P"
                else self._local(slot, head, taken, argument, self._views.get(owner))
            )
        return self._known[key]

    def _premise(self, slot: Slot, head: int, taken: Sequence[str]) -> _Choices:
        if not self._premises:
            return []
        table = premise_table(slot, self._premises, self._uses, taken)
        scores = log_softmax(self._networks.premises(table, GROUPS.index(slot.group), head))
        return _best(scores, [one.premise.written for one in self._premises])

    def _local(
        self,
        slot: Slot,
        head: int,
        taken: Sequence[str],
        argument: Argument | None,
        of: PremiseView | None,
    ) -> _Choices:
        fits = eligible(slot, self._situation.locals)
        if not fits.any():
            return []
        table = local_table(slot, self._situation, taken, argument, of)[fits]
        group = GROUPS.index(slot.group)
        scores = log_softmax(self._networks.locals(table, self._types[fits], group, head))
        names = [local.name for local, is_fit in zip(self._situation.locals, fits, strict=True) if is_fit]
        return _best(scores, names)


def wanted(slot: Slot, taken: Sequence[str], views: dict[str, PremiseView | None]) -> Argument | None:
    """The premise's argument in a slot; None if the slot is no argument, or the premise's statement is unknown."""
    view = views.get(taken[slot.of]) if 0 <= slot.of < len(taken) else None
    if view is None or slot.place >= len(view.explicit):
        return None
    return view.explicit[slot.place]


def _best(scores: Floats, names: Sequence[str]) -> _Choices:
    order = np.argsort(-scores, kind="stable")[:_MOST_FILLERS].tolist()
    return [(float(scores[at]), names[at]) for at in order]


def tactics(filler: _Filler, shapes: Sequence[tuple[float, Shape]]) -> Iterator[tuple[float, str]]:
    """Tactics with their log-probabilities, the most probable first. Raises Cancelled.

    `shapes` are (log-probability, shape), the most probable first. One tactic may come by several shapes.
    """
    order = itertools.count()
    waiting: list[tuple[float, int, Shape, tuple[str, ...]]] = []
    rest = iter(shapes)
    upcoming = next(rest, None)
    for _ in range(MAX_BEGINNINGS):
        check_cancelled()
        while upcoming is not None and (not waiting or upcoming[0] >= -waiting[0][0]):
            heapq.heappush(waiting, (-upcoming[0], next(order), upcoming[1], ()))
            upcoming = next(rest, None)
        if not waiting:
            return
        cost, _number, shape, taken = heapq.heappop(waiting)
        if len(taken) == len(shape.slots):
            yield -cost, shape.filled(taken)
            continue
        for chance, name in filler.choices(shape, taken):
            heapq.heappush(waiting, (cost - chance, next(order), shape, (*taken, name)))
