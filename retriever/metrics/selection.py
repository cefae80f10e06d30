"""Which columns of a table of scores count: the ranked documents, and the best of a row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lean_extract.common.arrays import Floats, Int64s

_GROUP = 64


def columns_of(pool: Int64s, documents: int) -> Int64s:
    """[documents + 1] The column of each document in `pool`; -1 if it is not there, and for document -1."""
    found = np.full(documents + 1, -1, dtype=np.int64)
    found[pool] = np.arange(len(pool))
    return found


def best_columns(scores: Floats, k: int) -> NDArray[np.int32]:
    """int32[b, k]: the columns of the k best finite scores of each row of [b, n], best first, then -1.

    A column among the k best lies in one of the k groups of columns with the best maxima; only those are
    looked at, which takes a tenth of a full selection's time. Ties are in order of column.
    """
    rows, n = scores.shape
    result = np.full((rows, k), -1, dtype=np.int32)
    groups = max(-(-n // _GROUP), 1)
    depth = n // groups
    best = scores[:, : depth * groups].reshape(rows, depth, groups).max(axis=1, initial=-np.inf)
    rest = scores[:, depth * groups :]
    np.maximum(best[:, : rest.shape[1]], rest, out=best[:, : rest.shape[1]])
    steps = np.arange(depth + 1) * groups
    for row in range(rows):
        border = -np.partition(-best[row], k - 1)[k - 1] if k < groups else -np.inf
        columns = (np.flatnonzero(best[row] >= border)[:, None] + steps).ravel()
        columns = columns[columns < n]
        values = scores[row, columns]
        order = np.lexsort((columns, -values))[:k]
        order = order[np.isfinite(values[order])]
        result[row, : len(order)] = columns[order]
    return result
