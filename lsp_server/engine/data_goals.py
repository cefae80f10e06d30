"""Whether a goal asks for data rather than for a proof, as far as its text and declarations tell. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lean_extract.records import Goal, Premise
from lean_extract.syntax.operators import NULLARY
from prover.facts import telescope
from prover.shapes import head, shape
from prover.terms import parse

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
