"""Whole numbers and ascending lists in few bytes, for what is shipped."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Bytes, Ids
from retriever.search.index.table import rows_of, starts_of

_BITS = 7


def varints(values: npt.NDArray[Any]) -> Bytes:
    """Whole numbers of at least 0: seven bits a byte, the lowest first; the eighth bit says that more follow."""
    left = values.astype(np.int64)
    columns, is_there = [], [np.ones(len(left), dtype=np.bool_)]
    while True:
        columns.append((left & 127).astype(np.uint8))
        left >>= _BITS
        more = left > 0
        if not more.any():
            break
        columns[-1] |= more.astype(np.uint8) << _BITS
        is_there.append(more)
    return np.stack(columns, axis=1)[np.stack(is_there, axis=1)]


def read_varints(data: Bytes) -> Ids:
    """int64[m]: the inverse of `varints`. Raises ValueError where it is cut off."""
    if not len(data):
        return np.zeros(0, dtype=np.int64)
    if data[-1] >> _BITS:
        raise ValueError("a number is cut off")
    starts = np.append(0, np.flatnonzero(data < 1 << _BITS)[:-1] + 1)
    places = np.arange(len(data)) - np.repeat(starts, np.diff(starts, append=len(data)))
    return np.add.reduceat((data & 127).astype(np.int64) << _BITS * places, starts)


def pack_lists(starts: npt.NDArray[Any], numbers: npt.NDArray[Any]) -> tuple[Bytes, Bytes]:
    """(counts, gaps) of the ascending lists `numbers[starts[i]:starts[i + 1]]` of numbers of at least 0.

    The gaps of short lists come first: gaps of one size are together, which compresses better.
    """
    counts = np.diff(starts).astype(np.int64)
    order = np.argsort(counts, kind="stable")
    ordered = numbers[rows_of(starts[:-1][order], counts[order])].astype(np.int64)
    gaps = np.diff(ordered, prepend=0)
    first = starts_of(counts[order])[:-1][counts[order] > 0]
    gaps[first] = ordered[first]
    return varints(counts), varints(gaps)


def unpack_lists(counts: Bytes, gaps: Bytes) -> tuple[Ids, Ids]:
    """(starts int64[n + 1], numbers int64[m]): the inverse of `pack_lists`. Raises ValueError."""
    lengths, steps = read_varints(counts), read_varints(gaps)
    starts, order = starts_of(lengths), np.argsort(lengths, kind="stable")
    if starts[-1] != len(steps):
        raise ValueError("lists are not as long as their counts")
    order = order[lengths[order] > 0]
    sums = np.cumsum(steps)
    first = starts_of(lengths[order])[:-1]
    numbers = np.empty_like(sums)
    numbers[rows_of(starts[:-1][order], lengths[order])] = sums - np.repeat(
        sums[first] - steps[first], lengths[order]
    )
    return starts, numbers
