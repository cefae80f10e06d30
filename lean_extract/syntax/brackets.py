"""The brackets of Lean's notation, and how they match."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

TERM_PAIRS = {"(": ")", "[": "]", "{": "}", "⟨": "⟩"}
"""The usual brackets in terms."""
PAIRS = TERM_PAIRS | {"⦃": "⦄"}
"""The brackets of Lean's core grammar."""
BINDER_PAIRS = {opener: PAIRS[opener] for opener in "({[⦃"}
"""The brackets of binders: explicit, implicit, instance, strict implicit."""
QUOTIENT_PAIRS = {"⟦": "⟧"}
ROUNDING_PAIRS = {"⌊": "⌋", "⌈": "⌉"}
INNER_PAIRS = {"⟪": "⟫"}
BARS = {"|": "|", "‖": "‖"}
"""Brackets whose opening and closing symbols are the same."""

_NOTATION_PAIRS = QUOTIENT_PAIRS | ROUNDING_PAIRS | INNER_PAIRS | {"‹": "›", "⁅": "⁆", "⸨": "⸩"}
OPENERS = frozenset((*PAIRS, *_NOTATION_PAIRS, "@[", "#[", ".{"))
CLOSERS = frozenset((*PAIRS.values(), *_NOTATION_PAIRS.values()))
"""Together with `OPENERS`, all brackets that the lexer knows."""
DEPTH = {**dict.fromkeys(OPENERS, 1), **dict.fromkeys(CLOSERS, -1)}
"""The change of depth at each bracket: 1 or -1."""


def depths(pairs: Mapping[str, str]) -> dict[str, int]:
    """The change of depth at each bracket of these pairs: 1 or -1."""
    return {**dict.fromkeys(pairs, 1), **dict.fromkeys(pairs.values(), -1)}


PAIR_DEPTH = depths(PAIRS)
TERM_DEPTH = depths(TERM_PAIRS)


def close(texts: Sequence[str], begin: int, end: int) -> int:
    """The index of the bracket that closes the one at `begin`; `end - 1` if there is none."""
    depth = 0
    for index in range(begin, end):
        depth += DEPTH.get(texts[index], 0)
        if depth <= 0:
            return index
    return end - 1


def first_outside(
    tokens: Sequence[str],
    begin: int,
    end: int,
    marks: Container[str],
    depth_of: Mapping[str, int] = DEPTH,
) -> int:
    """The index of the first of some tokens in [begin, end) outside all brackets; `end` if there is none."""
    depth = 0
    for index in range(begin, end):
        token = tokens[index]
        depth += depth_of.get(token, 0)
        if depth == 0 and token in marks:
            return index
    return end


def closing(tokens: Sequence[str], start: int, depth_of: Mapping[str, int] = PAIR_DEPTH) -> int:
    """The index of the bracket that closes the one at `start`; the number of tokens if there is none.

    Args:
        tokens: the tokens.
        start: the index of an opening bracket.
        depth_of: the brackets to consider (`depths`). Whether a closer matches its opener is not checked.
    """
    depth = 0
    for index in range(start, len(tokens)):
        depth += depth_of.get(tokens[index], 0)
        if depth == 0:
            return index
    return len(tokens)
