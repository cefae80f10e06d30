"""The structure of a type, read from its tokens: `∀`, `∃`, `→`, `↔`, `∧`, `∨`, `¬`, and its head.

A type is a range of tokens of the file, `(begin, end)`. There is no elaboration. The tokens are scanned, not parsed to
a tree, since only the outermost operator is needed.
"""

from __future__ import annotations

from itertools import takewhile
from typing import Literal, NamedTuple

from lean_extract.syntax.binders import BoundNames, bound_names
from lean_extract.syntax.brackets import BINDER_PAIRS, DEPTH, close, first_outside
from lean_extract.syntax.lexer import is_identifier
from lean_extract.syntax.operators import ARROW, ASCII, RELATION, precedences
from lean_extract.syntax.token_grammar import NAME_STARTS

Range = tuple[int, int]
Connective = Literal["∀", "∃", "→", "↔", "∧", "∨", "¬", ""]

_BINDING: dict[str, Connective] = {"∀": "∀", "Π": "∀", "forall": "∀", "∃": "∃", "exists": "∃"}
_CONNECTIVES: dict[str, Connective] = {"↔": "↔", "→": "→", "∨": "∨", "∧": "∧"}
_CONNECTIVES |= {
    spelling: _CONNECTIVES[symbol] for spelling, symbol in ASCII.items() if symbol in _CONNECTIVES
}
_LEVELS = {
    **precedences(r"↔ → ∨ ∧ ≅ ≌ × ⊕ + - ++ :: ⊔ ⊓ ∪ ∩ * / % \ • ^ ∘ '' ⁻¹' && || ≫ ⋙ ⥤ ⟶"),
    **dict.fromkeys(("<|", "|>"), 1),
    **dict.fromkeys(("⁻¹", "!", "ᶜ", "'"), 200),
}
"""The precedences of operators. Pipes have the lowest, and postfix operators are never the outermost."""
_LEVELS |= {spelling: _LEVELS[symbol] for spelling, symbol in ASCII.items() if symbol in _CONNECTIVES}
_NO_OPERATORS = frozenset(
    (",", ":", ";", "@", "¬", "↑", "⇑", "↥", "√", "#", "|", "·", "..", "_", "?", "∑", "∏", "⋃", "⋂",
     "⨆", "⨅", "∫",
     ":=", "=>", "↦", "‖", "//", "$", "∂", "ₘ", "₀", "≪", "!")
)  # fmt: skip
_DEEPEST = 24
"""Premises of a statement inside more levels of parentheses are not found."""
_REACHING = frozenset(_BINDING) | {"fun", "λ", "∃!"}
"""Binders, whose bodies extend as far as possible."""


class TypeShape(NamedTuple):
    """The outermost connective of a type and its operands.

    For a quantifier, `names` holds the bound names, each with its type (None if not written), and
    `right` is the body. For a negation, `left` is the negated proposition.
    """

    connective: Connective
    left: Range | None = None
    right: Range | None = None
    names: tuple[tuple[str, Range | None], ...] = ()


def strip(texts: list[str], type_range: Range) -> Range:
    """The type without outer parentheses. A parenthesis that is not closed ends at the end of the type."""
    begin, end = type_range
    if begin >= end or texts[begin] != "(":
        return type_range
    for closed in _leading_closed(texts, begin, end):
        if end - begin < 2 or closed < end - 1:
            break
        begin, end = begin + 1, end - 1
    return begin, end


def _leading_closed(texts: list[str], begin: int, end: int) -> list[int]:
    """The indices that close the parentheses at the start of a type, outermost first; `end` if not closed."""
    inner = begin
    while inner < end and texts[inner] == "(":
        inner += 1
    closing = [end] * (inner - begin)
    depth = lowest = inner - begin
    for index in range(inner, end):
        if not lowest:
            break
        depth += DEPTH.get(texts[index], 0)
        if depth < lowest:
            lowest = depth
            closing[depth] = index
    return closing


def outermost(texts: list[str], begin: int, end: int) -> tuple[str, int] | None:
    """The operator outside brackets with the lowest precedence (the first of several), and its index."""
    return next(iter(loosest(texts, begin, end)), None)


def loosest(texts: list[str], begin: int, end: int) -> list[tuple[str, int]]:
    """All operators outside brackets with the lowest precedence, up to the first binder."""
    best: list[tuple[str, int]] = []
    best_level = 1000
    depth = 0
    for index in range(begin, end):
        text = texts[index]
        step = DEPTH.get(text)
        if step is not None:
            depth += step
        elif depth == 0:
            if text in _REACHING:
                break
            if text[:1] in NAME_STARTS or text in _NO_OPERATORS or index == begin:
                continue
            level = _level(text)
            if level is None:
                continue
            if level < best_level:
                best, best_level = [], level
            if level == best_level:
                best.append((text, index))
    return best


def _level(text: str) -> int | None:
    """The precedence of an operator; None if the token is not an operator."""
    level = _LEVELS.get(text)
    if level is not None:
        return level
    if text[0] in "→≃↪":  # arrows of bundled maps: `→+*`, `≃ₗ`, ...
        return ARROW
    return None if text[0].isdigit() or text[0] in ".\"'`" else RELATION


def shape(texts: list[str], type_range: Range) -> TypeShape:
    """The outermost connective of a type and its operands; an empty connective if there is none."""
    begin, end = strip(texts, type_range)
    if begin >= end:
        return TypeShape("")
    first = texts[begin]
    if first in _BINDING:
        return _quantified(texts, _BINDING[first], begin + 1, end)
    found = outermost(texts, begin, end)
    if found is not None:
        connective = _CONNECTIVES.get(found[0])
        if connective is None:
            return TypeShape("")
        return TypeShape(connective, (begin, found[1]), (found[1] + 1, end))
    if first == "¬":
        return TypeShape("¬", (begin + 1, end))
    return TypeShape("")


def _quantified(texts: list[str], connective: Connective, begin: int, end: int) -> TypeShape:
    comma = first_outside(texts, begin, end, (",",))
    is_plain = texts[begin:comma] and (is_identifier(texts[begin]) or texts[begin] in BINDER_PAIRS)
    groups = bound_names(texts[begin:comma]) if is_plain else []  # `∀ᶠ x in f, p` binds otherwise
    names = [pair for group in groups for pair in _typed(group, begin)]
    return TypeShape(connective, None, (min(comma + 1, end), end), tuple(names))


def _typed(group: BoundNames, begin: int) -> list[tuple[str, Range | None]]:
    """The names of a group with their types. `x ∈ s` also binds a hypothesis, without a name, as `[C a]` does."""
    first, last = begin + group.begin, begin + group.end
    if group.bracket == "[":
        return [("", (first, last))]
    names = list(takewhile(is_identifier, group.names))
    if group.mark in ("", ":"):
        return [(name, (first, last) if group.mark else None) for name in names]
    return [pair for name in names for pair in ((name, None), ("", (first - 2, last)))]


def premises_of(texts: list[str], type_range: Range) -> tuple[list[Range | None], Range]:
    """The premises of a statement, one for each binder and each antecedent, and its conclusion."""
    assumed: list[Range | None] = []
    depth = 0
    while depth < _DEEPEST:
        parts = shape(texts, type_range)
        if parts.connective == "∀" and parts.right:
            assumed += [binder for _, binder in parts.names]
            type_range = parts.right
        elif parts.connective == "→":
            antecedents, type_range = joined(texts, type_range, "→")
            if not antecedents:
                break
            assumed += antecedents
        elif parts.connective == "¬" and parts.left:
            return [*assumed, parts.left], (parts.left[1], parts.left[1])
        else:
            break
        depth += texts[type_range[0] : type_range[0] + 1] == ["("]
    return assumed, type_range


def joined(texts: list[str], type_range: Range, connective: Connective) -> tuple[list[Range], Range]:
    """The operands before each connective of `p → q → r`, and the one after the last connective."""
    begin, end = strip(texts, type_range)
    found: list[Range] = []
    if begin >= end or texts[begin] in _BINDING:
        return found, type_range
    for operator, index in loosest(texts, begin, end):
        if _CONNECTIVES.get(operator) != connective:
            break
        if index > begin:
            found.append((begin, index))
            begin = index + 1
    return found, (begin, end) if found else type_range


def head(texts: list[str], type_range: Range) -> str:
    """The operator (`=`, `↔`) or name that a type is an application of; empty if the text does not show it.

    >>> head(["a", "=", "b"], (0, 3))
    '='
    """
    begin, end = strip(texts, type_range)
    if begin >= end:
        return ""
    first = texts[begin]
    if texts[begin : begin + 2] == ["∃", "!"]:
        return "∃!"
    if first in _BINDING:
        return "→" if _BINDING[first] == "∀" else "∃"
    if first in ("fun", "λ"):
        return ""
    found = outermost(texts, begin, end)
    if found is not None:
        return found[0]
    if first == "¬":
        return first
    if first == "(" and (after := close(texts, begin, end) + 1) < end and is_identifier(texts[after][1:]):
        return texts[after][1:]  # `(n :: l).Sorted`
    if first == "@" and begin + 1 < end:
        first = texts[begin + 1]
    return first if is_identifier(first) or end == begin + 1 else ""
