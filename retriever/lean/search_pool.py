"""What a search may find at a place, and the records of it by number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from lean_extract.common.arrays import Bools, Floats
from lean_extract.records import Premise
from lean_extract.syntax.lexer import is_plain_name
from retriever.lean.eligibility import (
    Allowed,
    RankedPremise,
    internal_premises,
    offered_premises,
    own_premises,
    ranked_indexed_premise,
    ranked_premise,
    scope_of,
)
from retriever.lean.goal_context import GoalContext
from retriever.lean.snapshot import Snapshot

_INTERNAL = np.float32(1e-4)
"""What the score of an internal premise is multiplied by: it comes last, and keeps its place among its like."""


@dataclass(frozen=True, slots=True)
class SearchPool:
    """What may be found: premises of the open file, and those of the index (bool[n]) with their scope."""

    snapshot: Snapshot
    where: GoalContext | None
    own: Sequence[Premise]
    offered: Bools
    scope: Bools | None
    internal: Bools
    """bool[n]: what comes last, since it is internal to a library that was not named."""

    @property
    def may_be_found(self) -> Bools:
        """bool[len(own) + n]: of all numbers."""
        return np.concatenate([np.ones(len(self.own), dtype=np.bool_), self.offered])

    def internal_last(self, scores: Floats) -> Floats:
        """Scores from 0, where what is internal has less than all else that has any."""
        hidden = scores[len(self.own) :][self.internal]
        lowered = scores.copy()
        lowered[len(self.own) :][self.internal] = hidden * _INTERNAL
        return lowered

    def premise(self, number: int) -> Premise:
        """A premise's record by its number."""
        own = len(self.own)
        return self.own[number] if number < own else self.snapshot.view.premise(number - own)

    def prefetch(self, numbers: Iterable[int]) -> None:
        """Prefetch the records of premises (`IndexView.prefetch`)."""
        own = len(self.own)
        self.snapshot.view.prefetch(number - own for number in numbers if number >= own)

    def name(self, number: int) -> str:
        """A premise's name by its number."""
        own = len(self.own)
        return self.own[number].name if number < own else self.snapshot.view.name(number - own)

    def ranked_premises(self, numbers: Sequence[int], scores: Floats) -> list[RankedPremise]:
        """Premises by their numbers, the open file's first, then those of the index, with their scores.

        Args:
            numbers: of the premises.
            scores: float32, of everything that may be found.
        """
        self.prefetch(numbers)
        return [self._ranked_premise(number, float(scores[number])) for number in numbers]

    def _ranked_premise(self, number: int, score: float) -> RankedPremise:
        if number < len(self.own):
            return ranked_premise(self.own[number], "", score, None if self.scope is None else True)
        indexed = number - len(self.own)
        in_scope = None if self.scope is None else bool(self.scope[indexed])
        return ranked_indexed_premise(self.snapshot, self.where, indexed, score, in_scope)


def search_pool(
    snapshot: Snapshot, where: GoalContext | None, allowed: Allowed | None, text: str = ""
) -> SearchPool:
    """What may be found at a place, of any kind, for a query."""
    own = own_premises(where, "all", allowed)
    offered = offered_premises(snapshot, where, "all", len(own), allowed)
    internal = internal_premises(snapshot, where, (text,), allowed)
    if "." in text and is_plain_name(text):
        internal[snapshot.internal.ending_with(text)] = False
    return SearchPool(snapshot, where, own, offered, scope_of(snapshot, where), internal)
