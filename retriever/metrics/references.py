"""Retrieval metrics of appendix B.4: mAP, R@k and Full@k, in percent.

All that they need of a ranking is the *places* (from 1) that an example's references have in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from retriever.metrics.bootstrap import Bootstrap, Interval
from retriever.metrics.ranking import place_of

Floats = NDArray[np.float64]
Ranks = tuple[int, ...]

DEPTHS = (10, 100)
COLUMNS = ("mAP", *(f"R@{k}" for k in DEPTHS), *(f"Full@{k}" for k in DEPTHS))
"""Table 5's columns."""


def places_of(scores: NDArray[np.floating], gold: Sequence[int], without: int | None = None) -> Ranks:
    """The place of each candidate of `gold` when candidates are ranked by score, in the order of `gold`.

    Args:
        scores: one a candidate; finite. Of two equal ones the candidate listed first comes first.
        gold: candidate numbers.
        without: a candidate that is taken out of the ranking; it may not be in `gold`.

    Raises ValueError.
    """
    if not np.isfinite(scores).all():
        raise ValueError("a score is not finite")
    if without is not None and without in gold:
        raise ValueError(f"candidate {without} is both looked for and left out")
    return tuple(_place(scores, item, without) for item in gold)


def _place(scores: NDArray[np.floating], item: int, without: int | None) -> int:
    place = place_of(scores, item)
    if without is not None:
        place -= bool(scores[without] > scores[item] or (scores[without] == scores[item] and without < item))
    return place


def average_precision(places: Iterable[int]) -> float:
    """The mean, over an example's references, of the precision at the place of each.

    Raises ValueError when there are none, or two have one place.
    """
    ordered = _checked(places)
    return sum(found / place for found, place in enumerate(ordered, start=1)) / len(ordered)


def hits_at(places: Iterable[int], k: int) -> int:
    """How many of the references are among the first `k`."""
    return sum(place <= k for place in _checked(places))


def full_at(places: Iterable[int], k: int) -> float:
    """1 if all of the references are among the first `k`, else 0."""
    return float(_checked(places)[-1] <= k)


def _checked(places: Iterable[int]) -> list[int]:
    ordered = sorted(places)
    if not ordered:
        raise ValueError("an example without references has no metrics")
    if ordered[0] < 1 or len(set(ordered)) < len(ordered):
        raise ValueError(f"places are counted from 1, and each is one reference's: {ordered}")
    return ordered


def intervals(examples: Sequence[Ranks], seed: int = 0) -> dict[str, Interval]:
    """`COLUMNS` over all examples, each with the 95% interval of a bootstrap over examples.

    R@k is micro-averaged: references found of all references, not the mean of the examples' shares.
    Raises ValueError when there are no examples.
    """
    found = Bootstrap(len(examples), seed=seed).intervals(np.array([_row(p) for p in examples]), _to_columns)
    return dict(zip(COLUMNS, found, strict=True))


def mean_interval(shares: Sequence[float], seed: int = 0) -> Interval:
    """The mean of one share an example, in percent. Raises ValueError when there are no examples."""
    values = 100 * np.array(shares, dtype=np.float64)[:, None]
    return Bootstrap(len(shares), seed=seed).intervals(values)[0]


def _row(places: Ranks) -> list[float]:
    hits = [float(hits_at(places, k)) for k in DEPTHS]
    return [average_precision(places), float(len(places)), *hits, *(full_at(places, k) for k in DEPTHS)]


def _to_columns(means: Floats) -> Floats:
    """[n, 2 + 2d] means of `_row` to [n, 1 + 2d] percent."""
    depths = len(DEPTHS)
    recall = means[:, 2 : 2 + depths] / means[:, 1:2]
    return 100 * np.concatenate([means[:, :1], recall, means[:, 2 + depths :]], axis=1)
