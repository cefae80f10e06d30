"""Ranking by embeddings alone, under another encoder than the session's."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lean_extract.common.arrays import Floats
from lean_extract.common.errors import BadSettings
from retriever.lean.evaluation.pool import HeldOutGoal
from retriever.lean.evaluation.session import EvaluationSession
from retriever.lean.training.vectors import corpus_vectors
from retriever.models.encoder import Encoder, PremiseEncoder


@dataclass(frozen=True, slots=True)
class DenseRanker:
    """The inner product with premise vectors [n, d]."""

    name: str
    encoder: PremiseEncoder
    vectors: Floats

    def scores(self, question: HeldOutGoal) -> Floats:
        """float32[n]"""
        return np.asarray(self.vectors @ self.encoder.encode_state(question.goal))


def ranker(name: str, encoder: PremiseEncoder, session: EvaluationSession) -> DenseRanker:
    """The encoder over the session's pool; its vectors are kept in the session's cache."""
    return DenseRanker(name, encoder, corpus_vectors(session.dataset, encoder, session.cache))


def beside(session: EvaluationSession, text: str) -> DenseRanker:
    """Another model folder as a row of its own, given as NAME=FOLDER. Raises BadSettings, ModelError."""
    name, equals, folder = text.partition("=")
    if not (name and equals and folder):
        raise BadSettings(f"{text!r} is not NAME=FOLDER.", "Write minilm=work/mathlib/minilm-model, say.")
    return ranker(name, Encoder.load(Path(folder)), session)
