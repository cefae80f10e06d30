"""Whether a goal asks for data rather than for a proof, as far as its text and declarations tell. Pure."""

from __future__ import annotations

from collections.abc import Callable

from lean_extract.records import Goal, Premise
from prover.shapes import head, shape, telescope

_SORTS = frozenset({"Type", "Sort", "Prop"})
_NUMBERS = frozenset({"ℕ", "ℤ", "ℚ", "ℝ", "ℂ"})
"""Mathlib's notations of types."""
_OF_TYPES = frozenset({"×", "⊕", "≃", "≅", "⟶"})
"""Operators that make types of data; some of them look like relations."""
_TYPES = frozenset({"structure", "class", "inductive", "class inductive"})
_DEFINITIONS = frozenset({"def", "abbrev", "irreducible_def", "opaque"})


def is_data(goal: Goal, declared: Callable[[str], Premise | None]) -> bool:
    """Whether the goal's target, behind its binders, is a type of data or a universe. False where nothing tells.

    Args:
        goal: the goal.
        declared: the declaration of a name, with its statement; None where that is not known.
    """
    _, core = telescope((), goal.target)
    if shape(core).kind not in ("other", "rel"):
        return False
    outer = head(core)
    if shape(core).kind == "rel" or outer in _OF_TYPES:
        return outer in _OF_TYPES
    if outer in _SORTS | _NUMBERS:
        return True
    for hypothesis in reversed(goal.hypotheses):
        if outer in hypothesis.names:
            return _makes_types(hypothesis.type)
    premise = declared(outer)
    if premise is None or premise.kind not in _TYPES | _DEFINITIONS:
        return False
    if not premise.conclusion:  # Lean finds the universe; that of a structure is not `Prop`
        return premise.kind in _TYPES
    return _makes_types(premise.conclusion)


def _makes_types(type_: str) -> bool:
    """Whether a term of this type, applied to all its arguments, is a type of data."""
    _, core = telescope((), type_)
    return head(core) in ("Type", "Sort")
