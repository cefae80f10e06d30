"""The ranks of the answers to a question, and the retrieval metrics that follow from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lean_extract.common.arrays import Doubles, Int64s
from retriever.metrics.bootstrap import Bootstrap, Interval, mean_interval

Ranks = tuple[int, ...]
"""The ranks of the answers to one question, counted from 1."""


def rank_of(scores: NDArray[np.floating], candidate: int) -> int:
    """The rank, from 1, of a candidate by score. Of two equal scores the candidate listed first comes first."""
    own = scores[candidate]
    return 1 + int(np.count_nonzero(scores > own)) + int(np.count_nonzero(scores[:candidate] == own))


def ranks_of(
    scores: NDArray[np.floating], gold: Sequence[int], without: Sequence[int] | Int64s = ()
) -> Ranks:
    """The rank of each candidate of `gold` when candidates are ranked by score, in the order of `gold`.

    Args:
        scores: [candidates], finite. Of two equal ones the candidate listed first comes first.
        gold: distinct candidate numbers.
        without: candidates taken out of the ranking, none of `gold`.

    Raises ValueError when a score is not finite, or a candidate is both looked for and left out.
    """
    if not np.isfinite(scores).all():
        raise ValueError("a score is not finite")
    left_out = np.asarray(without, dtype=np.int64)
    both = np.intersect1d(np.asarray(gold, dtype=np.int64), left_out)
    if len(both):
        raise ValueError(f"candidate {both[0]} is both looked for and left out")
    ranked = scores
    if len(left_out):
        ranked = scores.copy()
        ranked[left_out] = -np.inf
    return tuple(rank_of(ranked, candidate) for candidate in gold)


def average_precision(ranks: Iterable[int]) -> float:
    """The mean, over the answers to a question, of the precision at the rank of each.

    Raises ValueError when there are none, or two have one rank.
    """
    ordered = _checked_ranks(ranks)
    return sum(found / rank for found, rank in enumerate(ordered, start=1)) / len(ordered)


def mean_average_precision(questions: Iterable[Ranks]) -> float:
    """The mean of `average_precision` over questions. Raises ValueError when there is none."""
    found = [average_precision(ranks) for ranks in questions]
    if not found:
        raise ValueError("there is no question")
    return float(np.mean(found))


def hits_at(ranks: Iterable[int], k: int) -> int:
    """How many of the answers are among the first `k`. Raises ValueError as `average_precision`."""
    return sum(rank <= k for rank in _checked_ranks(ranks))


def full_at(ranks: Iterable[int], k: int) -> float:
    """1 if all of the answers are among the first `k`, else 0. Raises ValueError as `average_precision`."""
    return float(_checked_ranks(ranks)[-1] <= k)


def _checked_ranks(ranks: Iterable[int]) -> list[int]:
    """The ranks, ascending. Raises ValueError when there are none, one is below 1, or two are equal."""
    ordered = sorted(ranks)
    if not ordered:
        raise ValueError("an example without references has no metrics")
    if ordered[0] < 1 or len(set(ordered)) < len(ordered):
        raise ValueError(f"ranks are counted from 1, and each is one reference's: {ordered}")
    return ordered


DEPTHS = (10, 100)
COLUMNS = ("mAP", *(f"R@{k}" for k in DEPTHS), *(f"Full@{k}" for k in DEPTHS))
"""Table 5's columns."""


def intervals(examples: Sequence[Ranks], seed: int = 0) -> dict[str, Interval]:
    """The metrics of appendix B.4 (NaturalProofs), in percent, over all examples: `COLUMNS`.

    Each has the 95% interval of a bootstrap over examples.

    R@k is micro-averaged: references found of all references, not the mean of the examples' shares.
    Raises ValueError when there are no examples.
    """
    found = Bootstrap(len(examples), seed=seed).intervals(np.array([_row(r) for r in examples]), _to_columns)
    return dict(zip(COLUMNS, found, strict=True))


def _row(ranks: Ranks) -> list[float]:
    hits = [float(hits_at(ranks, k)) for k in DEPTHS]
    return [average_precision(ranks), float(len(ranks)), *hits, *(full_at(ranks, k) for k in DEPTHS)]


def _to_columns(means: Doubles) -> Doubles:
    """[n, 2 + 2d] means of `_row` to [n, 1 + 2d] percent."""
    depths = len(DEPTHS)
    recall = means[:, 2 : 2 + depths] / means[:, 1:2]
    return 100 * np.concatenate([means[:, :1], recall, means[:, 2 + depths :]], axis=1)


@dataclass(slots=True)
class AnswerRanks:
    """What the questions ranked so far came to."""

    ranks: list[Ranks] = field(default_factory=list)
    _precisions: dict[str, list[float]] = field(default_factory=dict)

    def add(self, ranks: Ranks, kinds: Sequence[str]) -> None:
        """One question: the ranks of its answers, and their kinds in the same order. Raises ValueError."""
        self.ranks.append(ranks)
        for kind in set(kinds):
            own = [rank for rank, found in zip(ranks, kinds, strict=True) if found == kind]
            self._precisions.setdefault(kind, []).append(average_precision(own))

    def by_kind(self, seed: int = 0) -> dict[str, Interval]:
        """mAP in percent of the answers of one kind, over the questions that have one.

        Ranks are those among all candidates (NaturalProofs, Table 17, as the authors' code has it).
        """
        return {kind: mean_interval(values, seed) for kind, values in sorted(self._precisions.items())}
