"""The worst text known for an expression, and how the steps for it grow with its length."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from tests.hostile.regexes.automaton import Automaton, Word
from tests.hostile.regexes.matching import Matcher, TooManySteps
from tests.hostile.regexes.tree import Mode, read

_LETTERS, _TIMES = 100, 12
"""A piece is repeated so many times, or to so many letters, and then twice and four times that."""
_BUDGET = 3_000_000
"""Steps."""
_MOST = 1.4
"""The exponent that linear work stays under, of which a part does not depend on the length."""


@dataclass(frozen=True, slots=True)
class Attack:
    """A text `before + piece * n + after`, for which the steps grow with n to the power of `exponent`."""

    before: str
    piece: str
    after: str
    exponent: float

    def __str__(self) -> str:
        growth = "more than cubic" if math.isinf(self.exponent) else f"length ** {self.exponent:.1f}"
        return f"{self.before!r} + {self.piece!r} * n + {self.after!r}: {growth}"


def worst_attack(pattern: str | bytes, flags: int, mode: Mode) -> Attack | None:
    """The worst text that is found for an expression; None where all are matched in linear time.

    Raises re.error.
    """
    tree = read(pattern, flags)
    automaton, matcher = Automaton.of(tree, mode), Matcher(tree, mode, _BUDGET)
    found: Attack | None = None
    for before, piece, after in _texts(automaton):
        one = Attack(*map(tree.text, (before, piece, after)), _exponent(matcher, before, piece, after))
        if one.exponent > (found.exponent if found else _MOST):
            found = one
        if math.isinf(one.exponent):
            break
    return found


def _texts(automaton: Automaton) -> Iterator[tuple[Word, Word, Word]]:
    """Beginnings, pieces and ends; a letter is put between the pieces, too, since a look may want it."""
    pads = [(), *((automaton.tree.letters.index(one),) for one in " \nx." if one in automaton.tree.letters)]
    for before, piece in dict.fromkeys(automaton.pumps()):
        for pad in pads:
            for after in automaton.endings(before + (piece + pad) * 3):
                yield before, piece + pad, after


def _exponent(matcher: Matcher, before: Word, piece: Word, after: Word) -> float:
    """How the steps grow, the less of two doublings: what changes once is no growth."""
    times = max(_TIMES, _LETTERS // len(piece))
    found = math.inf
    try:
        steps = matcher.run(before + piece * times + after)
        for factor in (2, 4):
            more = matcher.run(before + piece * (factor * times) + after)
            found = min(found, math.log2(more / steps))
            if found <= _MOST:
                break
            steps = more
    except TooManySteps:
        pass
    return found
