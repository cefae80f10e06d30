"""What a matching is worth (section 2.4), and how often proofs are taken (Table 3.1).

A statement's own proof, and none other, is right: proof i belongs to statement i.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lean_extract.common.arrays import Int64s
from retriever.metrics.bootstrap import Bootstrap, Interval
from retriever.metrics.ranks import rank_of
from retriever.proof_matching.decoding import Scores, checked

COLUMNS = ("MRR", "Acc")
BOUNDS = (20, 10, 5, 2)
"""Table 3.1: so many statements or more."""


def own_ranks(scores: Scores) -> Int64s:
    """[n] The rank, from 1, of each statement's own proof in its row of [n, proofs] (r̂ of eq. 2.1).

    Of two equal scores the proof listed first comes first. Raises ValueError.
    """
    rows, columns = checked(scores).shape
    if rows > columns:
        raise ValueError("a statement has no proof of its own")
    return np.array([rank_of(row, own) for own, row in enumerate(scores)], dtype=np.int64)


def ranking_figures(ranks: Sequence[int] | Int64s, seed: int = 0) -> dict[str, Interval]:
    """MRR and accuracy (eq. 2.1 and 2.2) of local decoding, in percent. Raises ValueError without ranks."""
    found = np.asarray(ranks, dtype=np.float64)
    values = 100 * np.stack([1 / found, found == 1], axis=1)
    return _figures(values, seed)


def assignment_figures(proofs: Int64s, seed: int = 0) -> dict[str, Interval]:
    """Accuracy of an assignment, in percent: it has no ranking, so no MRR. Raises ValueError without any."""
    right = 100.0 * (proofs == np.arange(len(proofs)))
    return {"Acc": _figures(right[:, None], seed, ("Acc",))["Acc"]}


def _figures(values: NDArray[np.float64], seed: int, names: Sequence[str] = COLUMNS) -> dict[str, Interval]:
    intervals = Bootstrap(len(values), seed=seed).intervals(values)
    return dict(zip(names, intervals, strict=True))


@dataclass(frozen=True, slots=True)
class StatementCounts:
    """Table 3.1: proofs by the number of statements that take them."""

    proofs: int
    at_least: Mapping[int, int]
    """Bound -> proofs that so many statements or more take."""
    one: int
    none: int


def assignment_counts(taken: Int64s, proofs: int, bounds: Sequence[int] = BOUNDS) -> StatementCounts:
    """The counts for `taken` [statements], the proof that local decoding gives each, of so many proofs."""
    times = np.bincount(taken, minlength=proofs)
    return StatementCounts(
        proofs=proofs,
        at_least={bound: int((times >= bound).sum()) for bound in bounds},
        one=int((times == 1).sum()),
        none=int((times == 0).sum()),
    )
