"""The most probable tactics for a goal: best-first search over shapes and what fills their slots.

The log-probability of a tactic is that of its shape plus that of each filler given those before it. A beginning
never gains by going on, so the tactics come out in order of their probability, and no more is computed than needed.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from lean_extract.common.arrays import Floats
from lean_extract.common.cancellation import check_cancelled
from prover.shaped.networks import Networks, log_softmax
from prover.shaped.pointing import (
    Ranked,
    Uses,
    eligible,
    head_bucket,
    local_table,
    premise_table,
    type_buckets,
)
from prover.shaped.shape import GROUPS, Shape, Slot
from prover.shaped.situation import Situation
from prover.shapes import Argument
from prover.templates import PremiseView

_MOST_FILLERS = 6
"""The best fillers of a slot that are followed."""
_MOST_EXPANDED = 400
"""Beginnings that are continued for one goal."""
Choices = list[tuple[float, str]]
"""Fillers with their log-probabilities, best first."""


class Filler:
    """Fills the slots of shapes for one goal."""

    def __init__(
        self, networks: Networks, situation: Situation, premises: Sequence[Ranked], uses: Uses
    ) -> None:
        self._networks, self._situation = networks, situation
        self._premises, self._uses = premises, uses
        self._views = {one.premise.written: one.view for one in premises}
        self._types = type_buckets(situation)
        self._known: dict[tuple[object, ...], Choices] = {}

    def choices(self, shape: Shape, taken: Sequence[str]) -> Choices:
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

    def _premise(self, slot: Slot, head: int, taken: Sequence[str]) -> Choices:
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
    ) -> Choices:
        fits = eligible(slot, self._situation.locals)
        if not fits.any():
            return []
        table = local_table(slot, self._situation, taken, argument, of)[fits]
        group = GROUPS.index(slot.group)
        scores = log_softmax(self._networks.locals(table, self._types[fits], group, head))
        names = [local.name for local, is_fit in zip(self._situation.locals, fits, strict=True) if is_fit]
        return _best(scores, names)


def wanted(slot: Slot, taken: Sequence[str], views: dict[str, PremiseView | None]) -> Argument | None:
    """The argument of a premise that a slot is; None if it is none, or the premise's statement is not known."""
    view = views.get(taken[slot.of]) if 0 <= slot.of < len(taken) else None
    if view is None or slot.place >= len(view.explicit):
        return None
    return view.explicit[slot.place]


def _best(scores: Floats, names: Sequence[str]) -> Choices:
    order = np.argsort(-scores, kind="stable")[:_MOST_FILLERS].tolist()
    return [(float(scores[at]), names[at]) for at in order]


def tactics(filler: Filler, shapes: Sequence[tuple[float, Shape]]) -> Iterator[tuple[float, str]]:
    """Tactics with their log-probabilities, the most probable first. Raises Cancelled.

    `shapes` are (log-probability, shape), the most probable first. One tactic may come by several shapes.
    """
    order = itertools.count()
    waiting: list[tuple[float, int, Shape, tuple[str, ...]]] = []
    rest = iter(shapes)
    upcoming = next(rest, None)
    for _ in range(_MOST_EXPANDED):
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
