"""The line and columns at which a source file declares a name. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lean_extract.records import Position, Span
from lean_extract.syntax.keywords import DECLARATION_WORDS, any_of

_KEYWORD = re.compile(rf"(?<![\w.'])(?:{any_of(DECLARATION_WORDS)}|alias)\s+(?:\([^()]*\)\s*)?$")
_FAR = 1_000_000
_LONGEST_BEFORE = 200
"""Characters of a keyword and the text between it and the name."""


def declaration_span(lines: Sequence[str], name: str, line: int) -> Span:
    """The position of a name in its declaration.

    Args:
        lines: the lines of the file as it is now.
        name: the full name; a suffix of it is searched for, since a namespace may provide the rest.
        line: its line when the file was indexed, from 0; -1 if unknown.

    Of several candidates, the one with most of the name wins, then one after a keyword of
    Lean, then the one nearest to the line. What is declared without its name in the text (`@[simps]`,
    `to_additive`) is found by the line alone.
    """
    parts = name.split(".")
    best: tuple[tuple[int, int], Span] | None = None
    for start in range(len(parts)):
        wanted = ".".join(parts[start:])
        pattern = re.compile(rf"(?<![\w.'!?«»]){re.escape(wanted)}(?![\w'!?«»]|\.\w)")
        for number, text in enumerate(lines):
            if parts[-1] not in text:
                continue
            for match in pattern.finditer(text):
                before = max(0, match.start() - _LONGEST_BEFORE)
                declares = _KEYWORD.search(text, before, match.start()) is not None
                distance = abs(number - line) if line >= 0 else number
                if not declares and distance > 2:
                    continue
                key = (0 if declares else _FAR, distance)
                if best is None or key < best[0]:
                    span = Span(Position(number, match.start()), Position(number, match.end()))
                    best = key, span
        if best is not None and best[0][0] == 0:
            return best[1]
    if best is not None:
        return best[1]
    at = min(max(line, 0), len(lines) - 1)
    return Span(Position(at, 0), Position(at, 0))
