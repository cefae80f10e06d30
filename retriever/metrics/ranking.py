"""Ranking metrics: pure functions of one ranking and its gold set; means are taken by the caller.

A ranking is a sequence of distinct candidate numbers, best first. Recall, precision and F1 follow
section 4.1.3 of the paper, nDCG the graded relevance of its Table 1. The paper's F1 is the harmonic mean of
the *averaged* precision and recall: its Table 4 has R@1 4.63, P@1 8.35 and F1@1 5.96 = 2·4.63·8.35 / 12.98,
which no mean over queries gives.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from lean_extract.common.arrays import Doubles, Floats, Int64s

_MATCH = 1.0
_SAME_MODULE = 0.3


def recall_at(ranking: Sequence[int], gold: Collection[int], k: int) -> float:
    """The share of the gold premises among the first `k`. Raises ValueError on an empty gold set."""
    _check(gold, k)
    return _hits(ranking, gold, k) / len(gold)


def precision_at(ranking: Sequence[int], gold: Collection[int], k: int) -> float:
    """The share of the first `k` ranks that hold a gold premise; empty ranks count as misses."""
    _check(gold, k)
    return _hits(ranking, gold, k) / k


def f1_of(precision: Doubles, recall: Doubles) -> Doubles:
    """The elementwise harmonic mean of averaged precisions and recalls; 0 where both are."""
    total = precision + recall
    return np.asarray(2 * precision * recall / np.where(total > 0, total, 1.0))


def reciprocal_rank(ranking: Sequence[int], gold: Collection[int]) -> float:
    """One over the rank (from 1) of the first gold premise; 0 if none was ranked."""
    _check(gold, 1)
    return next((1.0 / rank for rank, item in enumerate(ranking, start=1) if item in gold), 0.0)


def ndcg_at(grades: Sequence[float], ideal: Sequence[float], k: int) -> float:
    """Normalised discounted cumulative gain of the first `k` ranks.

    Args:
        grades: the relevance of each ranked candidate, best-ranked first (Table 1).
        ideal: the relevances of the best possible ranking of the whole pool, largest first.
        k: how many ranks count.
    """
    best = _gain(ideal, k)
    if best <= 0:
        raise ValueError("nDCG needs at least one relevant candidate in the pool")
    return _gain(grades, k) / best


def grades_of(
    ranking: Sequence[int], gold: Collection[int], modules: NDArray[np.int64], gold_modules: Collection[int]
) -> list[float]:
    """Table 1's relevance of each ranked candidate: 1 for a gold premise, 0.3 for one of a gold's module."""
    return [
        _MATCH if item in gold else _SAME_MODULE if modules[item] in gold_modules else 0.0 for item in ranking
    ]


def ideal_grades(gold_count: int, neighbours: int, k: int) -> list[float]:
    """The first `k` relevances of the best ranking; `neighbours` others share a module with a gold."""
    matches = min(gold_count, k)
    return [_MATCH] * matches + [_SAME_MODULE] * min(neighbours, k - matches)


def _gain(grades: Sequence[float], k: int) -> float:
    return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades[:k], start=1))


def _hits(ranking: Sequence[int], gold: Collection[int], k: int) -> int:
    return sum(item in gold for item in ranking[:k])


def _check(gold: Collection[int], k: int) -> None:
    if not gold:
        raise ValueError("a query without gold premises has no metrics")
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")


_GROUP = 64


def columns_of(pool: Int64s, documents: int) -> Int64s:
    """[documents + 1] The column of each document in `pool`; -1 if it is not there, and for document -1."""
    found = np.full(documents + 1, -1, dtype=np.int64)
    found[pool] = np.arange(len(pool))
    return found


def best_columns(scores: Floats, k: int) -> NDArray[np.int32]:
    """int32[b, k]: the columns of the k best finite scores of each row of [b, n], best first, then -1.

    A column among the k best is in one of the k groups of columns with the best maxima; only those are
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
