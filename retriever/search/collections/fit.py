"""What each list weighs in the sum, found on the valid questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lean_extract.common.arrays import Floats
from lean_extract.common.errors import BadSettings
from retriever.search.backend import Backend, Collection
from retriever.search.collections.measure import outside_of, questions_of, ranks_in
from retriever.search.collections.rankers import Ranker, levelled

_STEPS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0)
_ROUNDS = 2
_MOST = 400
"""Questions that are fitted on; each list's scores of all of them are kept in memory."""


def fit_weights(backend: Backend, collection: Collection, rankers: Sequence[Ranker]) -> dict[str, float]:
    """The weight of each ranker, by name, with which the backend's first figure is highest.

    The search begins with the best ranker alone and changes one weight at a time. Raises BadSettings when
    there is no valid question.
    """
    questions = questions_of(collection, "valid")[:_MOST]
    if not questions:
        raise BadSettings("There is no valid question to fit weights on.", "Split the data again.")
    outside = outside_of(collection, "valid")
    tables = [np.stack([levelled(one.scores(q.text, q.own)) for q in questions]) for one in rankers]

    def figure(weights: Sequence[float]) -> float:
        summed: Floats = sum(
            (np.float32(weight) * table for weight, table in zip(weights, tables, strict=True)),
            np.zeros_like(tables[0]),
        )
        found = [ranks_in(one, scores, outside) for one, scores in zip(questions, summed, strict=True)]
        return next(iter(backend.figures(found).values())).mean

    weights = search_weights(len(rankers), figure)
    return {ranker.name: weight for ranker, weight in zip(rankers, weights, strict=True)}


def search_weights(count: int, figure: Callable[[Sequence[float]], float]) -> tuple[float, ...]:
    """The weights of `count` lists with which `figure` is highest, as far as steps of one at a time lead.

    The search begins with the best list alone; of equally good weights those that were tried first are kept.
    """
    single = [[float(position == one) for position in range(count)] for one in range(count)]
    figures = [figure(weights) for weights in single]
    best = max(figures)
    weights = single[figures.index(best)]
    for _ in range(_ROUNDS):
        before = best
        for position in range(count):
            for weight in _STEPS:
                tried = [*weights[:position], weight, *weights[position + 1 :]]
                if any(tried) and (found := figure(tried)) > best:
                    best, weights = found, tried
        if best == before:
            break
    return tuple(weights)
