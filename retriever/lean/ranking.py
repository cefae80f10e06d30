"""Ranking premises for a goal, as pure functions: what serves answers and what measures them calls these.

Signals say something of every indexed premise. The best of each signal are candidates. Candidates become columns,
columns become features (`retriever.lean.features`, `retriever.lean.ranker.features`), and a ranker scores these: the
model's trees, or the weighted sum of a model without trees.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import reduce
from typing import Protocol

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Bools, Floats, Ids, Int8s
from lean_extract.records import Goal
from retriever.lean.callers import Caller
from retriever.lean.features import FEATURES, CandidateColumns, RankingContext, features
from retriever.lean.index.view import NEIGHBOURS
from retriever.lean.ranker.features import RankerColumns, RankerQuestion, ranker_features
from retriever.lean.ranker.kinds import kind_columns
from retriever.lean.ranker.matches import match_columns, rewrite_weight
from retriever.lean.ranker.patterns import pattern_columns
from retriever.lean.ranker.place import Place, PlaceSignals, UsesByPlace, no_place, place_signals
from retriever.lean.ranker.votes import LEXICAL, NEAREST, VOTES, VotedPremises, used_together, voted
from retriever.lean.structure.goal_patterns import GoalPatterns, patterns_of
from retriever.lean.structure.hashes import GoalStructure, goal_statement, of_statement
from retriever.lean.structure.index import StructureIndex
from retriever.lean.structure.subterms import Subterms, subterms_of
from retriever.lean.symbols import Mepo
from retriever.lean.tokens import goal_tokens, target_tokens
from retriever.search.bm25 import Bm25
from retriever.search.fusion import Lists
from retriever.search.index.exact import NeighbourQuery
from retriever.search.top import top
from retriever.search.votes import ProofGraph, by_rank

_VOTED = 256
"""How many of the premises with most votes of many neighbours the trees read."""
_REWRITING = 64
"""How many of the equations and equivalences that match most of the goal the trees read."""
_MANY = 256
"""From this many requested premises on, the list by vectors is as long as the request."""


class IndexedPremises(Protocol):
    """What ranking reads of n indexed premises."""

    @property
    def lines(self) -> npt.NDArray[np.integer]:
        """int[n]: where each is declared, from 0; -1 where that is not known."""

    def name(self, number: int, /) -> str:
        """A premise's full name."""

    def module(self, number: int, /) -> str:
        """The module that declares a premise."""


class RankedLibrary(Protocol):
    """n indexed premises, and the columns over them that signals are computed from."""

    @property
    def view(self) -> IndexedPremises:
        """The premises."""

    @property
    def bm25(self) -> Bm25:
        """BM25 over the premises' tokens."""

    @property
    def overlap(self) -> Mepo:
        """MePo's measure over the same tokens."""

    @property
    def structure(self) -> StructureIndex:
        """The hashes of the premises' structure."""

    @property
    def proofs(self) -> ProofGraph:
        """What the proofs of the premises use."""

    @property
    def uses_by_place(self) -> UsesByPlace:
        """The same, counted by modules and namespaces."""

    @property
    def kind_groups(self) -> Int8s:
        """int8[n]: what each premise is."""


class Ranker(Protocol):
    """What orders candidates: trees, or a weighted sum (`retriever.search.fusion`)."""

    @property
    def features(self) -> tuple[str, ...]:
        """The features that it reads: the first ones of RANKER_FEATURES."""

    def score(self, matrix: Floats, /) -> Floats:
        """float32[n]: the score of each row of float32[n, len(features)]."""


@dataclass(frozen=True, slots=True)
class GoalText:
    """What is read of a goal's text."""

    tokens: frozenset[str]
    """The lexical tokens of target and hypotheses."""
    target_tokens: frozenset[str]
    """Those of the target alone."""
    structure: GoalStructure
    patterns: GoalPatterns
    subterms: Subterms

    @classmethod
    def of(
        cls, ways: Sequence[Goal], more: Iterable[str] = (), more_of_target: Iterable[str] = ()
    ) -> GoalText:
        """The goal in all ways to write it, the first as it was given, and with more tokens."""
        statements = list(map(goal_statement, ways))
        return cls(
            frozenset(more).union(*map(goal_tokens, ways)),
            frozenset(more_of_target).union(*map(target_tokens, ways)),
            reduce(GoalStructure.also, map(of_statement, statements)),
            reduce(GoalPatterns.also, map(patterns_of, statements)),
            subterms_of(statements),
        )


@dataclass(frozen=True, slots=True)
class GoalVector:
    """A vector of a goal, float32[d], and the same as a query among the premises' vectors."""

    vector: Floats
    query: NeighbourQuery


@dataclass(frozen=True, slots=True)
class GoalQuery:
    """A goal as a query of a library."""

    text: GoalText
    dense: GoalVector
    """Of the whole goal."""
    target: GoalVector
    """Of its target without hypotheses."""
    tower: GoalVector
    """Of the goal as the state tower reads it; `dense` where the model has no tower."""
    caller: Caller = ""
    """The tactic that the premises are for."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is known of where a goal is, over n indexed premises. What is not known is None."""

    voters: Bools
    """bool[n]: the theorems whose proofs may vote."""
    offered: Bools
    """bool[n]: what may be offered."""
    uses: npt.NDArray[np.integer]
    """int[n]: how many training proofs use each."""
    nearby: Floats
    """float32[n]: in how many proofs above the goal in the open file; 0 where the file is not known."""
    scope: Bools | None = None
    """bool[n]: what the open file can use with its imports."""
    place: Place | None = None
    module: str | None = None
    theorem: str | None = None
    """The full name of the theorem being proved."""
    line: int | None = None
    """The goal's line in the open file, from 0."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known of all n indexed premises before candidates are drawn; columns float32[n]."""

    lexical: Floats
    """BM25."""
    votes: Floats
    """Of the theorems nearest to the goal."""
    voted: VotedPremises
    """The votes of many neighbours."""
    overlap: Floats
    """How much of each one's tokens the goal has."""
    target_lexical: Floats
    target_overlap: Floats
    """The same with the target's tokens alone."""
    rarest_shared: Floats
    """By all of the goal's tokens."""
    instances: Ids
    """The premises that the goal is an instance of by its structure."""
    promise: Floats
    """float32[len(instances)]: how promising each is."""
    rewriting: Ids
    """Equations and equivalences of which a side may match in the goal."""
    matched: Floats
    """float32[len(rewriting)]: how much each matches there."""
    place: PlaceSignals


@dataclass(frozen=True, slots=True)
class RankingQuestion:
    """A goal, where it is, and what is known of the indexed premises."""

    query: GoalQuery
    there: Surroundings
    signals: Signals

    @property
    def context(self) -> RankingContext:
        """What the features read of it."""
        return RankingContext(self.query.text.tokens, self.there.module, self.there.theorem, self.there.line)


def question_of(library: RankedLibrary, query: GoalQuery, there: Surroundings) -> RankingQuestion:
    """The question for a goal: all signals over a library."""
    text, dense, voters = query.text, query.dense.query, there.voters
    lexical = library.bm25.scores(text.tokens)
    by_text = top(lexical, LEXICAL, voters & (lexical > 0))
    near, many = dense.top(NEIGHBOURS, voters), dense.top(NEAREST, voters)
    instances = library.structure.instances(text.structure)
    rewriting = library.structure.rewriting(text.subterms.of_sides)
    matches = match_columns(library.structure, text.subterms, *library.structure.rows(rewriting))
    place = no_place(len(voters))
    if there.place is not None:
        place = place_signals(library.uses_by_place, library.bm25, library.proofs, there.place, voters)
    signals = Signals(
        lexical=lexical,
        votes=library.proofs.votes(near, by_rank(len(near))),
        voted=voted(library.proofs, many, dense.scores(many), by_text),
        overlap=library.overlap.scores(text.tokens),
        target_lexical=library.bm25.scores(text.target_tokens),
        target_overlap=library.overlap.scores(text.target_tokens),
        rarest_shared=library.overlap.rarest(text.tokens),
        instances=instances,
        promise=library.structure.fit(text.structure, instances).promise,
        rewriting=rewriting,
        matched=rewrite_weight(matches),
        place=place,
    )
    return RankingQuestion(query, there, signals)


def candidates(question: RankingQuestion, lists: Lists, read: tuple[str, ...], k: int = 0) -> Ids:
    """The best of each signal, ascending: among all that is offered, and among what is in scope, if that is known.

    Args:
        question: the goal's.
        lists: how long each list is.
        read: the features that the ranker reads: those of trees bring further lists.
        k: the least number of candidates, if so many are offered; each has a rank by its vector.
    """
    signals, query, offered = question.signals, question.query, question.there.offered
    nearby = question.there.nearby
    nearest = max(lists.dense, k) if k > _MANY else lists.dense
    found = [top(nearby, lists.nearby, offered & (nearby > 0))]
    for allowed in _filters(offered, question.there.scope):
        found.append(query.dense.query.top(nearest, allowed))
        found.append(top(signals.lexical, lists.lexical, allowed & (signals.lexical > 0)))
        found.append(top(signals.votes, lists.neighbours, allowed & (signals.votes > 0)))
        if read != FEATURES:
            found.append(signals.voted.best(_VOTED, allowed))
            if query.tower is not query.dense:
                found.append(query.tower.query.top(lists.dense, allowed))
            may_rewrite = allowed[signals.rewriting] & (signals.matched > 0)
            found.append(signals.rewriting[top(signals.matched, _REWRITING, may_rewrite)])
        there = allowed[signals.instances]
        found.append(signals.instances[there][top(signals.promise[there], lists.structure)])
    return np.unique(np.concatenate(found))


def _filters(offered: Bools, scope: Bools | None) -> list[Bools]:
    if scope is None:
        return [offered]
    reachable = offered & scope
    return [offered] if np.array_equal(reachable, offered) else [reachable, offered]


def columns_of(library: RankedLibrary, question: RankingQuestion, ids: Ids) -> CandidateColumns:
    """The columns of indexed candidates that a weighted sum reads."""
    signals, there, premises = question.signals, question.there, library.view
    scope = np.full(len(ids), 0.5) if there.scope is None else there.scope[ids]
    return CandidateColumns(
        names=[premises.name(number) for number in ids.tolist()],
        modules=[premises.module(number) for number in ids.tolist()],
        lines=premises.lines[ids].astype(np.int64),
        dense=question.query.dense.query.scores(ids),
        lexical=signals.lexical[ids],
        neighbours=signals.votes[ids],
        symbol_overlap=signals.overlap[ids],
        fit=library.structure.fit(question.query.text.structure, ids),
        use_count=there.uses[ids].astype(np.int32),
        used_nearby=there.nearby[ids],
        in_scope=scope.astype(np.float32),
    )


def ranker_columns_of(library: RankedLibrary, question: RankingQuestion, ids: Ids) -> RankerColumns:
    """The further columns of indexed candidates, which trees read."""
    signals, query = question.signals, question.query
    rows = library.structure.rows(ids)
    return RankerColumns(
        votes=signals.voted.of(ids),
        patterns=pattern_columns(library.structure, query.text.patterns, *rows),
        matches=match_columns(library.structure, query.text.subterms, *rows),
        place=signals.place.of(ids),
        kinds=kind_columns(library.kind_groups[ids]),
        dense_target=query.target.query.scores(ids),
        tower=query.tower.query.scores(ids),
        target_lexical=signals.target_lexical[ids],
        target_overlap=signals.target_overlap[ids],
        rarest_shared=signals.rarest_shared[ids],
    )


def feature_table(
    library: RankedLibrary,
    question: RankingQuestion,
    ids: Ids,
    columns: CandidateColumns,
    further: Sequence[RankerColumns],
) -> Floats:
    """float32[n, len(RANKER_FEATURES)]: what rankers read of n candidates.

    Args:
        library: the indexed premises.
        question: the goal's.
        ids: int64[n], the candidates' numbers in the index, -1 for one that is not indexed.
        columns: of all of them.
        further: the same, in parts.
    """
    text, signals = question.query.text, question.signals
    joined = _joined(further)
    votes = joined.votes[:, VOTES.index("votes_512")]
    together = used_together(library.proofs, ids, votes, question.there.voters)
    known = RankerQuestion(text.tokens, text.target_tokens, signals.place.lines, question.query.caller)
    return ranker_features(features(question.context, columns), columns, joined, together, known)


def best(names: Sequence[str], scores: Floats, k: int) -> Ids:
    """The positions of the k best candidates of different names, best first; ties in their order."""
    found: list[int] = []
    seen: set[str] = set()
    for position in np.argsort(-scores, kind="stable").tolist():
        if len(found) == k:
            break
        if names[position] not in seen:
            seen.add(names[position])
            found.append(position)
    return np.array(found, dtype=np.int64)


def _joined(parts: Sequence[RankerColumns]) -> RankerColumns:
    """The candidates of all parts, concatenated."""
    names = [field.name for field in fields(RankerColumns)]
    return RankerColumns(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


def hash_rows(rows: Sequence[frozenset[int]]) -> tuple[Ids, npt.NDArray[np.uint32]]:
    """The hashes of premises outside the index, as `StructureIndex.rows` gives them."""
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    return lengths, np.array([token for row in rows for token in sorted(row)], dtype=np.uint32)
