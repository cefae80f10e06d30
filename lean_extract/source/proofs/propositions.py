"""Computes the effect of tactics on propositions as text, without elaboration. Pure functions.

It covers `intro`, `constructor` on ∧ and ↔, and `rcases` patterns on ∃, ∧ and ∨. If the text does not determine
the result in Lean (a definition to unfold, a type that is not written), the result is None.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lean_extract.limits import (
    MAX_BOUND_NAMES,
    MAX_PATTERN_CHARACTERS,
    MAX_PATTERN_DEPTH,
    MAX_PATTERNS,
    MAX_PROPOSITION_CHARACTERS,
    MAX_RESULTING_GOALS,
)
from lean_extract.syntax.brackets import DEPTH, close
from lean_extract.syntax.lexer import is_plain_name, raw_tokens
from lean_extract.syntax.types import Connective, Range, TypeShape, joined, outermost, shape, strip

_UNKNOWN = "_"
_ELEMENT = "«element»"
"""The name of the element in `s ⊆ t` until `intro` names it."""


@dataclass(frozen=True, slots=True)
class Sequent:
    """Binders as written (`(h : p)`), and the proposition to prove. A `target` of None is unknown."""

    context: tuple[str, ...]
    target: str | None

    def assuming(self, *binders: str) -> Sequent:
        """With these binders added at the end of the context."""
        return Sequent((*self.context, *binders), self.target)

    def proving(self, target: str | None) -> Sequent:
        """With another target."""
        return Sequent(self.context, target)


class Proposition:
    """A proposition's tokens and its outermost shape."""

    def __init__(self, text: str) -> None:
        self._raw = raw_tokens(text)
        self.texts = [token.rstrip() for token in self._raw]

    @property
    def whole(self) -> Range:
        """The range of all tokens."""
        return 0, len(self.texts)

    @property
    def shape(self) -> TypeShape:
        """The outermost connective. `¬` applies to relations and operators after it, but not to a connective."""
        begin, end = strip(self.texts, self.whole)
        found = shape(self.texts, (begin, end))
        if not found.connective and self.texts[begin : begin + 1] == ["¬"]:
            return TypeShape("¬", (begin + 1, end))
        return found

    def text(self, type_range: Range | None) -> str:
        """The text of a range of tokens, without outer parentheses."""
        if type_range is None:
            return _UNKNOWN
        begin, end = strip(self.texts, type_range)
        return "".join(self._raw[begin:end]).strip()

    def parts(self, connective: Connective, most: int) -> list[str]:
        """The operands of a right-associative connective, at most `most`; the last one is not split further."""
        found, last = joined(self.texts, self.whole, connective)
        if len(found) >= most:
            found, last = found[: most - 1], (found[most - 1][0], last[1])
        return [self.text(type_range) for type_range in (*found, last)]

    def operator(self) -> tuple[str, str, str] | None:
        """The left side, the operator of lowest precedence, and the right side; None if there is no operator."""
        begin, end = strip(self.texts, self.whole)
        found = outermost(self.texts, begin, end)
        if found is None:
            return None
        return self.text((begin, found[1])), found[0], self.text((found[1] + 1, end))


def renamed(text: str, old: str, new: str) -> str:
    """`text` with the variable `old` renamed to `new`, also in field notation (`old.foo`)."""
    if not old or old in (new, _UNKNOWN):
        return text
    pieces = []
    for raw in raw_tokens(text):
        token = raw.rstrip()
        head, dot, rest = token.partition(".")
        if head == old and is_plain_name(token):
            raw = (new if is_plain_name(new) or not dot else f"({new})") + dot + rest + raw[len(token) :]
        pieces.append(raw)
    return "".join(pieces)


def introduced(target: str, patterns: Sequence[str]) -> list[Sequent] | None:
    """The goals after `rintro` with these patterns, each with its new binders only; None if unknown."""
    if len(patterns) > MAX_PATTERNS or len(target) > MAX_PROPOSITION_CHARACTERS:
        return None
    if not patterns:
        return [Sequent((), target)]
    taken = _first_binder(target)
    if taken is None:
        return None
    name, type_, rest = taken
    pattern = patterns[0]
    if name and is_plain_name(pattern) and pattern != _UNKNOWN:
        rest = renamed(rest, name, pattern)
    elif name and name in Proposition(rest).texts:
        return None  # the rest mentions something that has no name
    alternatives = destructured(type_, pattern)
    if alternatives is None:
        return None
    goals = introduced(rest, patterns[1:])
    if goals is None or len(goals) * len(alternatives) > MAX_RESULTING_GOALS:
        return None
    return [Sequent((*binders, *goal.context), goal.target) for binders in alternatives for goal in goals]


def _first_binder(target: str) -> tuple[str, str, str] | None:
    """What `intro` introduces first: its name (empty for an antecedent), its type, and the rest of the target."""
    proposition = Proposition(target)
    parts = proposition.shape
    if parts.connective == "→" and parts.left and parts.right:
        return "", proposition.text(parts.left), proposition.text(parts.right)
    if parts.connective == "¬" and parts.left:
        return "", proposition.text(parts.left), "False"
    if parts.connective == "∀" and parts.right and parts.names:
        if len(parts.names) > MAX_BOUND_NAMES or "[" in proposition.texts[: parts.right[0]]:
            return None
        return _first_bound(proposition, parts)
    found = proposition.operator()
    if found and found[1] == "≠":
        return "", f"{found[0]} = {found[2]}", "False"
    if found and found[1] == "⊆":
        return _ELEMENT, _UNKNOWN, f"{_ELEMENT} ∈ {found[0]} → {_ELEMENT} ∈ {found[2]}"
    return None


def _first_bound(proposition: Proposition, parts: TypeShape) -> tuple[str, str, str]:
    """The first name that a quantifier binds, its type, and the rest. `∃ x ∈ s, p` is `∃ x, x ∈ s ∧ p`."""
    (name, type_range), *others = parts.names
    bound = ""
    if others and not others[0][0]:
        bound = _grouped(_bound(proposition, name, others.pop(0)[1]))
    body = proposition.text(parts.right)
    if others:
        befores = (name, *(other for other, _ in others))
        names = " ".join(_written(proposition, *both) for both in zip(befores, others, strict=False))
        body = f"{parts.connective} {names}, {body}"
    if bound:
        body = f"{bound} → {body}" if parts.connective == "∀" else f"{bound} ∧ {_grouped(body)}"
    return name, proposition.text(type_range), body


def _grouped(text: str) -> str:
    """The text in parentheses, if it would otherwise extend over what follows it."""
    proposition = Proposition(text)
    reaches = proposition.shape.connective in ("∀", "∃", "→", "↔") or (
        proposition.texts[:1] == ["¬"] and not {"∀", "∃"}.isdisjoint(proposition.texts)
    )
    return f"({text})" if reaches else text


def _bound(proposition: Proposition, name: str, type_range: Range | None) -> str:
    """The bound on one of the names of `x y ∈ s`. The range begins with the last name."""
    return f"{name} {proposition.text(type_range and (type_range[0] + 1, type_range[1]))}"


def _written(proposition: Proposition, before: str, bound: tuple[str, Range | None]) -> str:
    name, type_range = bound
    if not name:
        return f"(_ : {_bound(proposition, before, type_range)})"
    return f"({name} : {proposition.text(type_range)})" if type_range else name


def conjuncts(target: str) -> list[str] | None:
    """The goals after `constructor` on ∧ or ↔; None for anything else."""
    proposition = Proposition(target)
    parts = proposition.shape
    if parts.connective not in ("∧", "↔") or not parts.left or not parts.right:
        return None
    left, right = proposition.text(parts.left), proposition.text(parts.right)
    if parts.connective == "∧":
        return [left, right]
    return [f"{_grouped(left)} → {right}", f"{_grouped(right)} → {left}"]


def disjunct(target: str, side: str) -> str | None:
    """The goal after `left` or `right`; None if the target is not a disjunction."""
    proposition = Proposition(target)
    parts = proposition.shape
    if parts.connective != "∨":
        return None
    return proposition.text(parts.left if side == "left" else parts.right)


def destructured(type_: str, pattern: str) -> list[tuple[str, ...]] | None:
    """The binders that an `rcases` pattern introduces for a term of this type, for each alternative."""
    is_long = len(pattern) > MAX_PATTERN_CHARACTERS or len(type_) > MAX_PROPOSITION_CHARACTERS
    if is_long and not is_plain_name(pattern.strip()):
        return None
    found = _destructured(type_, pattern, MAX_PATTERN_DEPTH)
    return None if found is None or len(found) > MAX_RESULTING_GOALS else found


def _destructured(type_: str, pattern: str, depth: int) -> list[tuple[str, ...]] | None:
    pattern = pattern.strip()
    if depth < 0:
        return None
    if pattern in ("_", "-"):
        return [()]
    if is_plain_name(pattern) and pattern != "rfl":
        return [(f"({pattern} : {type_})",)]
    texts = [token.rstrip() for token in raw_tokens(pattern)]
    if not texts or pattern == "rfl":
        return None
    closes = close(texts, 0, len(texts)) == len(texts) - 1
    if texts[0] == "(" and closes:
        return _parenthesised(type_, pattern[1:-1], depth - 1)
    if texts[0] == "⟨" and closes:
        return _components(type_, top_level(pattern[1:-1], ","), depth - 1)
    alternatives = top_level(pattern, "|")
    return _alternatives(type_, alternatives, depth - 1) if len(alternatives) > 1 else None


def _parenthesised(type_: str, inner: str, depth: int) -> list[tuple[str, ...]] | None:
    pattern, *stated = top_level(inner, ":")
    return _destructured(" : ".join(stated) if stated else type_, pattern, depth)


def _alternatives(type_: str, patterns: Sequence[str], depth: int) -> list[tuple[str, ...]] | None:
    if len(patterns) == 1:
        return _destructured(type_, patterns[0], depth)
    *cases, last = Proposition(type_).parts("∨", len(patterns))
    if not cases or depth < 0:
        return None
    found: list[tuple[str, ...]] = []
    for case, pattern in zip(cases, patterns, strict=False):
        first = _destructured(case, pattern, depth)
        if first is None:
            return None
        found += first
    others = _alternatives(last, patterns[len(cases) :], depth - 1)
    return None if others is None else [*found, *others]


def _components(type_: str, patterns: Sequence[str], depth: int) -> list[tuple[str, ...]] | None:
    if len(patterns) == 1:
        return _destructured(type_, patterns[0], depth)
    if depth < 0:
        return None
    proposition = Proposition(type_)
    parts = proposition.shape
    if parts.connective == "∧":
        *heads, rest = proposition.parts("∧", len(patterns))
    elif parts.connective == "↔":
        *heads, rest = conjuncts(type_) or ("", "")
    elif (
        parts.connective == "∃"
        and 0 < len(parts.names) <= MAX_BOUND_NAMES
        and is_plain_name(patterns[0].strip())
    ):
        name, first, rest = _first_bound(proposition, parts)
        heads, rest = [first], renamed(rest, name, patterns[0].strip())
    else:
        return None
    parts_of = [_destructured(head, pattern, depth) for head, pattern in zip(heads, patterns, strict=False)]
    return _combined([*parts_of, _components(rest, patterns[len(heads) :], depth - 1)])


def _combined(components: Sequence[list[tuple[str, ...]] | None]) -> list[tuple[str, ...]] | None:
    """All combinations of the components' alternatives; None if there are too many or one is unknown."""
    found: list[tuple[str, ...]] = [()]
    for alternatives in components:
        if alternatives is None or len(found) * len(alternatives) > MAX_RESULTING_GOALS:
            return None
        found = [(*one, *other) for one in found for other in alternatives]
    return found


def top_level(text: str, mark: str) -> list[str]:
    """The parts of a text between marks outside brackets."""
    parts: list[list[str]] = [[]]
    depth = 0
    for raw in raw_tokens(text):
        token = raw.rstrip()
        depth += DEPTH.get(token, 0)
        if depth == 0 and token == mark:
            parts.append([])
        else:
            parts[-1].append(raw)
    return ["".join(part).strip() for part in parts]
