"""Tactics that only a search has room for: guesses that are often wrong, but open what nothing else does. Pure.

The text does not show what a definition such as `Function.Surjective f` says, nor whether two sums are equal up to the
order of their parts. Brackets are multiplied out before such sums are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lean_extract.records import Goal, Premise
from lean_extract.syntax.inaccessible import DAGGER
from prover.candidates import Candidate, merge
from prover.limits import MAX_HYPOTHESIS_ARGUMENTS, MAX_LAWS_OF_ORDER
from prover.mentions import means
from prover.shapes import head, is_of_order, last_named, shape, tokens
from prover.states import is_type
from prover.templates import GoalView, PremiseView, is_theorem, occurs_in

_SURE, _SPLIT_APART = 0.95, 0.9
_TRUSTED = "reordering"
"""A source that the odds do not know, so that they trust its score."""
_APPLIED, _AT_A_VARIABLE, _SPLIT, _REWRITTEN = 0.4, 0.3, 0.15, 0.3
_HOLDS_A_WITNESS = frozenset({"∣", "∈"})
"""Relations that are often defined by `∃`."""
_SPLIT_KINDS = frozenset({"and", "or", "exists"})
_IN_PARTS = {"and": 0.8, "iff": 0.5}
"""How likely it helps to prove the parts of a target one by one, which loses nothing."""
_WITNESSED, _EXPANDED = 0.3, 0.5
_LEAST = 0.6
"""How surely what is rewritten occurs in the goal."""


@dataclass(frozen=True, slots=True)
class SearchGuesses:
    """Uses of hypotheses whose types are definitions, rewrites in hypotheses, a witness that Lean reads off an
    equation, and `simp` for an equation: with what multiplies out, then with the laws of order."""

    name: str = "closer"
    """They are weighed as what a goal suggests by itself."""

    def candidates(self, goal: Goal, premises: Sequence[Premise], limit: int) -> list[Candidate]:
        """At most `limit` candidates, best first."""
        views = [PremiseView.of(one) for one in premises if is_theorem(one) and one.conclusion]
        rules = [view for view in views if view.shape.kind in ("eq", "iff")]
        found = [*_uses(goal), *_rewritings(goal, rules)]
        usual = [Candidate(tactic, score, self.name) for tactic, score in found]
        trusted = [*_constructions(goal, premises), *_simplifications(goal, rules)]
        return merge([usual, [Candidate(tactic, score, _TRUSTED) for tactic, score in trusted]], limit)


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


def _constructions(goal: Goal, premises: Sequence[Premise]) -> Iterator[tuple[str, float]]:
    """The parts of a target; for what exists, perhaps by a definition: the value that makes an equation true."""
    view = _view(goal)
    if view.shape.kind in _IN_PARTS:
        yield "constructor", _IN_PARTS[view.shape.kind]
    exists = view.shape.kind == "exists" and "=" in view.shape.right
    is_defined = any(one.kind == "def" and means(one, view.head) for one in premises)
    if exists or is_defined or view.shape.operator == "∣":
        yield "exact ⟨_, rfl⟩", _WITNESSED


def _rewritings(goal: Goal, rules: Sequence[PremiseView]) -> Iterator[tuple[str, float]]:
    """Rewrites with equations and equivalences whose left side occurs in a hypothesis; those with witnesses split."""
    local = frozenset(name for one in goal.hypotheses for name in one.names)
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


def _simplifications(goal: Goal, rules: Sequence[PremiseView]) -> Iterator[tuple[str, float]]:
    """`simp` for an equation: with the laws of order if both sides have the same names; else with what rewrites it but
    laws of order, which undo the rest."""
    view = _view(goal)
    if view.shape.kind != "eq" or view.shape.left == view.shape.right:
        return
    of_order = [rule.name for rule in rules if is_of_order(rule.shape)]
    if is_of_order(view.shape):
        laws, score = of_order, _SURE
    else:
        others = (rule for rule in rules if rule.name not in of_order)
        laws = [one.name for one in others if occurs_in(view, one.shape.left, one.variables) >= _LEAST]
        score = _EXPANDED if len(laws) > 1 else 0.0  # one alone is tried in any case
    if laws and score:
        yield f"simp [{', '.join(laws[:MAX_LAWS_OF_ORDER])}]", score


def _view(goal: Goal) -> GoalView:
    local = frozenset(name for one in goal.hypotheses for name in one.names)
    return GoalView.of_target(tokens(goal.target), local)


def _states(type_: str, types: dict[str, str]) -> bool:
    """Whether a type looks like a statement: a constant applied to something that is no type."""
    parts = tokens(type_)
    if shape(parts).kind != "other" or head(parts) in types:
        return False
    return any(part in types and not is_type(types[part]) for part in parts[1:])
