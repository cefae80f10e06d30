"""Ranking premises for a goal, as pure functions: what serves answers and what measures them calls these.

Signals say something of every indexed premise. The best of each signal are candidates. Candidates become columns,
columns become features (`retriever.lean.features`), and the fusion scores these (`retriever.search.fusion`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Bools, Floats, Ids
from retriever.lean.features import CandidateColumns, RankingContext
from retriever.lean.ranker.signals import RankerSignals
from retriever.lean.structure.hashes import GoalStructure
from retriever.lean.structure.index import StructureIndex
from retriever.search.fusion import Lists
from retriever.search.index.exact import NeighbourQuery
from retriever.search.top import top

_VOTED = 256
"""How many of the premises with most votes of many neighbours the learned ranker reads."""
_MANY = 256
"""From so many premises on the list by vectors is as long as what was asked for."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known of all n indexed premises before candidates are drawn."""

    dense: NeighbourQuery
    """The goal's vector, asked among the premises' vectors."""
    lexical: Floats
    """float32[n], BM25."""
    votes: Floats
    """float32[n], of the theorems nearest to the goal."""
    nearby: Floats
    """float32[n]: in how many proofs above the goal in the open file; 0 where the file is not known."""
    overlap: Floats
    """float32[n]: how much of each one's tokens the goal has."""
    instances: Ids
    """The premises that the goal is an instance of by its structure."""
    promise: Floats
    """float32[len(instances)]: how promising each is."""
    uses: npt.NDArray[np.integer]
    """int[n]: how many training proofs use each."""
    further: RankerSignals | None = None
    """What the learned ranker needs, if there is one."""


@dataclass(frozen=True, slots=True)
class RankingQuestion:
    """A goal, and what may answer it."""

    context: RankingContext
    structure: GoalStructure
    signals: Signals
    offered: Bools
    """bool[n]: what may be offered."""
    scope: Bools | None
    """bool[n]: what the open file can use as its imports stand; None where there is no file."""


class IndexedPremises(Protocol):
    """What ranking reads of n indexed premises."""

    @property
    def lines(self) -> npt.NDArray[np.integer]:
        """int[n]: where each is declared, from 0; -1 where that is not known."""

    def name(self, number: int, /) -> str:
        """A premise's full name."""

    def module(self, number: int, /) -> str:
        """The module that declares a premise."""


def candidates(question: RankingQuestion, lists: Lists, k: int = 0) -> Ids:
    """The best of each signal, ascending: among all that is offered, and among what is in scope, if that is known.

    Where many are asked for, at least k if so many are offered: each has a rank by its vector.
    """
    signals, offered = question.signals, question.offered
    nearest = max(lists.dense, k) if k > _MANY else lists.dense
    found = [top(signals.nearby, lists.nearby, offered & (signals.nearby > 0))]
    for allowed in _filters(offered, question.scope):
        found.append(signals.dense.top(nearest, allowed))
        found.append(top(signals.lexical, lists.lexical, allowed & (signals.lexical > 0)))
        found.append(top(signals.votes, lists.neighbours, allowed & (signals.votes > 0)))
        if signals.further is not None:
            found.append(signals.further.voted.best(_VOTED, allowed))
            if signals.further.question.tower is not signals.dense:  # the model has a tower
                found.append(signals.further.question.tower.top(lists.dense, allowed))
        there = allowed[signals.instances]
        found.append(signals.instances[there][top(signals.promise[there], lists.structure)])
    return np.unique(np.concatenate(found))


def _filters(offered: Bools, scope: Bools | None) -> list[Bools]:
    if scope is None:
        return [offered]
    reachable = offered & scope
    return [offered] if np.array_equal(reachable, offered) else [reachable, offered]


def columns_of(
    question: RankingQuestion, premises: IndexedPremises, structure: StructureIndex, ids: Ids
) -> CandidateColumns:
    """The columns of indexed candidates."""
    signals = question.signals
    scope = np.full(len(ids), 0.5) if question.scope is None else question.scope[ids]
    return CandidateColumns(
        names=[premises.name(number) for number in ids.tolist()],
        modules=[premises.module(number) for number in ids.tolist()],
        lines=premises.lines[ids].astype(np.int64),
        dense=signals.dense.scores(ids),
        lexical=signals.lexical[ids],
        neighbours=signals.votes[ids],
        symbol_overlap=signals.overlap[ids],
        fit=structure.fit(question.structure, ids),
        use_count=signals.uses[ids].astype(np.int32),
        used_nearby=signals.nearby[ids],
        in_scope=scope.astype(np.float32),
    )


def best(names: Sequence[str], scores: Floats, k: int) -> Ids:
    """The positions of the k best candidates of different names, best first; ties as they stand."""
    found: list[int] = []
    seen: set[str] = set()
    for position in np.argsort(-scores, kind="stable").tolist():
        if len(found) == k:
            break
        if names[position] not in seen:
            seen.add(names[position])
            found.append(position)
    return np.array(found, dtype=np.int64)
