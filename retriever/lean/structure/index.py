"""Finds the premises of which a goal is an instance, with the hashes of `retriever.lean.structure.hashes`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Doubles, Floats, Ids, Int32s, UInt32s
from retriever.lean.structure.hashes import (
    EQUATION,
    EQUIVALENCE,
    Channel,
    GoalStructure,
    channel_start,
    channels_of,
)
from retriever.search.index.structure_columns import StructureColumns
from retriever.search.index.table import rows_of

_CHANNELS = len(Channel)
_CONCLUSIONS = (Channel.CONCLUSION, Channel.LEFT, Channel.RIGHT)
_MIRRORED = 0.9
"""The value of an instance whose sides have to be swapped first."""
_SIDE = 0.8
"""The value of an instance of one side of an `↔`."""
_MOST_REWRITING = 1000
"""Premises that are matched with a goal's subterms to find those that rewrite it."""
_NONE: UInt32s = np.zeros(0, dtype=np.uint32)
_MUCH = 10.0
"""A weight of hypotheses that counts as large: about two rare symbols."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How well n premises fit a goal by their structure. Columns are float32[n], with values from 0 to 1."""

    instance: Floats
    """0 if the goal is not an instance of the conclusion or a side of it; otherwise the share of the goal that the
    conclusion covers."""
    exact: Floats
    """How certain it is that the premise states the goal. It is high for an instance that covers the whole goal,
    has the goal's types, has all its hypotheses in the context, and is specific enough that few others fit."""
    overlap: Floats
    """The share of the conclusion that the goal contains, whether or not it is an instance."""
    hypotheses: Floats
    """The share of the premise's hypotheses that the context contains; 1 if it has none."""
    assumed: Floats
    """The weight of the hypotheses that the context contains: 0 for none, towards 1 for many."""
    types: Floats
    """The share of its binders' types that the goal mentions; 1 if they contain no symbols."""

    def then(self, other: Fit) -> Fit:
        """The premises of both, concatenated."""
        return Fit(*(np.concatenate([getattr(self, f.name), getattr(other, f.name)]) for f in fields(Fit)))

    @property
    def promise(self) -> Floats:
        """float32[n]: how likely an instance can be applied directly; 0 if it is not an instance."""
        applicable = 0.5 * self.instance * (1.0 + self.hypotheses) + 0.5 * self.hypotheses * self.assumed
        return np.where(self.instance > 0, applicable * (0.5 + 0.5 * self.types), 0.0).astype(np.float32)


class StructureIndex:
    """The columns of several segments. Premises are numbered across segments."""

    def __init__(self, segments: Sequence[StructureColumns]) -> None:
        self._segments = segments
        self._bounds = np.cumsum([0, *map(len, segments)])

    def __len__(self) -> int:
        return int(self._bounds[-1])

    @cached_property
    def _frequencies(self) -> tuple[UInt32s, Doubles]:
        """The distinct hashes, ascending, and the number of premises that have each."""
        hashes = [segment.hashes for segment in self._segments]
        counts = [np.diff(segment.starts) for segment in self._segments]
        if len(hashes) == 1:
            return hashes[0], counts[0].astype(np.float64)
        nothing = np.zeros(0, dtype=np.uint32)
        distinct, inverse = np.unique(np.concatenate([nothing, *hashes]), return_inverse=True)
        weights = np.concatenate([np.zeros(0), *counts])
        return distinct, np.asarray(np.bincount(inverse, weights, minlength=len(distinct)), dtype=np.float64)

    @cached_property
    def _sizes(self) -> npt.NDArray[np.uint8]:
        """uint8[3, n]: the number of hashes of each premise's conclusion, and of its left and its right side."""
        sizes = []
        for segment in self._segments:
            channels = channels_of(segment.rows).astype(np.uint8)
            first, last = segment.row_starts[:-1], segment.row_starts[1:]
            counts = np.empty((len(_CONCLUSIONS), len(segment)), dtype=np.uint8)
            for row, chosen in enumerate(
                (channels <= Channel.RIGHT, channels == Channel.LEFT, channels == Channel.RIGHT)
            ):
                before = np.append(np.int32(0), np.cumsum(chosen, dtype=np.int32))
                counts[row] = np.minimum(before[last] - before[first], 255)
            sizes.append(counts)
        return np.concatenate([np.zeros((len(_CONCLUSIONS), 0), dtype=np.uint8), *sizes], axis=1)

    def instances(self, goal: GoalStructure) -> Ids:
        """The premises such that the goal is an instance of the conclusion or a side of an `↔`, ascending."""
        found = np.zeros(len(self), dtype=np.bool_)
        whole, *sides = self._sizes
        is_equivalence = self._counts([EQUIVALENCE]) > 0
        for target, as_side in ((goal.target, goal.sides), (goal.mirrored, goal.mirrored_sides)):
            if not target:
                continue
            found |= (whole > 0) & (self._counts(target) == whole)
            for channel, sizes in zip((Channel.LEFT, Channel.RIGHT), sides, strict=True):
                tokens = [token for token in as_side if token >> 29 == channel]
                found |= is_equivalence & (sizes > 0) & (self._counts(tokens) == sizes)
        return np.flatnonzero(found)

    @cached_property
    def _rewriting(self) -> list[tuple[UInt32s, Ids]]:
        """For each side: (a hash of it, the premise) of all equations and equivalences, by the hash.

        It is the rarest one of the side, so that few premises are under one hash.
        """
        found = []
        for side in (Channel.LEFT, Channel.RIGHT):
            keys = np.concatenate([_NONE, *(_rarest(segment, side) for segment in self._segments)])
            chosen = np.flatnonzero((self._counts([EQUATION, EQUIVALENCE]) > 0) & (keys > 0))
            order = np.argsort(keys[chosen], kind="stable")
            found.append((keys[chosen][order], chosen[order]))
        return found

    def rewriting(self, hashes: UInt32s) -> Ids:
        """The equations and equivalences with a side whose rarest hash is among these; at most _MOST_REWRITING.

        Those under the rarest hashes come first into the list, which ascends.
        """
        parts = []
        for keys, premises in self._rewriting:
            first = np.searchsorted(keys, hashes, side="left")
            counts = np.searchsorted(keys, hashes, side="right") - first
            order = np.argsort(counts, kind="stable")
            order = order[np.cumsum(counts[order]) <= _MOST_REWRITING // 2]
            parts.append(premises[rows_of(first[order], counts[order])])
        return np.unique(np.concatenate(parts))

    def _counts(self, tokens: Iterable[int]) -> npt.NDArray[np.int64]:
        """int64[n]: how many of these tokens each premise has."""
        found: list[Int32s] = []
        for token in tokens:
            for base, segment in zip(self._bounds.tolist(), self._segments, strict=False):
                documents = segment.find(token)
                found.append(documents + np.int32(base) if base else documents)
        if not found:
            return np.zeros(len(self), dtype=np.int64)
        return np.bincount(np.concatenate(found), minlength=len(self))

    def fit(self, goal: GoalStructure, chosen: Ids) -> Fit:
        """How well these premises fit a goal, in their order."""
        lengths, rows = self.rows(chosen)
        return self._fit(goal, lengths, rows)

    def fit_rows(self, goal: GoalStructure, rows: Sequence[Iterable[int]]) -> Fit:
        """How well premises outside the index fit a goal, from their hashes."""
        listed = [list(row) for row in rows]
        lengths = np.array([len(row) for row in listed], dtype=np.int64)
        return self._fit(goal, lengths, np.array([t for row in listed for t in row], dtype=np.uint32))

    def rows(self, chosen: Ids) -> tuple[Ids, UInt32s]:
        """(the number of hashes of each of these premises, int64[k]; all their hashes, premise after premise)."""
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

    def _fit(self, goal: GoalStructure, lengths: Ids, rows: UInt32s) -> Fit:
        count = len(lengths)
        cells = np.repeat(np.arange(count), lengths) * _CHANNELS + channels_of(rows).astype(np.int64)
        weights = self.weights(rows)

        def by_channel(values: Doubles) -> Doubles:
            sums = np.bincount(cells, values, minlength=count * _CHANNELS)
            return np.asarray(sums, dtype=np.float64).reshape(count, _CHANNELS)

        totals = by_channel(weights)

        ways = ((goal.target, goal.sides, 1.0), (goal.mirrored, goal.mirrored_sides, _MIRRORED))
        *has, is_known = among(
            rows, *(tokens for way in ways for tokens in way[:2]), goal.hypotheses | goal.types
        )
        size = float(self.weights(np.fromiter(goal.own, dtype=np.uint32)).sum())
        instance, overlap, evidence = np.zeros(count), np.zeros(count), np.zeros(count)
        is_equivalence = np.bincount(cells // _CHANNELS, rows == EQUIVALENCE, minlength=count) > 0
        total = totals[:, _CONCLUSIONS].sum(axis=1)
        for has_whole, has_side, (target, _, price) in zip(has[::2], has[1::2], ways, strict=True):
            if not target:
                continue
            whole, part = by_channel(weights * has_whole), by_channel(weights * has_side)
            is_whole, is_part = (by_channel(~one * 1.0) == 0 for one in (has_whole, has_side))
            for matched, most, is_all, worth in (
                (whole[:, _CONCLUSIONS].sum(axis=1), total, is_whole[:, _CONCLUSIONS].all(axis=1), price),
                *(
                    (
                        part[:, side] * is_equivalence,
                        totals[:, side] * is_equivalence,
                        is_part[:, side],
                        price * _SIDE,
                    )
                    for side in (Channel.LEFT, Channel.RIGHT)
                ),
            ):
                share = worth * np.minimum(matched / max(size, 1e-9), 1.0)
                is_best = is_all & (most > 0) & (share > instance)
                evidence = np.where(is_best, matched, evidence)
                instance = np.where(is_best, share, instance)
                overlap = np.maximum(overlap, worth * _share(matched, most, 0.0))
        known = by_channel(weights * is_known)
        assumed = known[:, Channel.HYPOTHESES]
        has_all = assumed >= totals[:, Channel.HYPOTHESES] - 1e-6
        types = _share(known[:, Channel.TYPES], totals[:, Channel.TYPES], 1.0)
        certainty = 1.0 - np.exp(-(evidence + assumed) / _MUCH)
        columns = (
            instance,
            np.where(has_all, instance**2 * certainty * types, 0.0),
            overlap,
            _share(assumed, totals[:, Channel.HYPOTHESES], 1.0),
            1.0 - np.exp(-assumed / _MUCH),
            types,
        )
        return Fit(*(column.astype(np.float32) for column in columns))

    def weights(self, hashes: UInt32s) -> Doubles:
        """float64[len(hashes)]: inverse document frequencies."""
        distinct, counts = self._frequencies
        frequency = np.zeros(len(hashes))
        if len(distinct):
            index = np.minimum(np.searchsorted(distinct, hashes), len(distinct) - 1)
            frequency = np.where(distinct[index] == hashes, counts[index], 0.0)
        return np.asarray(np.log((2.0 + len(self)) / (1.0 + frequency)))


def _rarest(segment: StructureColumns, side: Channel) -> UInt32s:
    """uint32[n]: the rarest hash of each document's side; 0 where there is none."""
    start, stop = np.searchsorted(segment.hashes, [channel_start(side), channel_start(side + 1)])
    counts = np.diff(segment.starts[start : stop + 1])
    order = np.argsort(-counts, kind="stable")
    entries = rows_of(segment.starts[start:stop][order], counts[order])
    found = np.zeros(len(segment), dtype=np.uint32)
    found[segment.documents[entries]] = np.repeat(segment.hashes[start:stop][order], counts[order])
    return found


def among(rows: UInt32s, *sets: Iterable[int]) -> npt.NDArray[np.bool_]:
    """bool[len(sets), len(rows)]: which rows are in each of some small sets."""
    lists = [np.fromiter(one, dtype=np.uint32) for one in sets]
    tokens = np.unique(np.concatenate(lists))
    is_in = np.zeros((len(sets), len(tokens) + 1), dtype=np.bool_)  # the last one is of what is in none
    for number, one in enumerate(lists):
        is_in[number, np.searchsorted(tokens, one)] = True
    place = np.searchsorted(tokens, rows)
    known = np.append(tokens, np.uint32(0))[place] == rows
    return is_in[:, np.where(known, place, len(tokens))]


def _share(matched: Doubles, total: Doubles, otherwise: float) -> Doubles:
    """The share of the total weight that was matched; `otherwise` where the total is 0."""
    return np.where(total > 0, matched / np.maximum(total, 1e-9), otherwise)
