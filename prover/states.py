"""Whether two proof states are the same, and whether a step leads nowhere. Pure.

States are compared as printed, without spacing, case tags and the numbers of metavariables.
"""

from __future__ import annotations

import re
from collections.abc import Hashable

from lean_extract.records import Goal, ProofState
from prover.limits import MAX_FACT_CHARACTERS, MAX_FACT_DEPTH
from prover.shapes import GoalShape, shape, strip_brackets

_METAVARIABLE = re.compile(r"\?(\w+)\.(\d+)")
_REFLEXIVE = frozenset({"≤", "≥", "⊆", "⊇", "∣"})
_TURNED = {">": "<", "≥": "≤", "⊇": "⊆"}
_SYMMETRIC = frozenset({"=", "↔", "≠"})


def fingerprint(state: ProofState) -> Hashable:
    """Equal for states that differ only in spacing, case tags and the numbers of metavariables."""
    numbers: dict[str, str] = {}
    return tuple(_plain(goal, numbers) for goal in state.goals)


def adds_nothing(before: Goal, after: ProofState) -> bool:
    """Whether a remaining goal has the old target, and nothing in its context that was not known.

    Known are the old hypotheses, the same facts in another form (`b = a` for `a = b`), and what always holds
    (`x = x`).
    """
    target = _fold(before.target, {})
    known = {_fact(_fold(item.type, {}), item.value) for item in before.hypotheses}
    return any(
        _fold(goal.target, {}) == target
        and all(_is_known(_fold(item.type, {}), item.value, known) for item in goal.hypotheses)
        for goal in after.goals
    )


def _is_known(text: str, value: str | None, known: set[Hashable], depth: int = 0) -> bool:
    if _fact(text, value) in known:
        return True
    if value is not None or len(text) > MAX_FACT_CHARACTERS or depth > MAX_FACT_DEPTH:
        return False
    outer = shape(text)
    if outer.kind == "and":
        return all(_is_known(" ".join(side), None, known, depth + 1) for side in (outer.left, outer.right))
    return _always_holds(outer)


def _always_holds(outer: GoalShape) -> bool:
    if outer.kind == "not":
        return shape(outer.right).kind == "false"
    if outer.kind not in ("eq", "iff", "imp", "rel"):
        return outer.kind == "true"
    is_reflexive = outer.kind != "rel" or outer.operator in _REFLEXIVE
    return is_reflexive and strip_brackets(outer.left) == strip_brackets(outer.right)


def _fact(text: str, value: str | None) -> Hashable:
    """Equal for two forms of a fact: a symmetric relation with its sides swapped, or `>` for `<`."""
    if value is not None:
        return text, " ".join(value.split())
    if len(text) > MAX_FACT_CHARACTERS:
        return text
    outer = shape(text)
    left, right = strip_brackets(outer.left), strip_brackets(outer.right)
    if outer.operator in _SYMMETRIC and outer.kind in ("eq", "iff", "rel"):
        return outer.operator, frozenset({left, right})
    if outer.kind == "rel":
        operator = _TURNED.get(outer.operator, outer.operator)
        return (operator, right, left) if operator != outer.operator else (operator, left, right)
    if outer.kind == "other":
        return text
    return outer.kind, outer.operator, outer.left, outer.right


def _plain(goal: Goal, numbers: dict[str, str]) -> Hashable:
    hypotheses = tuple(
        (item.names, _fold(item.type, numbers), None if item.value is None else _fold(item.value, numbers))
        for item in goal.hypotheses
    )
    return hypotheses, _fold(goal.target, numbers)


def _fold(text: str, numbers: dict[str, str]) -> str:
    """The text with single spaces, and with metavariables numbered in order of appearance."""
    return _METAVARIABLE.sub(
        lambda found: numbers.setdefault(found[0], f"?{found[1]}.{len(numbers)}"), " ".join(text.split())
    )
