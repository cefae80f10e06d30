"""Tactics that only a search has room for: guesses that are often wrong, but open what nothing else does. Pure.

The text does not show what a definition such as `Function.Surjective f` says, nor whether two sums are equal up to the
order of their parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lean_extract.records import Goal, Premise
from lean_extract.syntax.inaccessible import DAGGER
from prover.candidates import Candidate, merge
from prover.limits import MAX_HYPOTHESIS_ARGUMENTS, MAX_LAWS_OF_ORDER
from prover.shapes import head, last_named, shape, tokens
from prover.states import is_type
from prover.templates import GoalView, PremiseView, is_theorem, occurs_in

_REORDERED, _SPLIT_APART = 0.9, 0.9
_APPLIED, _AT_A_VARIABLE, _SPLIT, _REWRITTEN = 0.4, 0.3, 0.15, 0.3
_HOLDS_A_WITNESS = frozenset({"∣", "∈"})
"""Relations that are often defined by `∃`."""
_SPLIT_KINDS = frozenset({"and", "or", "exists"})
_LAW_OF_ORDER = re.compile(r"(?:.*[._])?(?:comm|assoc)")
_LEAST = 0.6
"""How surely what is rewritten occurs in a hypothesis."""


@dataclass(frozen=True, slots=True)
class SearchGuesses:
    """`apply h`, `cases h`, `obtain ⟨x, rfl⟩ := h y` for the variables `y` of the target, `rw [X] at h`; for an
    equation with the same names on both sides, `simp` with the laws of order."""

    name: str = "closer"
    """They are weighed as what a goal suggests by itself."""

    def candidates(self, goal: Goal, premises: Sequence[Premise], limit: int) -> list[Candidate]:
        """At most `limit` candidates, best first."""
        found = [*_uses(goal), *_rewritings(goal, premises), *_reorderings(goal, premises)]
        return merge([[Candidate(tactic, score, self.name) for tactic, score in found]], limit)


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


def _rewritings(goal: Goal, premises: Sequence[Premise]) -> Iterator[tuple[str, float]]:
    """Rewrites with equations and equivalences whose left side occurs in a hypothesis; those with witnesses split."""
    local = frozenset(name for one in goal.hypotheses for name in one.names)
    views = [PremiseView.of(one) for one in premises if is_theorem(one) and one.conclusion]
    rules = [view for view in views if view.shape.kind in ("eq", "iff")]
    for hypothesis in last_named(goal):
        parts = tokens(hypothesis.type)
        where = GoalView.of_target(parts, local)
        for name in (name for name in hypothesis.names if DAGGER not in name):
            if where.shape.kind in _SPLIT_KINDS:
                yield f"cases {name}", _SPLIT_APART
            if where.shape.operator in _HOLDS_A_WITNESS:
                yield f"cases {name}", _SPLIT
            for rule in rules if len(parts) > 1 else ():
                if occurs_in(where, rule.shape.left, rule.variables) >= _LEAST:
                    yield f"rw [{rule.name}] at {name}", _REWRITTEN


def _reorderings(goal: Goal, premises: Sequence[Premise]) -> Iterator[tuple[str, float]]:
    outer = shape(goal.target)
    left, right = (sorted(part for part in side if part[0].isalnum()) for side in (outer.left, outer.right))
    laws = [one.written for one in premises if is_theorem(one) and _LAW_OF_ORDER.fullmatch(one.written)]
    if outer.kind == "eq" and left == right and outer.left != outer.right and laws:
        yield f"simp [{', '.join(laws[:MAX_LAWS_OF_ORDER])}]", _REORDERED


def _states(type_: str, types: dict[str, str]) -> bool:
    """Whether a type looks like a statement: a constant applied to something that is no type."""
    parts = tokens(type_)
    if shape(parts).kind != "other" or head(parts) in types:
        return False
    return any(part in types and not is_type(types[part]) for part in parts[1:])
