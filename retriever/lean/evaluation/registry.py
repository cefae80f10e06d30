"""Every method by name, and what it takes to make it ready."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from lean_extract.common.arrays import Floats, Int64s
from lean_extract.common.errors import BadSettings, ModelError
from lean_extract.common.terminal_text import pip_install
from lean_extract.records import Premise
from retriever.lean.evaluation import baselines
from retriever.lean.evaluation.pool import HeldOutGoal
from retriever.lean.evaluation.rankers import (
    DEPTH,
    Column,
    Factory,
    Method,
    Random,
    RankedMethod,
    ScoredQuestion,
    UseCountRanker,
    served_method,
)
from retriever.lean.evaluation.session import EvaluationSession
from retriever.lean.features import load_fusion
from retriever.lean.ranker.model import TreeRanker
from retriever.models.reranker import DEPTH as FIRST
from retriever.models.reranker import FOLDER as RERANKER
from retriever.models.reranker import Reranker
from retriever.models.state_tower import FOLDER as TOWER
from retriever.search.reranking import reranked
from retriever.search.top import top


def _sentence(session: EvaluationSession) -> Method:
    """Imports torch only when it is called. Raises ModelError where there is none."""
    try:
        from retriever.lean.evaluation.sentence import sentence
    except ModuleNotFoundError as error:
        hint = f"Install it: {pip_install('train')}"
        raise ModelError("The baseline `sentence` runs on torch, which is not here.", hint) from error
    return sentence(session)


METHODS: Mapping[str, Factory] = {
    "random": lambda session: Random(len(session.pool)),
    "frequency": lambda session: UseCountRanker(session.pool.use_counts.astype(np.float32)),
    "bm25": lambda session: Column("bm25"),
    "tfidf": baselines.over_tokens,
    "tfidf-words": baselines.over_words,
    "keyword": baselines.keyword,
    "mepo": baselines.with_rarity,
    "mepo-plain": baselines.without_rarity,
    "sentence": _sentence,
    "knn-bm25": baselines.by_bm25,
    "knn": baselines.by_encoder,
    "dense": lambda session: Column("dense"),
    "tower": lambda session: _tower(session),
    "dense-reranked": lambda session: _Reranked(
        "dense-reranked", _by_encoder, logits_of(session), 1.0, False
    ),
    "fused": lambda session: RankedMethod.fused(session.pool, load_fusion(session.model)),
    "ranked": lambda session: RankedMethod(
        session.pool, load_fusion(session.model).lists, _open_ranker(session.model), "ranked"
    ),
    "reranked": lambda session: _served_reranked(session),
}
"""In the order of the tables: what learns nothing, then the methods of others, then ours."""


def _tower(session: EvaluationSession) -> Column:
    """Raises ModelError where the model has no state tower."""
    if session.tower is None:
        folder = session.model / TOWER
        raise ModelError(
            f"The model in {session.model} has no state tower.",
            f"Export one: python -m retriever export RUN {folder}.",
        )
    return Column("tower")


def _open_ranker(model: Path) -> TreeRanker:
    """The learned ranker in a model folder. Raises ModelError when it has none, or a damaged one."""
    ranker = TreeRanker.of_model(model)
    if ranker is None:
        hint = f"Fit one: python -m retriever fit-ranker {model} EXAMPLES."
        raise ModelError(f"The model in {model} has no learned ranker.", hint)
    return ranker


def open_available(session: EvaluationSession) -> list[Method]:
    """All methods that are available here; why another is not is printed on standard error."""
    methods = []
    for name, make in METHODS.items():
        try:
            methods.append(make(session))
        except ModelError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
    return methods


def open_methods(session: EvaluationSession, names: Iterable[str]) -> list[Method]:
    """The methods of these names, ready. Raises BadSettings on an unknown name."""
    chosen = list(dict.fromkeys(names))
    unknown = [name for name in chosen if name not in METHODS]
    if unknown:
        raise BadSettings(f"There is no method {unknown[0]!r}.", f"The methods are: {', '.join(METHODS)}.")
    return [METHODS[name](session) for name in chosen]


@dataclass(slots=True)
class Logits:
    """The re-ranker's logits (eq. 5), each computed once for all settings of a question."""

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
class _Reranked:
    """The first candidates of another ranking by a blend of its scores and the re-ranker's logits."""

    name: str
    base: Callable[[ScoredQuestion], tuple[Int64s, Floats]]
    """(numbers, scores) of the other ranking."""
    logits: Logits
    weight: float
    """The logit's, relative to a score."""
    reads_position: bool = True

    def ranking(self, scored: ScoredQuestion) -> Int64s:
        """The first ones in their new order, followed by the others."""
        numbers, scores = self.base(scored)
        head = numbers[:FIRST]
        order, _ = reranked(scores[:FIRST], self.logits.of(scored.question, head), self.weight)
        return np.concatenate([head[order], numbers[FIRST:]])


def _served_reranked(session: EvaluationSession) -> _Reranked:
    """What is served where a model has a re-ranker. Raises ModelError when it has none."""
    base = served_method(session.pool, session.model, load_fusion(session.model))
    logits = logits_of(session)
    return _Reranked("reranked", base.first, logits, logits.reranker.weight)


def _by_encoder(scored: ScoredQuestion) -> tuple[Int64s, Floats]:
    """The encoder's first candidates with equal scores: the paper's two stages re-rank them by logits alone."""
    numbers = top(scored.dense, DEPTH)
    return numbers, np.zeros(len(numbers), dtype=np.float32)


def logits_of(session: EvaluationSession) -> Logits:
    """The logits of the re-ranker in the model's folder. Raises ModelError when it has none."""
    return Logits(session.dataset.corpus, _open_reranker(session.model))


def _open_reranker(model: Path) -> Reranker:
    """The re-ranker in a model's folder. Raises ModelError when it has none, or a damaged one."""
    reranker = Reranker.of_model(model)
    if reranker is None:
        hint = f"Export one: python -m retriever export RUN {model / RERANKER}."
        raise ModelError(f"The model in {model} has no re-ranker.", hint)
    return reranker
