"""Retrieval metrics of appendix B.4 (NaturalProofs): mAP, R@k and Full@k, in percent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from lean_extract.common.arrays import Doubles
from retriever.metrics.bootstrap import Bootstrap, Interval, mean_interval
from retriever.metrics.ranks import Ranks, average_precision, full_at, hits_at

DEPTHS = (10, 100)
COLUMNS = ("mAP", *(f"R@{k}" for k in DEPTHS), *(f"Full@{k}" for k in DEPTHS))
"""Table 5's columns."""


def intervals(examples: Sequence[Ranks], seed: int = 0) -> dict[str, Interval]:
    """`COLUMNS` over all examples, each with the 95% interval of a bootstrap over examples.

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
