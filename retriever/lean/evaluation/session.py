"""A model folder and a dataset, made ready for ranking: pool, vectors, questions."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from lean_extract.common.arrays import Floats
from lean_extract.records import Goal
from retriever.lean.dataset.files import Dataset, load_dataset
from retriever.lean.evaluation.definitions import with_definitions
from retriever.lean.evaluation.pool import HeldOutGoal, Pool, pool_of, questions_of
from retriever.lean.training.vectors import corpus_vectors
from retriever.models.encoder import Encoder
from retriever.models.state_tower import StateTower
from retriever.search.bm25 import Bm25Parameters

Part = Literal["tune", "valid", "test"]
PARTS: tuple[Part, ...] = ("tune", "valid", "test")
"""The valid split has two halves, by hash: weights are fitted on `tune`, figures reported on `valid`."""


@dataclass(frozen=True, slots=True)
class EvaluationSession:
    """What every command of this package works on."""

    model: Path
    """The model's folder."""
    cache: Path | None
    """Where vectors that took long may be kept; None: nowhere."""
    dataset: Dataset
    encoder: Encoder
    tower: StateTower | None
    pool: Pool
    vectors: Floats
    """[pool, d]"""


def open_session(
    model: Path,
    dataset: Path,
    cache: Path | None = None,
    parameters: Bm25Parameters | None = None,
    definitions: Path | None = None,
) -> EvaluationSession:
    """Load both and embed the corpus, or take its vectors from the cache; the pool is the dataset's corpus, and
    the definitions of a records file where one is named. Raises ModelError, BadRecords."""
    loaded = load_dataset(dataset)
    if definitions is not None:
        loaded = with_definitions(loaded, definitions)
    encoder = Encoder.load(model)
    tower = StateTower.beside(model, encoder)
    vectors = corpus_vectors(loaded, encoder, cache)
    pool = pool_of(loaded, parameters or Bm25Parameters())
    return EvaluationSession(model, cache, loaded, encoder, tower, pool, vectors)


def part_questions(dataset: Dataset, part: Part, limit: int) -> list[HeldOutGoal]:
    """The statements of one part of the held-out theorems; a fixed sample of at most `limit`."""
    if part == "test":
        return questions_of(dataset, "test", limit)
    found = questions_of(dataset, "valid", len(dataset.queries) + 1)
    half = [question for question in found if is_tuned_on(question.theorem) == (part == "tune")]
    if len(half) <= limit:
        return half
    return [half[index] for index in np.sort(np.random.default_rng(0).permutation(len(half))[:limit])]


def is_tuned_on(theorem: str) -> bool:
    """Which half of the valid split a theorem lies in: the parity of its hash's quotient by 50."""
    return int(hashlib.sha256(theorem.encode()).hexdigest(), 16) // 50 % 2 == 0


def encode_states(encoder: Encoder, questions: Sequence[HeldOutGoal]) -> Floats:
    """[q, d] The questions' states, cut to what the encoder reads as the service cuts them."""
    return encoder.encode_states([question.goal for question in questions])


def encode_questions(session: EvaluationSession, questions: Sequence[HeldOutGoal]) -> Floats:
    """[q, 3, d] The questions' states, their targets without hypotheses, and the states as the tower reads them."""
    encoder, tower = session.encoder, session.tower
    states = encode_states(encoder, questions)
    targets = encoder.encode_states([Goal((), question.goal.target) for question in questions])
    read = states if tower is None else tower.encode_states([question.goal for question in questions])
    return np.stack([states, targets, read], axis=1)


def describe(
    session: EvaluationSession, part: str, questions: Sequence[HeldOutGoal], seconds: float
) -> dict[str, Any]:
    """What was asked of what, as JSON values."""
    manifest = session.dataset.manifest
    return {
        "part": part,
        "questions": len(questions),
        "gold_per_question": round(sum(len(question.gold) for question in questions) / len(questions), 2),
        "pool": len(session.pool),
        "revision": manifest.revision,
        "data": manifest.digest,
        "encoder": session.encoder.fingerprint,
        "seconds": round(seconds, 1),
    }
