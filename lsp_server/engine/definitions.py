"""Definitions among the premises: which goals require data, and the places of definitions among theorems. Pure.

A tactic that rewrites or simplifies with a definition unfolds it, so the definition must occur in the goal, usually
by its name. Such definitions are few, and get fixed places: theorems and definitions are ranked separately, so that
neither crowds out the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from lean_extract.records import Goal, Premise
from lean_extract.syntax.operators import NULLARY
from prover.facts import telescope
from prover.mentions import GoalNames
from prover.shapes import head, shape
from prover.terms import parse
from retriever.lean.callers import Caller
from retriever.lean.eligibility import RankedPremise

_EVERY: dict[Caller, int] = {"rewrite": 12, "simplify": 4}
"""The number of theorems for each definition that the target mentions. A tenth of the arguments of `simp` are
definitions, of those of `rw` half as many."""
_THEOREMS_ALONE = 32
"""The number of theorems before the definitions that the target does not mention."""


def in_order(goal: Goal, parts: Sequence[Sequence[RankedPremise]], caller: Caller) -> list[RankedPremise]:
    """One ranking of the parts that a caller can use (`kinds_for`); scores fall from the first to the last."""
    if len(parts) == 2:
        return _falling(_among(goal, parts[0], parts[1], _EVERY[caller]))
    if caller == "unfold":
        return _falling([one for part in _by_mention(goal, parts[0]) for one in part])
    return list(parts[0])


def _among(
    goal: Goal, theorems: Sequence[RankedPremise], definitions: Sequence[RankedPremise], every: int
) -> list[RankedPremise]:
    target, *others = _by_mention(goal, definitions)
    rest = [one for part in others for one in part]
    placed = [(float(rank), one) for rank, one in enumerate(theorems)]
    placed += [(every // 2 + every * rank - 0.5, one) for rank, one in enumerate(target)]
    placed += [(_THEOREMS_ALONE + rank - 0.5, one) for rank, one in enumerate(rest)]
    return [one for _, one in sorted(placed, key=lambda item: item[0])]


def _by_mention(
    goal: Goal, definitions: Sequence[RankedPremise]
) -> tuple[list[RankedPremise], list[RankedPremise], list[RankedPremise]]:
    """Those that the target mentions, those that hypotheses mention, and the others."""
    names = GoalNames(goal)
    target: list[RankedPremise] = []
    elsewhere: list[RankedPremise] = []
    others: list[RankedPremise] = []
    for one in definitions:
        if one.in_scope is not False and names.in_target(one.premise):
            target.append(one)  # what is not imported cannot be meant
        else:
            (elsewhere if names.in_hypotheses(one.premise) else others).append(one)
    return target, elsewhere, others


def _falling(ranked: Sequence[RankedPremise]) -> list[RankedPremise]:
    """The same premises; a score above that of the one before becomes equal to it."""
    found: list[RankedPremise] = []
    for one in ranked:
        score = min(one.score, found[-1].score) if found else one.score
        found.append(replace(one, score=score))
    return found


_SORTS = frozenset({"Type", "Sort", "Prop"})
_NUMBERS = frozenset({"ℕ", "ℤ", "ℚ", "ℝ", "ℂ"})
"""Mathlib's notations of types."""
_OF_TYPES = frozenset({"×", "⊕", "≃", "≅", "⟶"})
"""Operators that make types of data; some of them look like relations."""
_TYPES = frozenset({"structure", "class", "inductive", "class inductive"})
_DEFINITIONS = frozenset({"def", "abbrev", "irreducible_def", "opaque"})


def is_data(goal: Goal, declared: Callable[[str], Premise | None]) -> bool:
    """Whether the goal's target, after its binders, is a type of data or a universe; False if unknown.

    Args:
        goal: the goal.
        declared: the declaration of a name, with its statement; None where that is not known.
    """
    _, core = telescope((), goal.target)
    if shape(core).kind not in ("other", "rel"):
        return False
    types = {name: hypothesis.type for hypothesis in goal.hypotheses for name in hypothesis.names}
    outer = head(core, types.keys())
    if shape(core).kind == "rel" or outer in _OF_TYPES:
        return outer in _OF_TYPES
    if outer in _SORTS | _NUMBERS:
        return True
    if outer in types:
        return _makes_types(types[outer])
    premise = declared(_namespace(core, types) + outer)
    if premise is None or premise.kind not in _TYPES | _DEFINITIONS:
        return False
    if not premise.conclusion:  # Lean finds the universe; that of a structure is not `Prop`
        return premise.kind in _TYPES
    return _makes_types(premise.conclusion)


def _namespace(core: tuple[str, ...], types: Mapping[str, str]) -> str:
    """For a target `n.Even` the namespace of the type of `n`, with its dot; else nothing."""
    term = parse(core, frozenset(), frozenset(types))
    if not term.is_dotted or term.args[0].args or term.args[0].head not in types:
        return ""
    owner = head(telescope((), types[term.args[0].head])[1])
    return f"{NULLARY.get(owner, owner)}."


def _makes_types(type_: str) -> bool:
    """Whether a term of this type, applied to all its arguments, is a type of data."""
    _, core = telescope((), type_)
    return head(core) in ("Type", "Sort")
