"""The rankings that are held against each other; each gives the first candidates of a question.

A method is one of two kinds. A `QuestionRanker` scores every premise of the pool from the question alone; what may
not be offered is taken out here. An `ContextualMethod` method reads where the question stands and what is offered.
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
from retriever.lean.features import CandidateColumns, RankingContext, features
from retriever.lean.index.view import NEIGHBOURS
from retriever.lean.ranker.model import TreeRanker
from retriever.lean.ranker.place import Place
from retriever.lean.ranker.signals import (
    RankerSignals,
    TargetQuestion,
    indexed_columns,
    ranker_signals,
    ranker_table,
)
from retriever.lean.ranking import RankingQuestion, Signals, best, candidates, columns_of
from retriever.lean.structure.hashes import GoalStructure, goal_statement, of_statement, patterns_of
from retriever.lean.tokens import goal_tokens, target_tokens
from retriever.search.fusion import Fusion, Lists
from retriever.search.index.exact import KnownProducts
from retriever.search.top import top
from retriever.search.votes import by_rank

Setting = Literal["state", "place", "importable"]
"""What is known, and which candidates there are. `state`: only the state, and all premises. `place`: its file and
position too, and all premises. `importable`: the same, and only premises that can be imported there."""
DEPTH = 1000
"""How many ranks of a ranking are examined (for the reciprocal rank)."""


@dataclass(frozen=True, slots=True)
class ScoredQuestion:
    """A question with the raw scores that fusion starts from; what may not be offered has -inf.

    Votes and uses nearby come from proofs of the training split. The theorem and its twins do not vote, nor,
    where the position is known, does what follows in its file. What is not importable else does, as in the
    service: the whole library is indexed.
    """

    question: HeldOutGoal
    setting: Setting
    dense: Floats
    lexical: Floats
    votes: Floats
    """Of the nearest training theorems."""
    votes_there: Floats
    """The same without those after the theorem in its file, for settings in which its position is known."""
    overlap: Floats
    """How much of each premise's tokens the goal has."""
    structure: GoalStructure
    instances: Int64s
    """The premises that the goal is an instance of by its structure."""
    promise: Floats
    """float32[len(instances)]: how promising each is."""
    nearby: Floats
    """In how many training proofs above the theorem in its file each premise is used."""
    further: RankerSignals
    """What the learned ranker needs."""
    further_there: RankerSignals
    """The same with the voters of `votes_there`."""
    allowed: Bools
    importable: Bools
    tokens: frozenset[str]


class QuestionRanker(Protocol):
    """A method that needs nothing but the question."""

    @property
    def name(self) -> str:
        """What the tables call it."""

    def scores(self, question: HeldOutGoal) -> Floats:
        """float32[n] over the pool, higher is better; -inf leaves a premise out. Filters are the caller's."""


@runtime_checkable
class ContextualMethod(Protocol):
    """A method that reads where the question stands and what is offered there."""

    @property
    def name(self) -> str:
        """What the tables call it."""

    @property
    def reads_position(self) -> bool:
        """Whether knowing file and position changes its ranking where the candidates stay the same."""

    def ranking(self, scored: ScoredQuestion) -> Int64s:
        """The numbers of the best candidates among `scored.allowed`, best first, at most DEPTH."""


Method = QuestionRanker | ContextualMethod
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
    """How many training proofs use a premise, whatever is asked."""

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
        if self.name == "tower":
            return scored.further.question.tower.top(DEPTH, scored.allowed)
        return top(scored.dense if self.name == "dense" else scored.lexical, DEPTH)


@dataclass(frozen=True, slots=True)
class FusedMethod:
    """What is shipped: the weighted sum of `retriever.search.fusion` over the union of its top lists."""

    pool: Pool
    weights: Fusion
    name: str = "fused"
    reads_position: bool = True

    def ranking(self, scored: ScoredQuestion) -> Int64s:
        """Candidates as the service draws them, by their fused score."""
        return self.first(scored)[0]

    def first(self, scored: ScoredQuestion) -> tuple[Int64s, Floats]:
        """(numbers, scores) of the ranking."""
        numbers, columns, table = featured(self.pool, self.weights.lists, scored)
        scores = self.weights.score(table)
        order = best(columns.names, scores, DEPTH)
        return numbers[order], scores[order]


@dataclass(frozen=True, slots=True)
class LearnedMethod:
    """The learned ranker over the same candidates and those that it has more."""

    pool: Pool
    lists: Lists
    ranker: TreeRanker
    name: str = "ranked"
    reads_position: bool = True

    def ranking(self, scored: ScoredQuestion) -> Int64s:
        """Candidates as the service draws them, by the ranker's score."""
        return self.first(scored)[0]

    def first(self, scored: ScoredQuestion) -> tuple[Int64s, Floats]:
        """(numbers, scores) of the ranking."""
        numbers, columns, table = ranker_featured(self.pool, self.lists, scored)
        scores = self.ranker.score(table)
        order = best(columns.names, scores, DEPTH)
        return numbers[order], scores[order]


def served_method(pool: Pool, model: Path, fusion: Fusion) -> FusedMethod | LearnedMethod:
    """What a model folder serves before its re-ranker: the learned ranker, or the fusion where it has none.

    Raises ModelError.
    """
    ranker = TreeRanker.beside(model)
    return FusedMethod(pool, fusion) if ranker is None else LearnedMethod(pool, fusion.lists, ranker)


def score(pool: Pool, vectors: Floats, encoded: Floats, question: HeldOutGoal) -> ScoredQuestion:
    """What rankings start from, for a question over the pool [n]; `vectors` is [n, d].

    `encoded` is [3, d]: the state, its target alone, and the state as the tower reads it (`encode_questions`).
    """
    state, target, tower = encoded
    tokens = frozenset(goal_tokens(question.goal))
    allowed = pool.offered(question)
    statement = goal_statement(question.goal)
    structure = of_statement(statement)
    instances = pool.structure.instances(structure)
    dense, lexical = only(vectors @ state, allowed), only(pool.bm25.scores(tokens), allowed)
    of_target = TargetQuestion(
        KnownProducts(vectors @ target),
        target,
        KnownProducts(vectors @ tower),
        tower,
        frozenset(target_tokens(question.goal)),
        patterns_of(statement),
        question.caller,
    )

    def further(voters: Bools, place: Place | None) -> RankerSignals:
        return ranker_signals(pool, of_target, KnownProducts(dense), lexical, tokens, voters & allowed, place)

    known = pool.voters(question)
    there = known & ~pool.behind(question)
    return ScoredQuestion(
        question,
        "state",
        dense,
        lexical,
        votes=_votes(pool, dense, known),
        votes_there=_votes(pool, dense, there),
        further=further(known, None),
        further_there=further(there, pool.place_of(question)),
        overlap=pool.overlap.scores(tokens),
        structure=structure,
        instances=instances,
        promise=pool.structure.fit(structure, instances).promise,
        nearby=pool.uses_above(question),
        allowed=allowed,
        importable=pool.importable(question),
        tokens=tokens,
    )


def _votes(pool: Pool, dense: Floats, voters: Bools) -> Floats:
    nearest = top(dense, NEIGHBOURS, voters)
    return pool.proofs.votes(nearest, by_rank(len(nearest)))


def in_setting(scored: ScoredQuestion, setting: Setting) -> ScoredQuestion:
    """The same question asked in a setting; `scored` is as `score` gave it."""
    if setting == "state":
        return replace(scored, setting=setting)
    if setting == "place":
        return replace(scored, setting=setting, votes=scored.votes_there, further=scored.further_there)
    allowed = scored.allowed & scored.importable
    dense, lexical = only(scored.dense, allowed), only(scored.lexical, allowed)
    return replace(
        scored,
        setting=setting,
        allowed=allowed,
        dense=dense,
        lexical=lexical,
        votes=scored.votes_there,
        further=scored.further_there,
    )


def asked_by(scored: ScoredQuestion, caller: Caller) -> ScoredQuestion:
    """The same question asked by another caller."""

    def told(signals: RankerSignals) -> RankerSignals:
        return replace(signals, question=replace(signals.question, caller=caller))

    return replace(scored, further=told(scored.further), further_there=told(scored.further_there))


def rankings(method: Method, asked: Sequence[ScoredQuestion]) -> Iterator[Int64s]:
    """The best candidates, at most DEPTH, of one question in each of several settings."""
    if isinstance(method, ContextualMethod):
        yield from (method.ranking(scored) for scored in asked)
    else:
        scores = method.scores(asked[0].question)
        yield from (top(scores, DEPTH, scored.allowed) for scored in asked)


def only(scores: Floats, allowed: Bools) -> Floats:
    """The scores, -inf where not allowed."""
    return np.where(allowed, scores, -np.inf).astype(np.float32)


def served_question(pool: Pool, scored: ScoredQuestion, *, with_ranker: bool = False) -> RankingQuestion:
    """The question as the service would ask it: of the context nothing is known in the setting `state`."""
    known, asked = scored.setting != "state", scored.question
    context = RankingContext(scored.tokens)
    if known:
        context = RankingContext(scored.tokens, asked.module, asked.theorem, asked.line)
    signals = Signals(
        dense=KnownProducts(scored.dense),
        lexical=scored.lexical,
        votes=scored.votes,
        nearby=scored.nearby if known else np.zeros_like(scored.nearby),
        overlap=scored.overlap,
        instances=scored.instances,
        promise=scored.promise,
        uses=pool.uses_elsewhere(asked),
        further=scored.further if with_ranker else None,
    )
    scope = scored.importable if known else None
    return RankingQuestion(context, scored.structure, signals, scored.allowed, scope)


def featured(pool: Pool, lists: Lists, scored: ScoredQuestion) -> tuple[Int64s, CandidateColumns, Floats]:
    """(candidates int64[n], their columns, their features float32[n, FEATURES]), as the service draws them."""
    question = served_question(pool, scored)
    numbers = candidates(question, lists)
    columns = columns_of(question, pool, pool.structure, numbers)
    return numbers, columns, features(question.context, columns)


def ranker_featured(
    pool: Pool, lists: Lists, scored: ScoredQuestion
) -> tuple[Int64s, CandidateColumns, Floats]:
    """(candidates int64[n], their columns, what the learned ranker reads of them), as the service draws them."""
    question = served_question(pool, scored, with_ranker=True)
    numbers = candidates(question, lists)
    columns = columns_of(question, pool, pool.structure, numbers)
    table = features(question.context, columns)
    parts = [(numbers, indexed_columns(pool, scored.further, numbers))]
    tokens = question.context.tokens
    return numbers, columns, ranker_table(pool, scored.further, parts, columns, table, tokens)
