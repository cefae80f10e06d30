"""The brackets of Lean's notation, and which one closes which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

TERM_PAIRS = {"(": ")", "[": "]", "{": "}", "⟨": "⟩"}
"""The brackets of terms that people write."""
PAIRS = TERM_PAIRS | {"⦃": "⦄"}
"""The brackets that Lean's own grammar pairs."""
BINDER_PAIRS = {opener: PAIRS[opener] for opener in "({[⦃"}
"""The brackets of binders: explicit, implicit, instance, strict implicit."""
QUOTIENT_PAIRS = {"⟦": "⟧"}
ROUNDING_PAIRS = {"⌊": "⌋", "⌈": "⌉"}
INNER_PAIRS = {"⟪": "⟫"}
BARS = {"|": "|", "‖": "‖"}
"""Opened and closed by the same symbol."""

_NOTATION_PAIRS = QUOTIENT_PAIRS | ROUNDING_PAIRS | INNER_PAIRS | {"‹": "›", "⁅": "⁆", "⸨": "⸩"}
OPENERS = frozenset((*PAIRS, *_NOTATION_PAIRS, "@[", "#[", ".{"))
CLOSERS = frozenset((*PAIRS.values(), *_NOTATION_PAIRS.values()))
"""With `OPENERS`, all brackets that the lexer knows."""
DEPTH = {**dict.fromkeys(OPENERS, 1), **dict.fromkeys(CLOSERS, -1)}
"""What each bracket adds to the depth."""


def depths(pairs: Mapping[str, str]) -> dict[str, int]:
    """What each bracket of some pairs adds to the depth."""
    return {**dict.fromkeys(pairs, 1), **dict.fromkeys(pairs.values(), -1)}


PAIR_DEPTH = depths(PAIRS)
TERM_DEPTH = depths(TERM_PAIRS)


def close(texts: Sequence[str], begin: int, end: int) -> int:
    """The index of the bracket that closes the one at `begin`; `end - 1` if none does."""
    depth = 0
    for index in range(begin, end):
        depth += DEPTH.get(texts[index], 0)
        if depth <= 0:
            return index
    return end - 1


def closing(tokens: Sequence[str], start: int, depth_of: Mapping[str, int] = PAIR_DEPTH) -> int:
    """The index of the bracket that closes the one at `start`; the number of tokens if none does.

    Args:
        depth_of: the brackets that count (`depths`); that a closer fits its opener is not checked.
    """
    depth = 0
    for index in range(start, len(tokens)):
        depth += depth_of.get(tokens[index], 0)
        if depth == 0:
            return index
    return len(tokens)
