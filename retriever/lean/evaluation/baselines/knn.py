"""Nearest neighbours among training theorems, after MaSh (Kühlwein et al. 2013).

The statements most like the state vote for what their proofs use, and for themselves:

    score(p) = sum over neighbours t of sim(t)^e * ([p is used by t's proof] / uses(t)^d + own * [p is t])

Similarity is the encoder's (`knn`) or BM25's (`knn-bm25`), both divided by the nearest neighbour's.
Proofs of held-out theorems have no vote. What nobody votes for is not ranked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from lean_extract.common.arrays import Floats, Int64s
from retriever.lean.evaluation.rankers import DEPTH, ScoredQuestion, only
from retriever.lean.evaluation.session import EvaluationSession
from retriever.search.top import top
from retriever.search.votes import ProofGraph


@dataclass(frozen=True, slots=True)
class Voting:
    """How votes are weighed: e, d and own above. The values were chosen on 300 questions of the tune half."""

    neighbours: int = 100
    exponent: float = 16.0
    dilution: float = 0.5
    own: float = 1.0


def vote(similarity: Floats, proofs: ProofGraph, voting: Voting) -> Floats:
    """float32[n]: the votes for each premise, given the state's similarity [n]; -inf where there are none."""
    nearest = top(only(similarity, proofs.known & (similarity > 0)), voting.neighbours)
    result = np.zeros(len(similarity), dtype=np.float32)
    for number in nearest:
        weight = (similarity[number] / similarity[nearest[0]]) ** voting.exponent
        uses = proofs.uses[proofs.starts[number] : proofs.starts[number + 1]]
        result[uses] += weight / len(uses) ** voting.dilution
        result[number] += voting.own * weight
    return np.where(result > 0, result, -np.inf).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Knn:
    """The vote under one of the two similarities; neighbours are drawn from what is offered."""

    name: str
    column: Literal["dense", "lexical"]
    proofs: ProofGraph
    voting: Voting
    reads_position: bool = False

    def ranking(self, scored: ScoredQuestion) -> Int64s:
        """What has most votes, at most DEPTH."""
        similarity = scored.dense if self.column == "dense" else scored.lexical
        return top(only(vote(similarity, self.proofs, self.voting), scored.allowed), DEPTH)


def by_encoder(session: EvaluationSession) -> Knn:
    """`knn`: neighbours by the session's encoder."""
    return Knn("knn", "dense", session.pool.proofs, Voting())


def by_bm25(session: EvaluationSession) -> Knn:
    """`knn-bm25`: neighbours by BM25; learns from proofs without a trained encoder."""
    return Knn("knn-bm25", "lexical", session.pool.proofs, Voting(exponent=8.0))
