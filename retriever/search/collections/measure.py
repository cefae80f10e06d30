"""How well rankers find what the questions of a split are answered by, and with which weights their sum is best."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from tqdm import tqdm

from lean_extract.common.arrays import Bools, Floats
from lean_extract.common.errors import BadSettings
from retriever.metrics.bootstrap import Interval
from retriever.metrics.ranks import Ranks, rank_of
from retriever.search.backend import Backend, Collection, Question
from retriever.search.collections.rankers import Ranker, levelled
from retriever.search.splits import Split

_STEPS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0)
_ROUNDS = 2
_MOST = 400
"""Questions that are fitted on; each list's scores of all of them are kept in memory."""


def measure(
    backend: Backend,
    collection: Collection,
    ranker: Ranker,
    split: Split,
    *,
    seed: int = 0,
    quiet: bool = False,
) -> dict[str, Interval]:
    """The backend's figures of a ranker on a split; the question itself is not a candidate.

    A question whose only answer is itself is left out. Raises BadSettings when no question is left.
    """
    found = ranks_of(collection, ranker, split, quiet=quiet)
    if not found:
        raise BadSettings(f"The split {split} has no question.", "Choose another part.")
    return backend.figures(found, seed)


def ranks_of(collection: Collection, ranker: Ranker, split: Split, *, quiet: bool = False) -> list[Ranks]:
    """The ranks of the answers of each question."""
    outside = outside_of(collection, split)
    bar = tqdm(questions_of(collection, split), desc=ranker.name, leave=False, disable=quiet or None)
    return [_ranks_in(one, ranker.scores(one.text, one.own), outside) for one in bar]


def questions_of(collection: Collection, split: Split) -> list[Question]:
    """The questions of a split that something but themselves answers."""
    return [one for one in collection.of(split) if set(one.gold) - {one.own}]


def outside_of(collection: Collection, split: Split) -> Bools:
    """bool[documents]: which documents are not ranked for a split."""
    outside = np.ones(len(collection.documents), dtype=np.bool_)
    outside[list(collection.pools[split])] = False
    return outside


def _ranks_in(question: Question, scores: Floats, outside: Bools) -> Ranks:
    """The ranks of a question's answers by float32[documents] scores, without the documents `outside`."""
    ranked = np.where(outside, -np.inf, scores)
    if question.own is not None:
        ranked[question.own] = -np.inf
    return tuple(rank_of(ranked, number) for number in question.gold if number != question.own)


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
        found = [_ranks_in(one, scores, outside) for one, scores in zip(questions, summed, strict=True)]
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
