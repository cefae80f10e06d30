"""What the re-ranker trains on: pairs in the form of eq. (4), and hard negatives for every state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lean_extract.common.arrays import Int64s
from lean_extract.common.errors import ModelError
from retriever.models.reranker import PairLengths, cut_premise, cut_state
from retriever.training.arrays import Pools, TrainingArrays, training_queries
from retriever.training.drawing import counts_of
from retriever.training.reranking.mined import Mined
from retriever.training.reranking.rerank_config import RerankBatchConfig
from retriever.training.tokens import Ragged, concatenate, ragged


@dataclass(frozen=True, slots=True)
class Pairs:
    """Token ids of n pairs."""

    ids: Ragged
    """[n] `[CLS] state [SEP] context goal [SEP]`"""
    states: Int64s
    """[n] How many of a row's tokens, the first ones, are the state's; the others have token type 1."""

    @property
    def lengths(self) -> Int64s:
        """[n] The tokens of each pair."""
        return self.ids.lengths

    def take(self, rows: Int64s) -> Pairs:
        """The given pairs, in the given order."""
        return Pairs(self.ids.take(rows), self.states[rows])


@dataclass(frozen=True, slots=True)
class PairTexts:
    """Both halves of every pair that may be needed, cut as `retriever.models.reranker` cuts them."""

    states: Ragged
    """[queries] `[CLS] state [SEP]`"""
    premises: Ragged
    """[corpus] `context goal [SEP]`"""

    def pairs(self, queries: Int64s, premises: Int64s) -> Pairs:
        """Pair i is of query `queries[i]` and premise `premises[i]`."""
        left, right = self.states.take(queries), self.premises.take(premises)
        count = len(queries)
        halves = concatenate([left, right])
        woven = halves.take(np.arange(2 * count).reshape(2, count).T.ravel())
        return Pairs(Ragged(woven.flat, woven.offsets[::2]), left.lengths)


def pair_texts(arrays: TrainingArrays, lengths: PairLengths) -> PairTexts:
    """The halves from a dataset's arrays, whose rows have [CLS] first and [SEP] last."""
    cls, sep = (int(arrays.goals.flat[end]) for end in (0, -1))
    states = [
        np.array(cut_state(row[1:-1].tolist(), lengths, cls, sep), dtype=np.int32)
        for row in _rows(arrays.states)
    ]
    premises = []
    for context, goal in zip(_rows(arrays.contexts), _rows(arrays.goals), strict=True):
        if np.array_equal(context, goal):  # how the arrays say that there is no context
            context = context[:0]
        row = cut_premise(context[1:-1].tolist(), goal[1:-1].tolist(), lengths, sep)
        premises.append(np.array(row, dtype=np.int32))
    return PairTexts(ragged(states), ragged(premises))


def _rows(table: Ragged) -> Iterator[NDArray[np.int32]]:
    return (table[row] for row in range(len(table)))


def minable_queries(arrays: TrainingArrays, mined: Mined, negatives: int) -> Pools:
    """The queries of the training split with candidates enough, apart by origin.

    Raises ModelError when there are none.
    """
    counts = (mined.candidates >= 0).sum(axis=1)
    enough = mined.queries[counts >= negatives]
    pools = tuple(pool[np.isin(pool, enough)] for pool in training_queries(arrays))
    if not any(map(len, pools)):
        hint = "Mine more candidates of each query (--top), or set a smaller batch.negatives."
        raise ModelError(f"No training query has {negatives} mined candidates.", hint)
    return pools


def draw_candidates(
    arrays: TrainingArrays,
    pools: Pools,
    mined: Mined,
    config: RerankBatchConfig,
    key: Sequence[int],
) -> tuple[Int64s, Int64s]:
    """(queries [b], premises [b, 1 + negatives]): one gold premise in column 0, then mined ones.

    Args:
        arrays: the dataset.
        pools: as `minable_queries` gives them.
        mined: hard negatives, gold left out.
        config: how many of each.
        key: what is drawn from: (seed, step, micro-batch, rank).
    """
    generator = np.random.default_rng(list(key))
    counts = counts_of(pools, config.shares, config.queries)
    queries = np.concatenate(
        [generator.choice(pool, count) for pool, count in zip(pools, counts, strict=True) if count]
    )
    starts, counts = arrays.gold.offsets[queries], arrays.gold.lengths[queries]
    positives = arrays.gold.flat[starts + generator.integers(0, counts)].astype(np.int64)
    candidates = mined.of(queries)[:, : config.among].astype(np.int64)
    order = generator.random(candidates.shape)
    order[candidates < 0] = 2.0
    chosen = np.argsort(order, axis=1)[:, : config.negatives]
    negatives = np.take_along_axis(candidates, chosen, axis=1)
    return queries, np.concatenate([positives[:, None], negatives], axis=1)


def first_known(candidates: NDArray[np.int32], depth: int) -> Int64s:
    """int64[b, depth]: the first candidates; where there are fewer, the row's first is repeated."""
    first = candidates[:, :depth].astype(np.int64)
    return np.where(first < 0, first[:, :1], first)
