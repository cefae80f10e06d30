"""Whether int8 ranks as float32 does: R@10 of a run's encoder exported both ways.

    python -m retriever int8 RUN DATASET [--part valid] [--limit 2000] [--pool N] [--cache DIR]

Three rows: float32 weights; int8 weights; int8 weights and the premises' vectors in int8 as an index keeps
them. The exit code is 1 where one of the latter loses more than 0.3 points.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from lean_extract.common.arrays import Floats
from lean_extract.common.errors import UserError
from retriever.lean.dataset.dataset import Dataset, load_dataset
from retriever.lean.evaluation.pool import HeldOutGoal
from retriever.lean.evaluation.session import PARTS, encode_states, part_questions
from retriever.lean.training.vectors import corpus_vectors
from retriever.metrics.ranking import best_columns, recall_at
from retriever.models.encoder import Encoder
from retriever.models.quantise import quantise
from retriever.training.export import export_run

TOLERANCE = 0.3
"""The most that int8 may lose, in points of R@10."""
_BLOCK = 256


@dataclass(frozen=True, slots=True)
class PrecisionRow:
    """One way to keep the numbers."""

    name: str
    recall: float
    """R@10 in percent."""


def _compare(
    run: Path, dataset: Dataset, questions: Sequence[HeldOutGoal], cache: Path | None
) -> list[PrecisionRow]:
    """The three rows of a run, float32 first, over the dataset's corpus. Raises ModelError, BadSettings."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, int8 in (("float32", False), ("int8 weights", True)):
            encoder = Encoder.load(export_run(run, Path(folder) / name, int8=int8))
            vectors = corpus_vectors(dataset, encoder, cache)
            states = encode_states(encoder, questions)
            rows.append(PrecisionRow(name, recall(dataset, vectors, states, questions)))
        codes, scales = quantise(vectors)
        kept = codes.astype(np.float32) * scales[:, None]
        rows.append(PrecisionRow("int8 weights and vectors", recall(dataset, kept, states, questions)))
    return rows


def recall(dataset: Dataset, vectors: Floats, states: Floats, questions: Sequence[HeldOutGoal]) -> float:
    """Mean R@10 in percent of the dense ranking; a theorem and its twins are not offered to itself."""
    families = dataset.families()
    family = {premise.name: int(number) for premise, number in zip(dataset.corpus, families, strict=True)}
    found = []
    for start in range(0, len(questions), _BLOCK):
        block = questions[start : start + _BLOCK]
        scores = states[start : start + _BLOCK] @ vectors.T
        own = np.array([family.get(question.theorem, -1) for question in block])
        scores[own[:, None] == families[None, :]] = -np.inf
        for question, row in zip(block, best_columns(scores, 10).tolist(), strict=True):
            found.append(recall_at(row, question.gold, 10))
    return 100 * float(np.mean(found))


def sampled(
    dataset: Dataset, questions: Sequence[HeldOutGoal], size: int
) -> tuple[Dataset, list[HeldOutGoal]]:
    """The dataset with a corpus of `size` premises drawn at random and all gold ones, and its questions."""
    gold = np.array(sorted({number for question in questions for number in question.gold}), dtype=np.int64)
    drawn = np.random.default_rng(0).permutation(len(dataset.corpus))[:size]
    kept = np.union1d(gold, drawn).tolist()
    renumbered = {number: new for new, number in enumerate(kept)}
    digest = f"{size}-of-{dataset.manifest.digest}"  # vectors in the cache are of another corpus
    smaller = replace(
        dataset,
        manifest=replace(dataset.manifest, digest=digest, corpus=len(kept)),
        corpus=tuple(dataset.corpus[number] for number in kept),
    )
    return smaller, [
        replace(question, gold=frozenset(renumbered[number] for number in question.gold))
        for question in questions
    ]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("run", type=Path, help="a bi-encoder's run folder")
    parser.add_argument("dataset", type=Path, help="a dataset folder")
    parser.add_argument("--part", choices=PARTS, default="valid", help="whose questions")
    parser.add_argument("--limit", type=int, default=2000, help="questions, at most")
    parser.add_argument("--pool", type=int, help="a sample of this many premises, and the gold ones (all)")
    parser.add_argument("--cache", type=Path, help="where premise vectors are kept")


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    dataset = load_dataset(options.dataset)
    questions = part_questions(dataset, options.part, options.limit)
    if not questions:
        raise UserError(f"There is nothing to ask in {options.part}.", "Choose another part or dataset.")
    if options.pool is not None:
        dataset, questions = sampled(dataset, questions, options.pool)
    rows = _compare(options.run, dataset, questions, options.cache)
    print(f"R@10 of {len(questions)} {options.part} questions over {len(dataset.corpus):,} premises:")
    for row in rows:
        print(f"{row.name:>25} {row.recall:6.2f} {row.recall - rows[0].recall:+.2f}")
    return int(any(row.recall < rows[0].recall - TOLERANCE for row in rows))
