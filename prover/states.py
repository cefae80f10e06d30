"""Whether two proof states are the same, and whether a step leads nowhere. Pure.

States are compared as printed, without spacing, case tags and the numbers of metavariables.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable

from lean_extract.records import Goal, Hypothesis, ProofState
from lean_extract.syntax.inaccessible import DAGGER, MARK
from prover.limits import MAX_FACT_CHARACTERS, MAX_FACT_DEPTH
from prover.shapes import GoalShape, shape, strip_brackets, tokens

_METAVARIABLE = re.compile(r"\?(\w+)\.(\d+)")
_UNKNOWN = re.compile(rf"(?<![\w'!?)\]}}⟩])\?[^\W\d][\w'!]*(?:{MARK})?(?:\.\w+)*")
"""A metavariable; `head?` and `xs[i]?` are none."""
_UNIVERSE = re.compile(r"(?:^|→ )(?:Prop|(?:Type|Sort)(?:\s[^→]*)?)$")
_TYPE = re.compile(r"Type(?:\s.*)?")
_DATA = frozenset({"ℕ", "Nat", "ℤ", "Int", "ℚ", "Rat", "ℝ", "Real", "Bool", "String", "Char", "Unit"})
_NAME = re.compile(rf"[^\W\d][\w'!?]*(?:{MARK})?")
_REFLEXIVE = frozenset({"≤", "≥", "⊆", "⊇", "∣"})
_TURNED = {">": "<", "≥": "≤", "⊇": "⊆"}
_SYMMETRIC = frozenset({"=", "↔", "≠"})


def fingerprint(state: ProofState) -> Hashable:
    """Equal for states that differ only in spacing, case tags and the numbers of metavariables."""
    numbers: dict[str, str] = {}
    return tuple(_plain(goal, numbers) for goal in state.goals)


def nameless_fingerprint(state: ProofState) -> Hashable:
    """Equal for states that differ, in addition, only in the names of hypotheses."""
    return fingerprint(ProofState(tuple(map(_without_names, state.goals))))


def inaccessible_names(state: ProofState) -> int:
    """How many hypotheses have a name that cannot be written, such as `a✝`."""
    return sum(
        DAGGER in name for goal in state.goals for hypothesis in goal.hypotheses for name in hypothesis.names
    )


def has_unknowns(state: ProofState) -> bool:
    """Whether a goal is a datum or a type to choose, or its target mentions a metavariable."""
    return any(_is_choice(goal) or _UNKNOWN.search(goal.target) for goal in state.goals)


def leaves_only_unknowns(before: Goal, after: ProofState) -> bool:
    """Whether a step leaves nothing that can be worked on: no goal but things to choose and statements about these.

    A goal is a thing to choose if its target is a metavariable, a universe (`Prop`, `Type u`), a function into one, or
    a type of numbers or one that the context declares. A statement is about unknowns if it mentions a metavariable
    that stands for a proposition, a type or a predicate, which is a goal itself (`?a → p` with the goal `a : Prop`,
    as `apply Or.imp` leaves). `n ≤ ?m` with the goal `m : ℕ` is not: its statement is known.
    """
    if not after.goals or _is_choice(before):
        return False
    unknown = {f"?{goal.case}" for goal in after.goals if goal.case and _UNIVERSE.search(goal.target)}
    return all(
        _is_choice(goal) or not unknown.isdisjoint(_UNKNOWN.findall(goal.target)) for goal in after.goals
    )


def size(goals: Iterable[Goal]) -> int:
    """How many tokens the goals have, hypotheses included."""
    texts = [text for goal in goals for text in (goal.target, *(one.type for one in goal.hypotheses))]
    return sum(len(tokens(text)) for text in texts)


def is_type(type_: str) -> bool:
    """Whether what has this type is a type, a proposition or a function into those."""
    return _UNIVERSE.search(" ".join(type_.split())) is not None


def _is_choice(goal: Goal) -> bool:
    target = " ".join(goal.target.split())
    if _UNKNOWN.fullmatch(target) or _UNIVERSE.search(target) or target in _DATA:
        return True
    return any(target in one.names and _TYPE.fullmatch(one.type.strip()) for one in goal.hypotheses)


def _without_names(goal: Goal) -> Goal:
    """The goal with numbers for names; a type is read with the names above it, as others are bound in it."""
    numbers: dict[str, str] = {}

    def renamed(text: str) -> str:
        return _NAME.sub(lambda found: numbers.get(found[0], found[0]), text)

    hypotheses: list[Hypothesis] = []
    for one in goal.hypotheses:
        type_, value = renamed(one.type), None if one.value is None else renamed(one.value)
        new = {name: f"#{len(numbers) + at}" for at, name in enumerate(one.names)}
        numbers |= new
        hypotheses.append(Hypothesis(tuple(new[name] for name in one.names), type_, value))
    return Goal(tuple(hypotheses), renamed(goal.target), goal.case)


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
