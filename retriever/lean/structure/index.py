"""Which premises a goal is an instance of, of all premises at once (`retriever.lean.structure.hashes`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
import numpy.typing as npt

from retriever.lean.structure.hashes import SIDES, Channel, GoalStructure, in_channel
from retriever.search.index.structure_columns import Hashes, Ids, Ints, StructureColumns

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
_CHANNELS = len(Channel)
_MIRRORED = 0.9
"""What an instance is worth whose sides have to be exchanged first."""
_SIDE = 0.8
"""What an instance of one side of an `↔` is worth."""
_MUCH = 10.0
"""A weight of hypotheses that is much: about two rare symbols."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How n premises fit a goal by their structure; columns float32[n], each from 0 to 1."""

    instance: Floats
    """0 where the goal is no instance of the conclusion or a side, else how much of the goal that says."""
    exact: Floats
    """How surely it is the goal that the premise states: an instance that says all of it, of the goal's
    types, with all that is assumed at hand, and not of so little that much else would fit as well."""
    overlap: Floats
    """How much of the conclusion the goal has, whether or not it has it all."""
    hypotheses: Floats
    """How much of what is assumed the context has; 1 where nothing is."""
    assumed: Floats
    """How much that is: 0 for nothing, towards 1 for much."""
    types: Floats
    """How much of its binders' types the goal mentions; 1 where they name none."""

    def then(self, other: Fit) -> Fit:
        """The premises of both, one behind the other."""
        return Fit(*(np.concatenate([getattr(self, f.name), getattr(other, f.name)]) for f in fields(Fit)))

    @property
    def promise(self) -> Floats:
        """float32[n]: how likely an instance may be applied at once; 0 for what is none."""
        applicable = 0.5 * self.instance * (1.0 + self.hypotheses) + 0.5 * self.hypotheses * self.assumed
        return np.where(self.instance > 0, applicable * (0.5 + 0.5 * self.types), 0.0).astype(np.float32)


class StructureIndex:
    """The columns of several segments, premises counted on from one to the next."""

    def __init__(self, segments: Sequence[StructureColumns]) -> None:
        self._segments = segments
        self._bounds = np.cumsum([0, *map(len, segments)])

    def __len__(self) -> int:
        return int(self._bounds[-1])

    @cached_property
    def _frequencies(self) -> tuple[Hashes, Doubles]:
        """The distinct hashes, ascending, and in how many premises each stands."""
        hashes = [segment.hashes for segment in self._segments]
        counts = [np.diff(segment.starts) for segment in self._segments]
        if len(hashes) == 1:
            return hashes[0], counts[0].astype(np.float64)
        nothing = np.zeros(0, dtype=np.uint32)
        distinct, place = np.unique(np.concatenate([nothing, *hashes]), return_inverse=True)
        weights = np.concatenate([np.zeros(0), *counts])
        return distinct, np.asarray(np.bincount(place, weights, minlength=len(distinct)), dtype=np.float64)

    @cached_property
    def _sizes(self) -> npt.NDArray[np.uint8]:
        """uint8[len(SIDES), n]: how many hashes each premise has in each channel of conclusions."""
        sizes = []
        for segment in self._segments:
            channels = (segment.rows & np.uint32(7)).astype(np.uint8)
            first, last = segment.row_starts[:-1], segment.row_starts[1:]
            counts = np.empty((len(SIDES), len(segment)), dtype=np.uint8)
            for place, side in enumerate(SIDES):
                before = np.append(np.int32(0), np.cumsum(channels == side, dtype=np.int32))
                counts[place] = np.minimum(before[last] - before[first], 255)
            sizes.append(counts)
        return np.concatenate([np.zeros((len(SIDES), 0), dtype=np.uint8), *sizes], axis=1)

    def instances(self, goal: GoalStructure) -> Ids:
        """The premises of whose conclusion, or a side of it, the goal is an instance; ascending."""
        found = np.zeros(len(self), dtype=np.bool_)
        for target in (goal.target, goal.mirrored):
            for channel, sizes in zip(SIDES, self._sizes, strict=True):
                if target:
                    found |= (sizes > 0) & (self._counts(in_channel(t, channel) for t in target) == sizes)
        return np.flatnonzero(found)

    def _counts(self, tokens: Iterable[int]) -> npt.NDArray[np.int64]:
        """int64[n]: how many of these each premise has."""
        found: list[Ints] = []
        for token in tokens:
            for base, segment in zip(self._bounds.tolist(), self._segments, strict=False):
                documents = segment.find(token)
                found.append(documents + np.int32(base) if base else documents)
        if not found:
            return np.zeros(len(self), dtype=np.int64)
        return np.bincount(np.concatenate(found), minlength=len(self))

    def fit(self, goal: GoalStructure, chosen: Ids) -> Fit:
        """How these premises fit a goal, in their order."""
        lengths, rows = self._rows(chosen)
        return self._fit(goal, lengths, rows)

    def fit_rows(self, goal: GoalStructure, rows: Sequence[Iterable[int]]) -> Fit:
        """The same for premises outside the index, from their hashes."""
        listed = [list(row) for row in rows]
        lengths = np.array([len(row) for row in listed], dtype=np.int64)
        return self._fit(goal, lengths, np.array([t for row in listed for t in row], dtype=np.uint32))

    def _rows(self, chosen: Ids) -> tuple[Ids, Hashes]:
        """The number of hashes of each, and all of them."""
        lengths = np.zeros(len(chosen), dtype=np.int64)
        parts = [np.zeros(0, dtype=np.uint32)]
        order = [np.zeros(0, dtype=np.int64)]
        for base, segment in zip(self._bounds.tolist(), self._segments, strict=False):
            here = np.flatnonzero((chosen >= base) & (chosen < base + len(segment)))
            first = segment.row_starts[chosen[here] - base]
            counts = segment.row_starts[chosen[here] - base + 1] - first
            lengths[here] = counts
            before = np.cumsum(counts) - counts
            parts.append(segment.rows[np.repeat(first - before, counts) + np.arange(int(counts.sum()))])
            order.append(np.repeat(here, counts))
        owners = np.concatenate(order)
        return lengths, np.concatenate(parts)[np.argsort(owners, kind="stable")]

    def _fit(self, goal: GoalStructure, lengths: Ids, rows: Hashes) -> Fit:
        count = len(lengths)
        cells = np.repeat(np.arange(count), lengths) * _CHANNELS + (rows & 7).astype(np.int64)
        weights = self._weights(rows)

        def by_channel(values: Doubles) -> Doubles:
            sums = np.bincount(cells, values, minlength=count * _CHANNELS)
            return np.asarray(sums, dtype=np.float64).reshape(count, _CHANNELS)

        totals = by_channel(weights)

        def met(tokens: Iterable[int]) -> tuple[Doubles, npt.NDArray[np.bool_]]:
            has = _among(rows, tokens)
            return by_channel(weights * has), by_channel((~has).astype(np.float64)) == 0

        size = float(self._weights(np.fromiter(goal.own, dtype=np.uint32)).sum())
        instance, overlap, told = np.zeros(count), np.zeros(count), np.zeros(count)
        for target, price in ((goal.target, 1.0), (goal.mirrored, _MIRRORED)):
            if not target:
                continue
            said, is_all = met(in_channel(token, channel) for channel in SIDES for token in target)
            for channel in SIDES:
                worth = price if channel == Channel.CONCLUSION else price * _SIDE
                whole = is_all[:, channel] & (totals[:, channel] > 0)
                share = worth * np.minimum(said[:, channel] / max(size, 1e-9), 1.0)
                told = np.where(whole & (share > instance), said[:, channel], told)
                instance = np.maximum(instance, np.where(whole, share, 0.0))
                overlap = np.maximum(overlap, worth * _share(said[:, channel], totals[:, channel], 0.0))
        known, _ = met((*goal.hypotheses, *goal.types))
        assumed = known[:, Channel.HYPOTHESES]
        has_all = assumed >= totals[:, Channel.HYPOTHESES] - 1e-6
        types = _share(known[:, Channel.TYPES], totals[:, Channel.TYPES], 1.0)
        told_enough = 1.0 - np.exp(-(told + assumed) / _MUCH)
        columns = (
            instance,
            np.where(has_all, instance**2 * told_enough * types, 0.0),
            overlap,
            _share(assumed, totals[:, Channel.HYPOTHESES], 1.0),
            1.0 - np.exp(-assumed / _MUCH),
            types,
        )
        return Fit(*(column.astype(np.float32) for column in columns))

    def _weights(self, hashes: Hashes) -> Doubles:
        """Inverse document frequencies."""
        distinct, counts = self._frequencies
        frequency = np.zeros(len(hashes))
        if len(distinct):
            place = np.minimum(np.searchsorted(distinct, hashes), len(distinct) - 1)
            frequency = np.where(distinct[place] == hashes, counts[place], 0.0)
        return np.asarray(np.log((2.0 + len(self)) / (1.0 + frequency)))


def _among(rows: Hashes, tokens: Iterable[int]) -> npt.NDArray[np.bool_]:
    """bool[len(rows)]: which are one of the few tokens."""
    few = np.array(sorted(tokens), dtype=np.uint32)
    if not len(few):
        return np.zeros(len(rows), dtype=np.bool_)
    place = np.minimum(np.searchsorted(few, rows), len(few) - 1)
    return np.asarray(few[place] == rows)


def _share(met: Doubles, total: Doubles, otherwise: float) -> Doubles:
    """How much of what there is was met, by weight."""
    return np.where(total > 0, met / np.maximum(total, 1e-9), otherwise)
