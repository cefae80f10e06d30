"""First-order matching of a premise's text against a goal's text.

Variables of the premise stand for single names, numerals, bracketed terms or applications. Notation, dot
notation and open namespaces can print one term in two ways, so only a clash of operators or numerals
counts as a mismatch; a clash of names leaves the question open.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from prover.shapes import shape, strip_brackets

Terms = tuple[str, ...]
Bindings = Mapping[str, Terms]
_OPEN, _CLOSE = frozenset("([{⟨⦃⟦"), frozenset(")]}⟩⦄⟧")
_LONGEST = 48
_MOST_STEPS = 4000
_SYMMETRIC = frozenset({"eq", "iff", "imp", "or", "and", "rel"})


@dataclass(frozen=True, slots=True)
class Match:
    """`yes` with what the variables stand for, `no`, or `open` where the texts cannot tell."""

    verdict: Literal["yes", "no", "open"]
    bindings: Bindings


OPEN = Match("open", {})
NO = Match("no", {})


def match(pattern: Terms, text: Terms, variables: frozenset[str], known: Bindings | None = None) -> Match:
    """Match a whole proposition or term. `known` are bindings that have to be kept."""
    pattern, text = strip_brackets(pattern), strip_brackets(text)
    if len(pattern) > _LONGEST or len(text) > 4 * _LONGEST:
        return OPEN
    bindings = known or {}
    sides = _sides(pattern, text)
    if sides is None:
        return NO if _are_plain(pattern, variables) else OPEN
    for one, other in sides:
        found = _match_side(one, other, variables, bindings)
        if found.verdict != "yes":
            return found
        bindings = found.bindings
    return Match("yes", bindings)


def occurs(pattern: Terms, text: Terms, variables: frozenset[str]) -> Match:
    """Match the pattern against any part of the text."""
    pattern = strip_brackets(pattern)
    if len(pattern) > _LONGEST or len(text) > 8 * _LONGEST:
        return OPEN
    if len(pattern) == 1 and pattern[0] in variables:
        return OPEN
    for start in range(len(text)):
        steps = [_MOST_STEPS]
        for _, bindings in _walk(pattern, text[start:], variables, {}, steps):
            return Match("yes", bindings)
    return NO if _are_plain(pattern, variables) else OPEN


def _sides(pattern: Terms, text: Terms) -> list[tuple[Terms, Terms]] | None:
    """The parts to be matched with each other; None where the outermost connectives differ."""
    one, other = shape(pattern), shape(text)
    if one.kind in _SYMMETRIC:
        if one.kind != other.kind or one.operator != other.operator:
            return None
        return [(one.left, other.left), (one.right, other.right)]
    return [(pattern, text)]


def _match_side(pattern: Terms, text: Terms, variables: frozenset[str], bindings: Bindings) -> Match:
    pattern, text = strip_brackets(pattern), strip_brackets(text)
    if len(pattern) == 1 and pattern[0] in variables:
        bound = bindings.get(pattern[0])
        if bound is None:
            return Match("yes", {**bindings, pattern[0]: text})
        return Match("yes", bindings) if bound == text else NO
    steps = [_MOST_STEPS]
    for rest, found in _walk(pattern, text, variables, bindings, steps):
        if not rest:
            return Match("yes", found)
    return NO if _are_plain(pattern, variables) and steps[0] > 0 else OPEN


def _walk(
    pattern: Terms, text: Terms, variables: frozenset[str], bindings: Bindings, steps: list[int]
) -> Iterator[tuple[Terms, Bindings]]:
    """Every way to match the pattern with a beginning of the text: what is left of it, and the bindings."""
    steps[0] -= 1
    if steps[0] < 0:
        return
    if not pattern:
        yield text, bindings
        return
    token = pattern[0]
    if token in variables:
        for end in _ends(text):
            value = strip_brackets(text[:end])
            if bindings.get(token, value) == value:
                yield from _walk(pattern[1:], text[end:], variables, {**bindings, token: value}, steps)
    elif text and _same(token, text[0]):
        yield from _walk(pattern[1:], text[1:], variables, bindings, steps)


def _ends(text: Terms) -> Iterator[int]:
    """Where a term that begins the text may end: after one atom, or after each argument of an application."""
    place = 0
    while place < len(text):
        if text[place] in _OPEN:
            depth = 0
            while place < len(text):
                depth += (text[place] in _OPEN) - (text[place] in _CLOSE)
                place += 1
                if depth == 0:
                    break
        elif _is_word(text[place]):
            place += 1
        else:
            return
        yield place


def _is_word(token: str) -> bool:
    return token[0].isalnum() or token[0] in "_«"


def _same(one: str, other: str) -> bool:
    """Names are the same up to their namespaces."""
    if one == other:
        return True
    return _is_word(one) and _is_word(other) and one.rpartition(".")[2] == other.rpartition(".")[2]


def _are_plain(pattern: Terms, variables: frozenset[str]) -> bool:
    """Whether a pattern is of variables, operators and numerals alone, so is printed in one way only."""
    previous = ""
    for token in pattern:
        if token in variables and previous in variables:
            return False  # a variable that is applied: higher order
        if _is_word(token) and token not in variables and not token[0].isdigit():
            return False
        previous = token
    return True
