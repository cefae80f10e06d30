"""Which queries, positives and negatives a step sees: a pure function of seed, step, micro-batch and rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lean_extract.common.arrays import Int64s
from retriever.training.arrays import ORIGINS, Pools, TrainingArrays
from retriever.training.drawing import draw_positives, draw_queries
from retriever.training.reranking.mined import Mined
from retriever.training.running.config import BatchConfig
from retriever.training.tokens import Ragged, concatenate, ragged

_STATEMENT = ORIGINS.index("statement")
_AUGMENTATION, _DROPPED, _UNRELATED = 0x5EED, 0xD20B, 0x07E2
"""Parts of the seeds of augmentations, so that they are drawn apart from the batch."""


@dataclass(frozen=True, slots=True)
class Batch:
    """One step's work."""

    queries: Int64s
    """[b] Numbers of queries."""
    premises: Int64s
    """[p] Distinct numbers of the premises to encode: all positives, random ones, mined ones."""
    positives: Int64s
    """[b] The index of each query's positive in `premises`."""


def draw_batch(
    arrays: TrainingArrays,
    pools: Pools,
    config: BatchConfig,
    key: Sequence[int],
    mined: Mined | None = None,
) -> Batch:
    """A batch: queries of all origins, one gold premise each, and their negatives.

    Those are random corpus premises and, where candidates were mined, some of each query's own. `key` is
    what it is drawn from: (seed, step, micro-batch, rank). Zeros at its end change nothing.
    """
    generator = np.random.default_rng(list(key))
    queries = draw_queries(arrays.theorems, pools, config.shares, config.queries, generator)
    chosen = draw_positives(arrays, queries, config.labels, generator)
    negatives = [generator.integers(0, len(arrays.families), config.corpus_negatives)]
    if mined is not None:
        negatives.append(_drawn(mined.of(queries), config.hard_negatives, generator))
    premises, indices = np.unique(np.concatenate([chosen, *negatives]), return_inverse=True)
    return Batch(queries, premises, indices[: len(queries)])


def _drawn(candidates: NDArray[np.int32], count: int, generator: np.random.Generator) -> Int64s:
    """[n] Up to `count` of each row of [b, m], drawn without replacement; -1 pads."""
    order = generator.permuted(np.tile(np.arange(candidates.shape[1]), (len(candidates), 1)), axis=1)
    shuffled = np.take_along_axis(candidates, order, axis=1)
    first = np.argsort(shuffled < 0, axis=1, kind="stable")[:, :count]
    picked = np.take_along_axis(shuffled, first, axis=1).ravel().astype(np.int64)
    return picked[picked >= 0]


def draw_augmentations(queries: int, kinds: int, share: float, key: Sequence[int]) -> Int64s:
    """[queries] How each state is augmented: 0 not at all, else the number of the kind, from 1."""
    if not kinds or not share:
        return np.zeros(queries, dtype=np.int64)
    generator = np.random.default_rng([*key, _AUGMENTATION])
    chosen = generator.integers(1, kinds + 1, queries)
    return np.where(generator.random(queries) < share, chosen, 0).astype(np.int64)


class StateChanges(Protocol):
    """How the states of a batch are changed before they are read; a part of a run's settings."""

    @property
    def varied(self) -> float:
        """The share of the states that are augmented."""

    @property
    def dropped(self) -> float:
        """The chance with which each hypothesis of a state inside a proof is left out."""

    @property
    def unrelated(self) -> float:
        """The share of the states that get hypotheses of another."""


def changed_states(
    arrays: TrainingArrays,
    augmented: Sequence[Ragged],
    queries: Int64s,
    changes: StateChanges,
    marks: tuple[int, int],
    key: Sequence[int],
) -> Ragged:
    """[b] The states of `queries` as a batch reads them, not cut.

    Args:
        arrays: the dataset.
        augmented: its states by each kind of augmentation (`load_augmented`); none are needed for no share.
        queries: [b]
        changes: by which chances.
        marks: the tokens that a hypothesis and the target begin with.
        key: what is drawn from, as in `draw_batch`.
    """
    drawn = draw_augmentations(len(queries), len(augmented), changes.varied, key)
    read = augmented_states([arrays.states, *augmented], queries, drawn)
    chances = np.where(arrays.origins[queries] == _STATEMENT, 0.0, changes.dropped)
    read = without_hypotheses(read, chances, marks, key)
    return with_unrelated(read, changes.unrelated, marks, key)


def augmented_states(kinds: Sequence[Ragged], queries: Int64s, drawn: Int64s) -> Ragged:
    """The states of `queries`, each from the rows of its kind; kind 0 are the states as they are."""
    rows = concatenate([rows.take(queries) for rows in kinds])
    return rows.take(drawn * len(queries) + np.arange(len(queries)))


def without_hypotheses(
    states: Ragged, chances: NDArray[np.float64], marks: tuple[int, int], key: Sequence[int]
) -> Ragged:
    """The states with hypotheses left out at random.

    Args:
        states: [b] rows of tokens.
        chances: [b] with which each hypothesis of a state is left out.
        marks: the tokens that a hypothesis and the target begin with.
        key: what is drawn from, as in `draw_batch`.
    """
    if not chances.any():
        return states
    hypothesis, target = marks
    begins = (states.flat == hypothesis) | (states.flat == target)
    begins[states.offsets[:-1]] = True
    part = np.cumsum(begins) - 1
    is_hypothesis = states.flat[begins] == hypothesis
    rows = np.repeat(np.arange(len(states)), states.lengths)
    drawn = np.random.default_rng([*key, _DROPPED]).random(len(is_hypothesis))
    kept = ~((drawn < chances[rows[begins]]) & is_hypothesis)[part]
    kept[states.offsets[1:] - 1] = True
    offsets = np.zeros(len(states) + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows[kept], minlength=len(states)), out=offsets[1:])
    return Ragged(states.flat[kept], offsets)


def with_unrelated(states: Ragged, share: float, marks: tuple[int, int], key: Sequence[int]) -> Ragged:
    """The states, some with hypotheses of another one in front of their own, as the middle of a proof has them.

    Args:
        states: [b] rows of tokens: one that opens it, hypotheses, the target.
        share: the share of the states that get some: each of the other's with even odds.
        marks: the tokens that a hypothesis and the target begin with.
        key: what is drawn from, as in `draw_batch`.
    """
    if not share or len(states) < 2:
        return states
    generator = np.random.default_rng([*key, _UNRELATED])
    chosen = generator.random(len(states)) < share
    others = (np.arange(len(states)) + generator.integers(1, len(states), len(states))) % len(states)
    rows = [states[row] for row in range(len(states))]
    return ragged(
        [
            np.concatenate([row[:1], *_some_hypotheses(rows[other], marks, generator), row[1:]])
            if get
            else row
            for row, other, get in zip(rows, others, chosen, strict=True)
        ]
    )


def _some_hypotheses(
    row: NDArray[np.int32], marks: tuple[int, int], generator: np.random.Generator
) -> list[NDArray[np.int32]]:
    """About half of a state's hypotheses, in order."""
    hypothesis, target = marks
    end = int(np.argmax(row == target)) if target in row else 0
    begins = np.flatnonzero(row[:end] == hypothesis)
    parts = np.split(row[:end], begins)[1:]
    return [part for part in parts if generator.random() < 0.5]


def excluded(arrays: TrainingArrays, batch: Batch) -> NDArray[np.bool_]:
    """[b, p] Which of the batch's premises are never used as negatives of a query.

    Those are the other premises of its proof, the theorem itself and that theorem's generated twins; never
    the query's own positive.
    """
    candidates = batch.premises
    families = arrays.families[candidates]
    result: NDArray[np.bool_] = arrays.query_families[batch.queries][:, None] == families[None, :]
    column_of = np.full(len(arrays.families), -1, dtype=np.int64)
    column_of[candidates] = np.arange(len(candidates))
    for part in (arrays.gold, arrays.later, arrays.earlier):
        used: Ragged = part.take(batch.queries)
        rows = np.repeat(np.arange(len(batch.queries)), used.lengths)
        columns = column_of[used.flat]
        present = columns >= 0
        result[rows[present], columns[present]] = True
    result[np.arange(len(batch.queries)), batch.positives] = False
    return result
