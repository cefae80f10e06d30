"""Uses of hypotheses whose type is a definition that may unfold to `∀ …`, `∃ …` or the like. Pure.

The text does not show what `Function.Surjective f` says, so these are guesses; a search has room for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lean_extract.records import Goal, Premise
from lean_extract.syntax.inaccessible import DAGGER
from prover.candidates import Candidate, merge
from prover.limits import MAX_HYPOTHESIS_ARGUMENTS
from prover.shapes import head, last_named, shape, tokens
from prover.states import is_type

_APPLIED, _AT_A_VARIABLE, _SPLIT = 0.4, 0.3, 0.15


@dataclass(frozen=True, slots=True)
class HypothesisUses:
    """`apply h`, `cases h`, and `obtain ⟨x, rfl⟩ := h y` for the variables `y` of the target."""

    name: str = "closer"
    """They are weighed as what a goal suggests by itself."""

    def candidates(self, goal: Goal, premises: Sequence[Premise], limit: int) -> list[Candidate]:
        """At most `limit` candidates, best first; `premises` is ignored."""
        return merge([[Candidate(tactic, score, self.name) for tactic, score in _uses(goal)]], limit)


def _uses(goal: Goal) -> Iterator[tuple[str, float]]:
    types = {name: one.type for one in goal.hypotheses for name in one.names}
    facts = [name for one in last_named(goal) if _states(one.type, types) for name in one.names]
    mentioned = [part for part in dict.fromkeys(tokens(goal.target)) if part in types and part not in facts]
    variables = [name for name in mentioned if not is_type(types[name])][:MAX_HYPOTHESIS_ARGUMENTS]
    fresh = next(name for name in ("x", "y", "z", "w", "x0") if name not in types or name == "x0")
    for fact in facts:
        if DAGGER in fact:
            continue
        yield f"apply {fact}", _APPLIED
        yield f"cases {fact}", _SPLIT
        for variable in variables:
            if variable not in tokens(types[fact]):
                yield f"obtain ⟨{fresh}, rfl⟩ := {fact} {variable}", _AT_A_VARIABLE


def _states(type_: str, types: dict[str, str]) -> bool:
    """Whether a type looks like a statement: a constant applied to something that is no type."""
    parts = tokens(type_)
    if shape(parts).kind != "other" or head(parts) in types:
        return False
    return any(part in types and not is_type(types[part]) for part in parts[1:])
