"""Which queries, positives and negatives a step sees: a pure function of seed and step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from retriever.training.config import BatchConfig
from retriever.training.splits import SPLITS
from retriever.training.tokens import Ints, Ragged, TrainingArrays


@dataclass(frozen=True, slots=True)
class Batch:
    """One step's work."""

    queries: Ints
    """[b] Numbers of queries."""
    premises: Ints
    """[p] Distinct numbers of the premises to encode: all positives, and premises drawn at random."""
    positives: Ints
    """[b] The place of each query's positive in `premises`."""


def training_queries(arrays: TrainingArrays) -> tuple[Ints, Ints]:
    """(statements and steps, inner goals) of the training split."""
    train = arrays.splits == SPLITS.index("train")
    return np.flatnonzero(train & ~arrays.inner), np.flatnonzero(train & arrays.inner)


def draw_batch(
    arrays: TrainingArrays, pools: tuple[Ints, Ints], config: BatchConfig, seed: int, step: int
) -> Batch:
    """The batch of a step: queries of both pools, one gold premise each, and random corpus premises."""
    generator = np.random.default_rng([seed, step])
    outer, inner = pools
    inner_count = round(config.queries * config.inner_goal_share) if len(inner) else 0
    queries = np.concatenate(
        [generator.choice(outer, config.queries - inner_count), generator.choice(inner, inner_count)]
        if inner_count
        else [generator.choice(outer, config.queries)]
    )
    starts, counts = arrays.gold.offsets[queries], arrays.gold.lengths[queries]
    chosen = arrays.gold.flat[starts + generator.integers(0, counts)].astype(np.int64)
    random = generator.integers(0, len(arrays.families), config.corpus_negatives)
    premises, places = np.unique(np.concatenate([chosen, random]), return_inverse=True)
    return Batch(queries, premises, places[: len(queries)])


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
