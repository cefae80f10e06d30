"""The re-ranker (section 3.2.2) on the first candidates of another ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from lean_extract.errors import ModelError
from lean_extract.records import Premise
from retriever.lean.evaluation.pool import Floats, HeldOutGoal, Ints, Pool
from retriever.lean.evaluation.rankers import DEPTH, ScoredQuestion, candidates, features
from retriever.lean.evaluation.session import EvaluationSession
from retriever.models.reranker import DEPTH as FIRST
from retriever.models.reranker import FOLDER, Reranker, blend
from retriever.search.fusion import Fusion
from retriever.search.top import top


@dataclass(slots=True)
class Logits:
    """Eq. (5)'s logits, each computed once while the same question is asked in several settings."""

    corpus: Sequence[Premise]
    reranker: Reranker
    _question: HeldOutGoal | None = field(default=None, init=False)
    _known: dict[int, float] = field(default_factory=dict, init=False)

    def of(self, question: HeldOutGoal, numbers: Ints) -> Floats:
        """float32[len(numbers)]; NaN for a premise without statement."""
        if question is not self._question:
            self._question, self._known = question, {}
        missing = [number for number in numbers.tolist() if number not in self._known]
        found = self.reranker.scores(question.goal, [self.corpus[number] for number in missing])
        self._known.update(zip(missing, found.tolist(), strict=True))
        return np.array([self._known[number] for number in numbers.tolist()], dtype=np.float32)


def fused_first(pool: Pool, weights: Fusion, scored: ScoredQuestion) -> tuple[Ints, Floats]:
    """(numbers, fused scores) of the fusion's best candidates, best first, at most DEPTH."""
    numbers = candidates(scored, weights)
    scores = weights.score(features(pool, scored, numbers))
    order = top(scores, DEPTH)
    return numbers[order], scores[order]


@dataclass(frozen=True, slots=True)
class Reranked:
    """What is shipped where a re-ranker is: the fusion's first candidates by a blend of both scores."""

    pool: Pool
    weights: Fusion
    logits: Logits
    first: int = FIRST
    name: str = "reranked"
    reads_place: bool = True

    def ranking(self, scored: ScoredQuestion) -> Ints:
        """The first ones in their new order, the others behind them."""
        numbers, scores = fused_first(self.pool, self.weights, scored)
        head = numbers[: self.first]
        logits = self.logits.of(scored.question, head)
        mixed = blend(scores[: self.first], logits, self.logits.reranker.weight)
        return np.concatenate([head[np.argsort(-mixed, kind="stable")], numbers[self.first :]])


@dataclass(frozen=True, slots=True)
class DenseReranked:
    """The paper's own two stages: the encoder's first candidates in the re-ranker's order."""

    logits: Logits
    first: int = FIRST
    name: str = "dense-reranked"
    reads_place: bool = False

    def ranking(self, scored: ScoredQuestion) -> Ints:
        """The first ones in their new order, the others behind them."""
        numbers = top(scored.dense, DEPTH)
        head = numbers[: self.first]
        logits = self.logits.of(scored.question, head)
        order = np.argsort(-blend(np.zeros_like(logits), logits, 1.0), kind="stable")
        return np.concatenate([head[order], numbers[self.first :]])


def logits_of(session: EvaluationSession) -> Logits:
    """The logits of the re-ranker in the model's folder. Raises ModelError when it has none."""
    return Logits(session.dataset.corpus, open_reranker(session.model))


def open_reranker(model: Path) -> Reranker:
    """The re-ranker in a model's folder. Raises ModelError when it has none, or a damaged one."""
    reranker = Reranker.beside(model)
    if reranker is None:
        hint = f"Export one: python -m retriever.training.export RUN {model / FOLDER}."
        raise ModelError(f"The model in {model} has no re-ranker.", hint)
    return reranker
