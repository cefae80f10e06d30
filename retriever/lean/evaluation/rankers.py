"""The rankings that are held against each other; each gives the first candidates of a question.

A method is one of two kinds. A `_QuestionRanker` scores every premise of the pool from the question alone; what may
not be offered is taken out here. A `ContextualMethod` reads where the question is and what is offered.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

import numpy as np

from lean_extract.common.arrays import Bools, Floats, Int64s
from retriever.lean.callers import Caller
from retriever.lean.evaluation.pool import HeldOutGoal, Pool
from retriever.lean.evaluation.session import EvaluationSession
from retriever.lean.ranker.model import TreeRanker
from retriever.lean.ranking import (
    GoalQuery,
    GoalText,
    GoalVector,
    Ranker,
    RankingQuestion,
    Surroundings,
    best,
    candidates,
    columns_of,
    feature_table,
    question_of,
    ranker_columns_of,
)
from retriever.search.fusion import Fusion, Lists
from retriever.search.index.exact import KnownProducts
from retriever.search.top import top

Setting = Literal["state", "place", "importable"]
"""What is known, and which candidates there are. `state`: only the state, and all premises. `place`: its file and
position too, and all premises. `importable`: the same, and only premises that can be imported there."""
DEPTH = 1000
"""How many ranks of a ranking are examined (for the reciprocal rank)."""


@dataclass(frozen=True, slots=True)
class ScoredQuestion:
    """A question in one setting, with the signals that rankings start from.

    Votes and uses nearby come from proofs of the training split. The theorem and its twins do not vote, nor,
    where the position is known, does what follows in its file. What is not importable else does, as in the
    service: the whole library is indexed.
    """

    question: HeldOutGoal
    setting: Setting
    served: RankingQuestion
    """As the service ranks it."""

    @property
    def allowed(self) -> Bools:
        """bool[n]: what may be offered."""
        return self.served.there.offered

    @property
    def dense(self) -> Floats:
        """float32[n]: the products with the goal's vector; what may not be offered has -inf, as below."""
        return self._of_allowed(self.served.query.dense)

    @property
    def tower(self) -> Floats:
        """float32[n]: the same with the state tower's."""
        return self._of_allowed(self.served.query.tower)

    @property
    def lexical(self) -> Floats:
        """float32[n]: BM25."""
        return only(self.served.signals.lexical, self.allowed)

    def _of_allowed(self, vector: GoalVector) -> Floats:
        return only(vector.query.scores(np.arange(len(self.allowed))), self.allowed)


class _QuestionRanker(Protocol):
    """A method that needs nothing but the question."""

    @property
    def name(self) -> str:
        """What the tables call it."""

    def scores(self, question: HeldOutGoal) -> Floats:
        """float32[n] over the pool, higher is better; -inf leaves a premise out. Filters are the caller's."""


@runtime_checkable
class ContextualMethod(Protocol):
    """A method that reads where the question is and what is offered there."""

    @property
    def name(self) -> str:
        """What the tables call it."""

    @property
    def reads_position(self) -> bool:
        """Whether knowing file and position changes its ranking where the candidates stay the same."""

    def ranking(self, scored: ScoredQuestion) -> Int64s:
        """The numbers of the best candidates among `scored.allowed`, best first, at most DEPTH."""


Method = _QuestionRanker | ContextualMethod
Factory = Callable[[EvaluationSession], Method]
"""Makes a method ready for a session's pool. Raises PremiseSuggestError where what it needs is missing."""


@dataclass(frozen=True, slots=True)
class Random:
    """Chance: what any other method must beat."""

    size: int
    name: str = "random"

    def scores(self, question: HeldOutGoal) -> Floats:
        """The same question is always answered alike."""
        seed = zlib.crc32(question.theorem.encode())
        return np.random.default_rng(seed).random(self.size, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class UseCountRanker:
    """How many training proofs use a premise, whatever the question."""

    counts: Floats
    name: str = "frequency"

    def scores(self, question: HeldOutGoal) -> Floats:
        """The use counts; premises that no proof uses tie."""
        return self.counts


@dataclass(frozen=True, slots=True)
class Column:
    """One of the scores that a ranking starts from, alone; `tower` is the encoder's where the model has no tower."""

    name: Literal["bm25", "dense", "tower"]
    reads_position: bool = False

    def ranking(self, scored: ScoredQuestion) -> Int64s:
        """By that score."""
        scores = {"bm25": scored.lexical, "dense": scored.dense, "tower": scored.tower}
        return top(scores[self.name], DEPTH)


@dataclass(frozen=True, slots=True)
class RankedMethod:
    """What is served before the re-ranker: a ranker over the candidates that are drawn for it."""

    pool: Pool
    lists: Lists
    ranker: Ranker
    name: Literal["fused", "ranked"]
    """By the weighted sum, or by trees."""
    reads_position: bool = True

    @classmethod
    def fused(cls, pool: Pool, weights: Fusion) -> RankedMethod:
        """The weighted sum, which ranks where a model has no trees."""
        return cls(pool, weights.lists, weights, "fused")

    def ranking(self, scored: ScoredQuestion) -> Int64s:
        """Candidates as the service draws them, by the ranker's score."""
        return self.first(scored)[0]

    def first(self, scored: ScoredQuestion) -> tuple[Int64s, Floats]:
        """(numbers, scores) of the ranking."""
        numbers, table = feature_rows(self.pool, self.lists, self.ranker.features, scored)
        scores = self.ranker.score(table)
        order = best([self.pool.name(number) for number in numbers.tolist()], scores, DEPTH)
        return numbers[order], scores[order]


def served_method(pool: Pool, model: Path, fusion: Fusion) -> RankedMethod:
    """What a model folder serves before its re-ranker: its trees, or the weighted sum where it has none.

    Raises ModelError.
    """
    ranker = TreeRanker.of_model(model)
    return (
        RankedMethod.fused(pool, fusion)
        if ranker is None
        else RankedMethod(pool, fusion.lists, ranker, "ranked")
    )


def score(
    pool: Pool, vectors: Floats, encoded: Floats, question: HeldOutGoal, settings: Sequence[Setting]
) -> Iterator[ScoredQuestion]:
    """A question over the pool [n] in each setting; `vectors` is [n, d].

    `encoded` is [3, d]: the state, its target alone, and the state as the tower reads it (`encode_questions`).
    """
    dense, target, tower = (GoalVector(one, KnownProducts(vectors @ one)) for one in encoded)
    query = GoalQuery(GoalText.of([question.goal]), dense, target, tower, question.caller)
    known: dict[bool, RankingQuestion] = {}
    for setting in settings:
        is_placed = setting != "state"
        if is_placed not in known:
            known[is_placed] = question_of(pool, query, _surroundings(pool, question, is_placed=is_placed))
        served = known[is_placed]
        if setting == "importable" and served.there.scope is not None:
            offered = served.there.offered & served.there.scope
            served = replace(served, there=replace(served.there, offered=offered))
        yield ScoredQuestion(question, setting, served)


def _surroundings(pool: Pool, question: HeldOutGoal, *, is_placed: bool) -> Surroundings:
    """What is known of a question's place; nothing where the setting does not know it."""
    voters, offered = pool.voters(question), pool.offered(question, is_placed=is_placed)
    uses = pool.uses_elsewhere(question)
    if not is_placed:
        return Surroundings(voters, offered, uses, np.zeros(len(pool), dtype=np.float32))
    return Surroundings(
        voters & ~pool.not_above(question),
        offered,
        uses,
        pool.uses_above(question),
        pool.importable(question),
        pool.place_of(question),
        question.module,
        question.theorem,
        question.line,
    )


def asked_by(scored: ScoredQuestion, caller: Caller) -> ScoredQuestion:
    """The same question for another caller."""
    query = replace(scored.served.query, caller=caller)
    return replace(scored, served=replace(scored.served, query=query))


def rankings(method: Method, questions: Sequence[ScoredQuestion]) -> Iterator[Int64s]:
    """The best candidates, at most DEPTH, of one question in each of several settings."""
    if isinstance(method, ContextualMethod):
        yield from (method.ranking(scored) for scored in questions)
    else:
        scores = method.scores(questions[0].question)
        yield from (top(scores, DEPTH, scored.allowed) for scored in questions)


def only(scores: Floats, allowed: Bools) -> Floats:
    """The scores, -inf where not allowed."""
    return np.where(allowed, scores, -np.inf).astype(np.float32)


def feature_rows(
    pool: Pool, lists: Lists, read: tuple[str, ...], scored: ScoredQuestion
) -> tuple[Int64s, Floats]:
    """(candidates int64[n], the features of a ranker float32[n, len(read)]), as the service has them."""
    served = scored.served
    numbers = candidates(served, lists, read)
    columns, further = columns_of(pool, served, numbers), ranker_columns_of(pool, served, numbers)
    return numbers, feature_table(pool, served, numbers, columns, [further])[:, : len(read)]
