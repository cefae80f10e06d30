"""How well a ranker finds what the questions of a split are answered by."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from tqdm import tqdm

from lean_extract.common.arrays import Bools, Floats
from lean_extract.common.errors import BadSettings
from retriever.metrics.bootstrap import Interval
from retriever.metrics.ranks import Ranks, rank_of
from retriever.search.backend import Backend, Collection, Question
from retriever.search.collections.rankers import Ranker
from retriever.search.splits import Split


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

    A question that is answered by nothing but itself drops out. Raises BadSettings when none is left.
    """
    found = ranks_of(collection, ranker, split, quiet=quiet)
    if not found:
        raise BadSettings(f"The split {split} has no question.", "Choose another part.")
    return backend.figures(found, seed)


def ranks_of(collection: Collection, ranker: Ranker, split: Split, *, quiet: bool = False) -> list[Ranks]:
    """The ranks of the answers of each question."""
    outside = outside_of(collection, split)
    bar = tqdm(questions_of(collection, split), desc=ranker.name, leave=False, disable=quiet or None)
    return [ranks_in(one, ranker.scores(one.text, one.own), outside) for one in bar]


def questions_of(collection: Collection, split: Split) -> list[Question]:
    """The questions of a split that something but themselves answers."""
    return [one for one in collection.of(split) if set(one.gold) - {one.own}]


def outside_of(collection: Collection, split: Split) -> Bools:
    """bool[documents]: which documents are not ranked for a split."""
    outside = np.ones(len(collection.documents), dtype=np.bool_)
    outside[list(collection.pools[split])] = False
    return outside


def ranks_in(question: Question, scores: Floats, outside: Bools) -> Ranks:
    """Where a question's answers stand by float32[documents] scores, what is `outside` left out."""
    ranked = np.where(outside, -np.inf, scores)
    if question.own is not None:
        ranked[question.own] = -np.inf
    return tuple(rank_of(ranked, number) for number in question.gold if number != question.own)


def best(scores: Floats, k: int) -> Sequence[int]:
    """The `k` documents of the highest scores, best first; of two equal ones the first comes first."""
    found: list[int] = np.argsort(-scores, kind="stable")[:k].tolist()
    return found
