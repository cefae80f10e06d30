"""Finds the names that occur free in a part of a term, that is, are not bound inside it."""

from __future__ import annotations

from collections import Counter

from lean_extract.syntax.binder_words import BINDING_ENDS, QUANTIFIERS
from lean_extract.syntax.brackets import DEPTH
from lean_extract.syntax.lexer import Tokens, is_identifier

_MAX_WITHIN = 20
"""Quantifiers inside binders, as in `fun [∀ i, Group (G i)] => ...`."""
_SET_MARKS = frozenset(("|", ":", "∈", "//"))


def free_names(tokens: Tokens, begin: int, end: int, candidates: frozenset[str]) -> frozenset[str]:
    """The candidates that occur free in the tokens [begin, end).

    A quantifier binds from its own token to the end of the enclosing bracket.
    """
    texts = tokens.texts
    if candidates.isdisjoint(_bound_somewhere(tokens, begin, end)):
        return candidates
    found: set[str] = set()
    bound: list[tuple[int, frozenset[str]]] = []
    in_force: Counter[str] = Counter()
    depth = 0
    for index in range(begin, end):
        text = texts[index]
        step = DEPTH.get(text)
        if step is not None:
            depth += step
            while bound and bound[-1][0] > depth:
                in_force.subtract(bound.pop()[1])
            if text == "{" and index + 2 < end and texts[index + 2] in _SET_MARKS:
                bound.append((depth, frozenset((texts[index + 1],))))
                in_force.update(bound[-1][1])
            continue
        if text in QUANTIFIERS:
            bound.append((depth, _binding_names(tokens, index + 1, end) & candidates))
            in_force.update(bound[-1][1])
            continue
        head = text.partition(".")[0]
        if head in candidates and not in_force[head]:
            found.add(head)
    return frozenset(found)


def _bound_somewhere(tokens: Tokens, begin: int, end: int) -> set[str]:
    texts = tokens.texts
    bound: set[str] = set()
    for index in range(begin, end):
        text = texts[index]
        if text in QUANTIFIERS:
            bound |= _binding_names(tokens, index + 1, end)
        elif text == "{" and index + 2 < end and texts[index + 2] in _SET_MARKS:
            bound.add(texts[index + 1])
    return bound


def binding_positions(tokens: Tokens, begin: int, end: int) -> tuple[list[int], int]:
    """The indices of the names bound by the binders from `begin` on, and that of the `,`, `=>` or `↦` after them.

    Types are skipped. Binders end early if they contain more than `_MAX_WITHIN` quantifiers.
    """
    texts, brackets = tokens.texts, tokens.brackets
    positions: list[int] = []
    opened: list[int] = []
    within = 0
    index = begin
    while index < end:
        text = texts[index]
        step = DEPTH.get(text)
        if step is not None:
            if step > 0:
                opened.append(index)
            elif not opened:
                return positions, index
            else:
                opened.pop()
        elif not opened and text in BINDING_ENDS:
            return positions, index
        elif text in _TYPE_MARKS:
            if not opened:
                return positions, brackets.stop(index, end, BINDING_ENDS)
            index = brackets.close(opened.pop(), end)
        elif text in QUANTIFIERS and (within := within + 1) > _MAX_WITHIN:
            return positions, index
        elif text != "_":
            positions.append(index)
        index += 1
    return positions, end


def _binding_names(tokens: Tokens, begin: int, end: int) -> frozenset[str]:
    return frozenset([tokens.texts[position] for position in binding_positions(tokens, begin, end)[0]])


_TYPE_MARKS = frozenset((":", "∈", "in", "<", "≤", ">", "≥", "⊆", "≠", ":=", "∉", "⊂", "∣"))


_INTRODUCERS = frozenset(
    ("intro", "intros", "rintro", "obtain", "rcases", "cases", "ext", "funext", "have", "let", "with",
     "next", "|",
     "rename_i", "induction", "set", "generalize", "case", "for", "mut")
)  # fmt: skip
_INTRODUCERS_END = frozenset((":=", ":", ";", "=>", "using", "at", "←", "from", "in"))


def names_bound_in_body(tokens: Tokens, begin: int, end: int) -> set[str]:
    """The names that a definition's body binds anywhere, by patterns, tactics or `field x y := ...`.

    This is approximate: a variable that occurs free and is bound elsewhere in the same body counts as bound.
    """
    texts = tokens.texts
    firsts = set(tokens.firsts(begin, end))
    bound: set[str] = set()
    for index in range(begin, end):
        text = texts[index]
        if text == ":=":
            first = index - 1
            while first > begin and first not in firsts and is_identifier(texts[first]):
                first -= 1
            bound.update(texts[first + 1 : index])
        elif text in _INTRODUCERS:
            for position in range(index + 1, min(end, index + 40)):
                if texts[position] in _INTRODUCERS_END or (position in firsts and text != "|"):
                    break
                bound.add(texts[position])
    return bound
