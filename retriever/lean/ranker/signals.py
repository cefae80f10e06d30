"""What the learned ranker needs to know of all indexed premises and of the goal, before candidates are drawn."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, fields
from typing import Protocol

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Bools, Floats, Ids, Int8s
from retriever.lean.callers import Caller
from retriever.lean.features import CandidateColumns
from retriever.lean.ranker.features import RankerColumns, RankerQuestion, ranker_features
from retriever.lean.ranker.kinds import kind_columns
from retriever.lean.ranker.patterns import pattern_columns
from retriever.lean.ranker.place import Place, PlaceSignals, UsesByPlace, no_place, place_signals
from retriever.lean.ranker.votes import LEXICAL, NEAREST, VOTES, VotedPremises, used_together, voted
from retriever.lean.structure.hashes import GoalPatterns
from retriever.lean.structure.index import StructureIndex
from retriever.lean.symbols import Overlap
from retriever.search.bm25 import Bm25
from retriever.search.index.exact import NeighbourQuery
from retriever.search.top import top
from retriever.search.votes import ProofGraph


class RankedLibrary(Protocol):
    """The columns over n indexed premises that signals are computed from."""

    @property
    def bm25(self) -> Bm25:
        """BM25 over the premises' tokens."""

    @property
    def overlap(self) -> Overlap:
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


@dataclass(frozen=True, slots=True)
class TargetQuestion:
    """A goal's target without its hypotheses, the goal as the state tower reads it, its patterns, and what the
    premises are for."""

    near: NeighbourQuery
    """The target's vector, asked among the premises' vectors."""
    vector: Floats
    """float32[d], the same."""
    tower: NeighbourQuery
    """The state tower's vector of the goal, asked among them; the encoder's where the model has no tower."""
    tower_vector: Floats
    """float32[d], the same."""
    tokens: frozenset[str]
    patterns: GoalPatterns
    caller: Caller = ""


@dataclass(frozen=True, slots=True)
class RankerSignals:
    """What is known of n premises; columns float32[n]."""

    question: TargetQuestion
    voted: VotedPremises
    voters: Bools
    target_lexical: Floats
    target_overlap: Floats
    rarest_shared: Floats
    """By all of the goal's tokens."""
    place: PlaceSignals


def ranker_signals(
    library: RankedLibrary,
    question: TargetQuestion,
    dense: NeighbourQuery,
    lexical: Floats,
    tokens: frozenset[str],
    voters: Bools,
    place: Place | None,
) -> RankerSignals:
    """The signals for a goal.

    Args:
        library: the indexed premises.
        question: the goal's target and patterns.
        dense: the goal's vector, asked among the premises' vectors.
        lexical: float32[n], BM25 of the goal's tokens.
        tokens: the goal's tokens.
        voters: bool[n], the theorems whose proofs may vote.
        place: where the goal stands; None where that is not known.
    """
    nearest = dense.top(NEAREST, voters)
    by_text = top(lexical, LEXICAL, voters & (lexical > 0))
    return RankerSignals(
        question,
        voted(library.proofs, nearest, dense.scores(nearest), by_text),
        voters,
        target_lexical=library.bm25.scores(question.tokens),
        target_overlap=library.overlap.scores(question.tokens),
        rarest_shared=library.overlap.rarest(tokens),
        place=(
            no_place(len(voters))
            if place is None
            else place_signals(library.uses_by_place, library.bm25, library.proofs, place, voters)
        ),
    )


def indexed_columns(library: RankedLibrary, signals: RankerSignals, ids: Ids) -> RankerColumns:
    """The columns of indexed candidates."""
    return RankerColumns(
        votes=signals.voted.of(ids),
        patterns=pattern_columns(library.structure, signals.question.patterns, *library.structure.rows(ids)),
        place=signals.place.of(ids),
        kinds=kind_columns(library.kind_groups[ids]),
        dense_target=signals.question.near.scores(ids),
        tower=signals.question.tower.scores(ids),
        target_lexical=signals.target_lexical[ids],
        target_overlap=signals.target_overlap[ids],
        rarest_shared=signals.rarest_shared[ids],
    )


def ranker_table(
    library: RankedLibrary,
    signals: RankerSignals,
    candidates: Sequence[tuple[Ids, RankerColumns]],
    columns: CandidateColumns,
    table: Floats,
    tokens: Set[str],
) -> Floats:
    """float32[n, len(RANKER_FEATURES)]: what the ranker reads of n candidates.

    Args:
        library: the indexed premises.
        signals: the goal's.
        candidates: the candidates in parts: their numbers in the index (-1 for none) and their columns.
        columns: the fusion's columns of all of them.
        table: float32[n, len(FEATURES)], made of those.
        tokens: the goal's tokens.
    """
    ids = np.concatenate([numbers for numbers, _ in candidates])
    further = joined([part for _, part in candidates])
    votes = further.votes[:, VOTES.index("votes_512")]
    together = used_together(library.proofs, ids, votes, signals.voters)
    asked = RankerQuestion(tokens, signals.question.tokens, signals.place.lines, signals.question.caller)
    return ranker_features(table, columns, further, together, asked)


def joined(parts: Sequence[RankerColumns]) -> RankerColumns:
    """The candidates of all parts, one behind the other."""
    names = [field.name for field in fields(RankerColumns)]
    return RankerColumns(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


def hash_rows(rows: Sequence[frozenset[int]]) -> tuple[Ids, npt.NDArray[np.uint32]]:
    """The hashes of premises outside the index, as `StructureIndex.rows` gives them."""
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    return lengths, np.array([token for row in rows for token in sorted(row)], dtype=np.uint32)
