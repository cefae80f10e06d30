"""From a matrix of scores to proofs of statements, one by one or all at once (section 5.3).

Local decoding takes the best proof of every statement. Global decoding gives each proof to one statement at
most, so that the sum of the scores is greatest: a linear assignment problem, solved by `lap` (Jonker and
Volgenant), whole for a batch and over the best candidates of every statement for a corpus.

scipy solves the same problems more slowly (CPU time of `scripts/benchmarks/assignment.py`'s scores): 10,000 pairs with
500 candidates each in 9.0 s (`min_weight_full_bipartite_matching`) against 2.5 s, 5,000 pairs whole in 7.1 s
(`linear_sum_assignment`) against 3.2 s.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from lean_extract.common.arrays import Int64s
from lean_extract.common.terminal_text import import_extra

Scores = NDArray[np.floating]
UNASSIGNED = -1
_CANDIDATES = 500
"""How many proofs a statement keeps when a corpus is decoded (section 7.1)."""
_ROWS = 512
"""Statements sorted at a time, for the memory."""


@dataclass(frozen=True, slots=True)
class ScoredPairs:
    """The best proofs of every statement."""

    proofs: NDArray[np.int32]
    """[statements, k] Numbers of proofs, ascending in a row."""
    scores: NDArray[np.float64]
    """[statements, k]"""
    total: int
    """How many proofs there are."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """What global decoding found."""

    proofs: Int64s
    """[statements] The proof of each; UNASSIGNED where there are fewer proofs than statements."""
    outside: int = 0
    """Statements without a proof, since others took all of their candidates."""


def local_decoding(scores: Scores) -> Int64s:
    """[statements] The best proof of each row; of equal ones the first. Raises ValueError (`checked`)."""
    return np.asarray(checked(scores).argmax(axis=1), dtype=np.int64)


def exact_decoding(scores: Scores) -> Assignment:
    """The best assignment of a whole matrix [statements, proofs].

    As many statements get a proof as there are proofs for. Raises ValueError, and UserError without `lap`.
    """
    cost = checked(scores).max() - scores.astype(np.float64)
    rows, columns = cost.shape
    _, found, _ = _lap().lapjv(np.ascontiguousarray(cost), extend_cost=rows != columns)
    return Assignment(np.asarray(found, dtype=np.int64))


def best_candidates(scores: Scores, count: int = _CANDIDATES) -> ScoredPairs:
    """The `count` best proofs of every statement. Raises ValueError."""
    if count < 1:
        raise ValueError("a statement needs a candidate")
    total = checked(scores).shape[1]
    kept = min(count, total)
    proofs = np.empty((len(scores), kept), dtype=np.int32)
    for start in range(0, len(scores), _ROWS):
        rows = slice(start, start + _ROWS)
        proofs[rows] = np.sort(np.argpartition(-scores[rows], kept - 1, axis=1)[:, :kept], axis=1)
    return ScoredPairs(proofs, np.take_along_axis(scores, proofs, axis=1).astype(np.float64), total)


def global_decoding(scores: Scores, count: int = _CANDIDATES) -> Assignment:
    """The best assignment over the `count` best proofs of every statement, as a corpus is decoded.

    Statements that get none of their candidates share what is left by `exact_decoding`, so that every proof
    is assigned, or every statement has one. Raises ValueError, and UserError without `lap`.
    """
    if checked(scores).shape[1] <= count:
        return exact_decoding(scores)
    found = sparse_decoding(best_candidates(scores, count))
    rows = np.flatnonzero(found == UNASSIGNED)
    columns = np.setdiff1d(np.arange(scores.shape[1]), found)
    if not len(rows) or not len(columns):
        return Assignment(found)
    rest = exact_decoding(scores[np.ix_(rows, columns)]).proofs
    given = rest != UNASSIGNED
    found[rows[given]] = columns[rest[given]]
    return Assignment(found, int(given.sum()))


def sparse_decoding(candidates: ScoredPairs) -> Int64s:
    """[statements] The best of the largest assignments that use candidates only; UNASSIGNED without one.

    `lapmod` wants a square problem with a solution. So every statement may also take a dummy proof of its own,
    at a cost above all differences of scores, and every proof a dummy statement of its own, at no cost. A dummy
    statement takes the dummy proof of any statement that its proof is a candidate of, at no cost.

    Raises UserError without `lap`.
    """
    statements, kept = candidates.proofs.shape
    proofs = candidates.total
    cost = candidates.scores.max() - candidates.scores
    price = (1.0 + float(cost.max())) * (min(statements, proofs) + 1)
    own = np.arange(proofs, proofs + statements, dtype=np.int32)[:, None]
    flat = candidates.proofs.ravel()
    holders = np.bincount(flat, minlength=proofs)
    starts = np.cumsum(holders) - holders
    dummy_proofs = np.repeat(own.ravel(), kept)[np.argsort(flat, kind="stable")]
    entries = np.insert(dummy_proofs, starts, np.arange(proofs, dtype=np.int32))
    columns = np.concatenate([np.hstack([candidates.proofs, own]).ravel(), entries])
    costs = np.concatenate(
        [np.hstack([cost, np.full((statements, 1), price)]).ravel(), np.zeros(len(entries))]
    )
    lengths = np.concatenate([np.full(statements, kept + 1), holders + 1])
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    _, found, _ = _lap().lapmod(statements + proofs, costs, offsets, columns.astype(np.int32))
    chosen = np.asarray(found[:statements], dtype=np.int64)
    return np.where(chosen < proofs, chosen, UNASSIGNED)


def checked(scores: Scores) -> Scores:
    """The matrix itself. Raises ValueError when it is not a matrix, empty, or has an entry not finite."""
    if scores.ndim != 2 or not scores.size:
        raise ValueError(f"expected a matrix of scores, got shape {scores.shape}")
    if not np.isfinite(scores).all():
        raise ValueError("a score is not finite")
    return scores


def _lap() -> ModuleType:
    return import_extra("lap", "match", "Global decoding")
