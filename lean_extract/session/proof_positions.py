"""Finds the goal of a line, and whether a tactic, a `sorry` or a term is at a position. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lean_extract.records import Position, Span
from lean_extract.syntax.keywords import COMMAND_WORDS

WORD = re.compile(r"[\w.'!?«»₀-₉]+")
"""A name or a keyword."""
REACH = 4000
"""How many characters before a position are examined."""
_BEFORE_TACTIC = re.compile(r"(?:^|\bby|\bdo|\bthen|\belse|<;>|=>|:=|[·.;({⟨|])\s*$")
# Python finds a text that a pattern begins with much faster than what must not stand before it.
_SORRY = re.compile(r"sorry(?<![\w.'«]sorry)(?![\w.'!?»])")
_LAST_BY = re.compile(r"(?<![\w.'])by\s*$")


def tactic_word(line: str, column: int) -> tuple[str, int] | None:
    """The tactic keyword (or `sorry`) under a column of a line, and the column where it begins."""
    for match in WORD.finditer(line):
        if match.start() <= column <= match.end():
            word, start = match[0], match.start()
            if word == "sorry":
                return word, start
            starts_tactic = bool(_BEFORE_TACTIC.search(line[:start])) and "--" not in line[:start]
            plausible = word[0].islower() and "." not in word and word not in COMMAND_WORDS | {"where"}
            return (word, start) if starts_tactic and plausible else None
    return None


def sorry_near(lines: Sequence[str], start: Position, end: Position) -> Span | None:
    """The `sorry` that a selection touches; for a cursor without selection also the only one on its line."""
    on_line: list[Span] = []
    for number in range(start.line, min(end.line + 1, len(lines))):
        for match in _SORRY.finditer(_without_comment(lines[number])):
            span = Span(Position(number, match.start()), Position(number, match.end()))
            if span.start <= end and start <= span.end:
                return span
            on_line.append(span)
    return on_line[0] if start == end and len(on_line) == 1 else None


def is_term_position(text: str, offset: int) -> bool:
    """Whether a term rather than a tactic is expected at the offset, so that a tactic needs `by` before it."""
    before = text[max(0, offset - REACH) : offset]
    line = before[before.rfind("\n") + 1 :]
    bare = before.rstrip()
    if bare.endswith("=>"):
        return _is_term_behind_arrow(before, line)
    if re.search(r"=>\s*\($", bare):  # the bracket's content is of the same kind as the bracket itself
        return _is_term_behind_arrow(before, line)
    if bare.endswith((":=", ",", "⟨", "[", "(")):
        return not re.search(r"(?:^|\bby|[·;>|])\s*\($", line)
    if not line.strip() or bare.endswith(("·", ";", "<;>", "{", "|")):
        return False
    return not re.search(r"(?<![\w.'])(by|then|else|do)$", bare)


def _is_term_behind_arrow(before: str, line: str) -> bool:
    """Whether the final `=>` belongs to a function, not to an alternative of `induction` or the like."""
    if re.search(r"(?<![\w.'])(fun|λ)(?![\w'])", line[line.rfind(";") + 1 :]):
        return True
    return not re.search(r"(?<![\w.'])(induction|cases|rcases|case|next|conv)(?![\w'])", before)


def default_position(lines: Sequence[str], number: int) -> Position:
    """The goal's column if none is given: that of the line's `sorry`, its final `by`, or its first character."""
    line = lines[number]
    bare = _without_comment(line)
    match = _SORRY.search(bare) or _LAST_BY.search(bare)
    column = match.start() if match else len(line) - len(line.lstrip())
    return Position(number, column)


def _without_comment(line: str) -> str:
    return line.split("--", 1)[0]
