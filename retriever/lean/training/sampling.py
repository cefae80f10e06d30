"""Which queries, positives and negatives a step sees: a pure function of seed, step, micro-batch and rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from retriever.training.arrays import TrainingArrays
from retriever.training.reranking.mined import Mined
from retriever.training.running.config import BatchConfig
from retriever.training.tokens import Ints, Ragged, concatenate

_DRESS = 0x5EED
"""Told to the generator of dresses, so that it is another one than the batch's."""


@dataclass(frozen=True, slots=True)
class Batch:
    """One step's work."""

    queries: Ints
    """[b] Numbers of queries."""
    premises: Ints
    """[p] Distinct numbers of the premises to encode: all positives, random ones, mined ones."""
    positives: Ints
    """[b] The place of each query's positive in `premises`."""


def draw_batch(
    arrays: TrainingArrays,
    pools: tuple[Ints, Ints],
    config: BatchConfig,
    key: Sequence[int],
    mined: Mined | None = None,
) -> Batch:
    """A batch: queries of both pools, one gold premise each, and their negatives.

    Those are random corpus premises and, where candidates were mined, some of each query's own. `key` is
    what it is drawn from: (seed, step, micro-batch, rank). Zeros at its end change nothing.
    """
    generator = np.random.default_rng(list(key))
    outer, inner = pools
    inner_count = round(config.queries * config.inner_goal_share) if len(inner) else 0
    queries = np.concatenate(
        [generator.choice(outer, config.queries - inner_count), generator.choice(inner, inner_count)]
        if inner_count
        else [generator.choice(outer, config.queries)]
    )
    starts, counts = arrays.gold.offsets[queries], arrays.gold.lengths[queries]
    chosen = arrays.gold.flat[starts + generator.integers(0, counts)].astype(np.int64)
    negatives = [generator.integers(0, len(arrays.families), config.corpus_negatives)]
    if mined is not None:
        negatives.append(_drawn(mined.of(queries), config.hard_negatives, generator))
    premises, places = np.unique(np.concatenate([chosen, *negatives]), return_inverse=True)
    return Batch(queries, premises, places[: len(queries)])


def _drawn(candidates: NDArray[np.int32], count: int, generator: np.random.Generator) -> Ints:
    """[n] Up to `count` of each row of [b, m], drawn without replacement; -1 is none."""
    order = generator.permuted(np.tile(np.arange(candidates.shape[1]), (len(candidates), 1)), axis=1)
    shuffled = np.take_along_axis(candidates, order, axis=1)
    first = np.argsort(shuffled < 0, axis=1, kind="stable")[:, :count]
    picked = np.take_along_axis(shuffled, first, axis=1).ravel().astype(np.int64)
    return picked[picked >= 0]


def draw_dress(queries: int, variants: int, share: float, key: Sequence[int]) -> Ints:
    """[queries] The dress in which each state is read: 0 as it is, else a variant's number from 1."""
    if not variants or not share:
        return np.zeros(queries, dtype=np.int64)
    generator = np.random.default_rng([*key, _DRESS])
    chosen = generator.integers(1, variants + 1, queries)
    return np.where(generator.random(queries) < share, chosen, 0).astype(np.int64)


def dressed_states(dresses: Sequence[Ragged], queries: Ints, dress: Ints) -> Ragged:
    """The rows of `queries`, each from the list of rows that `dress` names."""
    rows = concatenate([rows.take(queries) for rows in dresses])
    return rows.take(dress * len(queries) + np.arange(len(queries)))


def excluded(arrays: TrainingArrays, batch: Batch) -> NDArray[np.bool_]:
    """[b, p] Which of the batch's premises are no negatives of a query.

    Those are its other gold premises, the theorem itself and that theorem's generated twins; never the
    query's own positive.
    """
    candidates = batch.premises
    families = arrays.families[candidates]
    result: NDArray[np.bool_] = arrays.query_families[batch.queries][:, None] == families[None, :]
    place = np.full(len(arrays.families), -1, dtype=np.int64)
    place[candidates] = np.arange(len(candidates))
    gold: Ragged = arrays.gold.take(batch.queries)
    rows = np.repeat(np.arange(len(batch.queries)), gold.lengths)
    columns = place[gold.flat]
    present = columns >= 0
    result[rows[present], columns[present]] = True
    result[np.arange(len(batch.queries)), batch.positives] = False
    return result
