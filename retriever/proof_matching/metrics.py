"""What a matching is worth (section 2.4), and how often proofs are taken (Table 3.1).

A statement's own proof, and none other, is right: proof i belongs to statement i.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lean_extract.common.arrays import Int64s
from retriever.metrics.bootstrap import Bootstrap, Interval, mean_interval
from retriever.metrics.ranks import rank_of
from retriever.proof_matching.decoding import Scores, checked

COLUMNS = ("MRR", "Acc")
_BOUNDS = (20, 10, 5, 2)
"""Numbers of statements in Table 3.1: this many or more."""


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
    return dict(zip(COLUMNS, Bootstrap(len(values), seed=seed).intervals(values), strict=True))


def assignment_figures(proofs: Int64s, seed: int = 0) -> dict[str, Interval]:
    """Accuracy of an assignment, in percent: it has no ranking, so no MRR. Raises ValueError without any."""
    return {"Acc": mean_interval((proofs == np.arange(len(proofs))).tolist(), seed)}


@dataclass(frozen=True, slots=True)
class StatementCounts:
    """Table 3.1: proofs by the number of statements that take them."""

    proofs: int
    at_least: dict[str, int]
    """Bound, as JSON has it -> proofs that so many statements or more take."""
    one: int
    none: int


def assignment_counts(taken: Int64s, proofs: int, bounds: Sequence[int] = _BOUNDS) -> StatementCounts:
    """The counts for `taken` [statements], the proof that local decoding gives each, of so many proofs."""
    times = np.bincount(taken, minlength=proofs)
    return StatementCounts(
        proofs=proofs,
        at_least={str(bound): int((times >= bound).sum()) for bound in bounds},
        one=int((times == 1).sum()),
        none=int((times == 0).sum()),
    )
