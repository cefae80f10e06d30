"""The re-ranker (section 3.2.2) on the first candidates of another ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from lean_extract.common.arrays import Floats, Int64s
from lean_extract.common.errors import ModelError
from lean_extract.records import Premise
from retriever.lean.evaluation.pool import HeldOutGoal
from retriever.lean.evaluation.rankers import DEPTH, RankedMethod, ScoredQuestion
from retriever.lean.evaluation.session import EvaluationSession
from retriever.models.reranker import DEPTH as FIRST
from retriever.models.reranker import FOLDER, Reranker
from retriever.search.reranking import reranked
from retriever.search.top import top


@dataclass(slots=True)
class Logits:
    """Eq. (5)'s logits, each computed once while the same question is asked in several settings."""

    corpus: Sequence[Premise]
    reranker: Reranker
    _question: HeldOutGoal | None = field(default=None, init=False)
    _known: dict[int, float] = field(default_factory=dict, init=False)

    def of(self, question: HeldOutGoal, numbers: Int64s) -> Floats:
        """float32[len(numbers)]; NaN for a premise without statement."""
        if question is not self._question:
            self._question, self._known = question, {}
        missing = [number for number in numbers.tolist() if number not in self._known]
        found = self.reranker.scores(question.goal, [self.corpus[number] for number in missing])
        self._known.update(zip(missing, found.tolist(), strict=True))
        return np.array([self._known[number] for number in numbers.tolist()], dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Reranked:
    """What is served where a re-ranker is: the first candidates of another ranking by a blend of both scores."""

    base: RankedMethod
    logits: Logits
    first: int = FIRST
    name: str = "reranked"
    reads_position: bool = True

    def ranking(self, scored: ScoredQuestion) -> Int64s:
        """The first ones in their new order, the others behind them."""
        numbers, scores = self.base.first(scored)
        head = numbers[: self.first]
        logits = self.logits.of(scored.question, head)
        order, _ = reranked(scores[: self.first], logits, self.logits.reranker.weight)
        return np.concatenate([head[order], numbers[self.first :]])


@dataclass(frozen=True, slots=True)
class DenseReranked:
    """The paper's own two stages: the encoder's first candidates in the re-ranker's order."""

    logits: Logits
    first: int = FIRST
    name: str = "dense-reranked"
    reads_position: bool = False

    def ranking(self, scored: ScoredQuestion) -> Int64s:
        """The first ones in their new order, the others behind them."""
        numbers = top(scored.dense, DEPTH)
        head = numbers[: self.first]
        logits = self.logits.of(scored.question, head)
        order, _ = reranked(np.zeros_like(logits), logits, 1.0)
        return np.concatenate([head[order], numbers[self.first :]])


def logits_of(session: EvaluationSession) -> Logits:
    """The logits of the re-ranker in the model's folder. Raises ModelError when it has none."""
    return Logits(session.dataset.corpus, open_reranker(session.model))


def open_reranker(model: Path) -> Reranker:
    """The re-ranker in a model's folder. Raises ModelError when it has none, or a damaged one."""
    reranker = Reranker.beside(model)
    if reranker is None:
        hint = f"Export one: python -m retriever export RUN {model / FOLDER}."
        raise ModelError(f"The model in {model} has no re-ranker.", hint)
    return reranker
