"""Which questions, references and negatives a step of the pairwise model sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lean_extract.common.arrays import Int64s
from lean_extract.common.errors import BadRecords
from retriever.training.collection import CollectionArrays
from retriever.training.tokens import Ragged, ragged


@dataclass(frozen=True, slots=True)
class Training:
    """What may be learned from."""

    rows: Int64s
    """Training questions that a document of the pool answers, other than themselves, and whose theorem's
    name does not hold them out (`retriever.search.splits`)."""
    gold: Ragged
    """[questions] The distinct references of every question, of all splits, ascending, itself left out."""
    pool: Int64s
    """Documents of the training split."""


def training_of(arrays: CollectionArrays) -> Training:
    """Raises BadRecords when no question is left to learn from."""
    gold = gold_of(arrays.references, arrays.own)
    rows = arrays.rows("train")
    rows = rows[~arrays.held[rows]]
    pool = arrays.pools["train"]
    inside = np.zeros(len(arrays.documents), dtype=np.bool_)
    inside[pool] = True
    rows = rows[np.array([bool(inside[gold[row]].any()) for row in rows.tolist()], dtype=np.bool_)]
    if not len(rows):
        hint = "Make the split again, or take a larger corpus."
        raise BadRecords("The collection has no training question with a reference.", hint)
    return Training(rows, gold, pool)


def gold_of(references: Ragged, own: Int64s) -> Ragged:
    """[n] Distinct references, ascending, without the document that the question is."""
    found = [np.unique(references[row]) for row in range(len(references))]
    return ragged([one[one != itself] for one, itself in zip(found, own.tolist(), strict=True)])


@dataclass(frozen=True, slots=True)
class PairBatch:
    """One step's work."""

    questions: Int64s
    """[b]"""
    documents: Int64s
    """[d] Distinct, ascending: all positives and the negatives drawn."""
    positives: Int64s
    """[b] The index of each question's positive in `documents`."""


def draw_pairs(training: Training, questions: int, negatives: int, key: Sequence[int]) -> PairBatch:
    """Questions with one reference each, and documents of the training pool.

    `key` is what it is drawn from: (seed, step, micro-batch, rank).
    """
    generator = np.random.default_rng(list(key))
    rows = generator.choice(training.rows, questions)
    starts, counts = training.gold.offsets[rows], training.gold.lengths[rows]
    chosen = training.gold.flat[starts + generator.integers(0, counts)].astype(np.int64)
    drawn = generator.choice(training.pool, negatives) if negatives else training.pool[:0]
    documents, indices = np.unique(np.concatenate([chosen, drawn]), return_inverse=True)
    return PairBatch(rows, documents, indices[:questions])


def never_negative(training: Training, own: Int64s, batch: PairBatch) -> NDArray[np.bool_]:
    """[b, d] Which documents are never used as negatives of a question: its other references, and itself."""
    result: NDArray[np.bool_] = own[batch.questions][:, None] == batch.documents[None, :]
    gold = training.gold.take(batch.questions)
    rows = np.repeat(np.arange(len(batch.questions)), gold.lengths)
    indices = np.searchsorted(batch.documents, gold.flat)
    present = indices < len(batch.documents)
    present[present] = batch.documents[indices[present]] == gold.flat[present]
    result[rows[present], indices[present]] = True
    result[np.arange(len(batch.questions)), batch.positives] = False
    return result
