"""Where the answers to a question stand in a row of scores, and the mean average precision over questions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from retriever.metrics.ranking import place_of
from retriever.metrics.references import average_precision
from retriever.search.backend import Ranks

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


def places_of(scores: Floats, gold: Sequence[int], without: Ints | None = None) -> Ranks:
    """The place, from 1, of each column of `gold` in one question's ranking.

    Args:
        scores: [columns], finite; of two equal ones the first comes first.
        gold: columns, distinct.
        without: columns that are taken out of the ranking, none of `gold`.
    """
    ranked = scores
    if without is not None:
        ranked = scores.copy()
        ranked[without] = -np.inf
    return tuple(place_of(ranked, column) for column in gold)


def columns_of(pool: Ints, documents: int) -> Ints:
    """[documents + 1] The place of each document in `pool`; -1 if it is not there, and for document -1."""
    found = np.full(documents + 1, -1, dtype=np.int64)
    found[pool] = np.arange(len(pool))
    return found


def mean_average_precision(places: Iterable[Ranks]) -> float:
    """The mean, over questions, of the mean precision at the place of each answer. Raises ValueError."""
    found = [average_precision(one) for one in places]
    if not found:
        raise ValueError("there is no question")
    return float(np.mean(found))
