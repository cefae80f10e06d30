"""Tactics for premises of which only the name is known, as in the bundled index. Pure.

Without the statements, only the most common forms are proposed. Lean decides which of them work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lean_extract.records import Goal, Premise
from prover.candidates import Candidate, merge
from retriever.lean.theorems import is_theorem

_EQUALITY = ("=", "↔", "Eq ", "Iff ")
_STEP = 0.06
"""How much a rank costs, as with premises whose statement is known."""
# Below the scores of closing tactics and of premises whose statements fit, above those that hardly fit.
_FOR_EQUALITIES = (("rw [{}]", 0.44), ("apply {}", 0.4), ("simp [{}]", 0.26), ("rw [← {}]", 0.15))
_FOR_OTHERS = (("apply {}", 0.44), ("exact {}", 0.29), ("rw [{}]", 0.18), ("simp [{}]", 0.18))


@dataclass(frozen=True, slots=True)
class Unstated:
    """`apply`, `exact`, `rw`, `simp` with each theorem of unknown statement, by rank."""

    name: str = "premise"

    def candidates(self, goal: Goal, premises: Sequence[Premise], limit: int) -> list[Candidate]:
        """Equations are more often used for rewriting, other lemmas are more often applied."""
        forms = _FOR_EQUALITIES if any(sign in goal.target for sign in _EQUALITY) else _FOR_OTHERS
        found = [
            Candidate(form.format(premise.written), score / (1 + _STEP * rank), self.name)
            for rank, premise in enumerate(premises)
            if not premise.conclusion and is_theorem(premise)
            for form, score in forms
        ]
        return merge([found], limit)
