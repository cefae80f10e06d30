"""Where in a document a tactic can be inserted, and the edit that does it. Pure functions.

A place is guessed from the text, best guess first. Lean decides: with `sorry` there, it has to show the goal that
it shows at the position; and it judges each tactic in the document that the edit makes.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from lean_extract.records import Edit, Position, Span
from lean_extract.session.document import LeanDocument, lean_lines
from lean_extract.syntax.keywords import COMMAND_WORDS

WORD = re.compile(r"[\w.'!?«»₀-₉]+")
"""A name or a keyword."""
HOLE = "sorry"
"""The placeholder for what is still to be written."""
REACH = 4000
"""How many characters before a position are examined."""
_BEFORE_TACTIC = re.compile(r"(?:^|\bby|\bdo|\bthen|\belse|<;>|=>|:=|[·.;({⟨|])\s*$")
# Python finds literal text at the start of a pattern much faster than a negative lookbehind there.
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
        return _is_term_after_arrow(before, line)
    if re.search(r"=>\s*\($", bare):  # the bracket's content is of the same kind as the bracket itself
        return _is_term_after_arrow(before, line)
    if bare.endswith((":=", ",", "⟨", "[", "(")):
        return not re.search(r"(?:^|\bby|[·;>|])\s*\($", line)
    if not line.strip() or bare.endswith(("·", ";", "<;>", "{", "|")):
        return False
    return not re.search(r"(?<![\w.'])(by|then|else|do)$", bare)


def _is_term_after_arrow(before: str, line: str) -> bool:
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


_MOST_PLACES, _MOST_GUESSED = 8, 64
_MOST_LINES_BACK = 12
_LONGEST_HOLE = 500
_HOLE = re.compile(r"(?<![\w.'!?])(?:sorry|admit|\?_|\?[^\W\d]\w*|_)(?![\w'!?✝])")
_OPENS_BLOCK = re.compile(r"(?:(?<![\w.'])(?:by|do|then|else)|<;>|=>|[·;({|])\s*$")
_EXPECTS_TERM = re.compile(r"(?::=|=>|<\||[,⟨\[(]|(?<![\w.'])(?:exact|apply|refine|refine'|from))\s*$")
_TACTIC_START = re.compile(r"(?:(?<![\w.'])by|=>|·|<;>|;|\{|\(|\|)[ \t]+|[{(]")
_TACTIC_BEGINS = re.compile(r"(?:(?<![\w.'])by|=>|·)[ \t]+(?=\S)")
_TAKES_BARS = re.compile(r"(?<![\w.'])(?:rcases|obtain|first|match|fun|with)(?![\w'])|\|")
_BAR_NEXT = re.compile(r"(?>(?:\s|--[^\n]*|/-(?>(?:[^-]|-(?!/))*)-/)*)\|")
_ARGUMENT = re.compile(r"[\w.'!?»₀-₉]+|[)\]}⟩]")
_BEFORE_TERM = re.compile(
    r"(?:exact|apply)(?:_mod_cast)?|refine'?|from|using|return|then|else|do|by|in|at|show"
)
_TERM_ENDS = re.compile(r"\s*(?:$|--|[)\]}⟩,|])")
_BY = "by "


@dataclass(frozen=True, slots=True)
class Place:
    """The offsets [start, end) of a document that an edit replaces, and what it puts around the tactic.

    `in_term`: a term is replaced, so the tactic comes after `by`.
    """

    start: int
    end: int
    before: str = ""
    after: str = ""
    in_term: bool = False

    def column(self, text: str) -> int:
        """The column at which the tactic will begin."""
        head = text[text.rfind("\n", 0, self.start) + 1 : self.start] + self.before
        return len(head) - head.rfind("\n") - 1


def tactic_texts(document: LeanDocument, place: Place, tactic: str) -> tuple[str, str]:
    """The tactic as it can be written at a place, likeliest first: with and without brackets."""
    line_end = document.text.find("\n", place.end)
    line_start = document.text.rfind("\n", 0, place.start) + 1
    before = document.text[line_start : place.start]
    after = document.text[place.end : line_end if line_end >= 0 else len(document.text)]
    if place.in_term:
        plain = with_by(tactic)
        in_brackets = not (_TERM_ENDS.match(after) and not _is_argument(before))
    else:
        plain = tactic
        is_several = ";" in tactic or "\n" in tactic
        in_brackets = (is_several and before.rstrip().endswith("<;>")) or (
            _TAKES_BARS.search(tactic) is not None
            and _BAR_NEXT.match(document.text, place.end) is not None
            and not place.after
        )
    bracketed = f"({_indented(plain, 1)})"
    return (bracketed, plain) if in_brackets else (plain, bracketed)


def edit_of(document: LeanDocument, place: Place, written: str) -> Edit:
    """The edit that writes a text at a place; its further lines are indented like its first."""
    span = Span(document.position(place.start), document.position(place.end))
    text = f"{place.before}{_indented(written, place.column(document.text))}{place.after}"
    left = _SORRY.search(text)
    return Edit(span, text, _moved(span.start, text[: left.start() if left is not None else len(text)]))


def _moved(start: Position, text: str) -> Position:
    """The position after a text that begins at a position."""
    lines = text.count("\n")
    return Position(start.line + lines, len(text) - text.rfind("\n") - 1 + (0 if lines else start.column))


def guessed_edit(document: LeanDocument, position: Position, tactic: str) -> Edit:
    """The edit for a tactic that no Lean has judged, as the text alone suggests. Raises BadPosition."""
    place = places(document, position)[0]
    return edit_of(document, place, tactic_texts(document, place, bare(tactic))[0])


def bare(tactic: str) -> str:
    """A tactic as it is tried: without the `by` of `with_by`, its lines indented relative to the first."""
    stripped = textwrap.dedent(lean_lines(tactic)).strip()
    inner = stripped.removeprefix(_BY)
    return stripped if inner == stripped else inner.replace("\n" + " " * len(_BY), "\n")


def with_by(tactic: str) -> str:
    """A tactic as a term: after `by`, with its further lines below the first."""
    return _BY + _indented(tactic, len(_BY))


def hole_at(document: LeanDocument, offset: int) -> tuple[int, int] | None:
    """The offsets of the `sorry` or hole at an offset; None if there is none."""
    position = document.position(offset)
    line_start = offset - position.column
    near = max(0, position.column - _LONGEST_HOLE), position.column + _LONGEST_HOLE
    for match in _HOLE.finditer(document.line(position.line), *near):
        if match.start() <= position.column <= match.end():
            return line_start + match.start(), line_start + match.end()
    return None


def tactic_columns(line: str) -> list[int]:
    """The columns of a line at which a tactic may begin, in order."""
    if not line.strip():
        return []
    indent = len(line) - len(line.lstrip())
    found = (match.end() for match in _TACTIC_START.finditer(line))
    return sorted({indent, *(column for column in found if column < len(line))})


def places(document: LeanDocument, position: Position, in_term: bool | None = None) -> list[Place]:
    """Where a tactic for the position can go, best guess first; at least one, at most `_MOST_PLACES`.

    A `sorry` or hole at the position, or the only `sorry` on its line, is replaced. Otherwise the tactic becomes a
    step of its own: at the position on an empty line and after what opens a block, on a new line after a tactic,
    or before the one that begins at the position.

    Args:
        document: the text.
        position: where the goal is shown.
        in_term: whether a hole at the position is a term; None: not known, so that both are guessed.

    Raises:
        BadPosition: the position lies outside the document.
    """
    offset = document.offset(position)
    hole = hole_at(document, offset)
    if hole is not None:
        return _hole_places(document, *hole, in_term)
    line_start = offset - position.column
    only = sorry_near(
        [document.line(position.line)], Position(0, position.column), Position(0, position.column)
    )
    found: list[Place] = []
    if only is not None:
        found = _hole_places(document, line_start + only.start.column, line_start + only.end.column, None)
    guessed = islice(chain(found, _step_places(document, position, offset)), _MOST_GUESSED)
    return list(dict.fromkeys(guessed))[:_MOST_PLACES]


def _hole_places(document: LeanDocument, start: int, end: int, in_term: bool | None) -> list[Place]:
    kinds: tuple[bool, ...]
    if in_term is None:
        is_hole = document.text[start] in "_?"
        guess = is_hole or is_term_position(document.text, start)
        kinds = (True,) if is_hole else (guess, not guess)
    else:
        kinds = (in_term,)
    return [Place(start, end, in_term=kind) for kind in kinds]


def _step_places(document: LeanDocument, position: Position, offset: int) -> Iterator[Place]:
    line = document.line(position.line)
    before, after = line[: position.column], line[position.column :].split("--", 1)[0].strip()
    if not line.strip():
        yield from _on_empty_line(document, position, offset)
        return
    if not before.strip():
        yield _above(document, position.line, len(line) - len(line.lstrip()))
        return
    if not after and (_OPENS_BLOCK.search(before) or _EXPECTS_TERM.search(before)):
        yield _guessed(document, offset, offset, "" if before[-1].isspace() else " ")
    end = offset - position.column + len(line.rstrip())
    for column in _columns_above(document, position.line, before):
        yield Place(end, end, f"\n{' ' * column}")
        if after:  # the tactic that begins at the position is likelier than further columns
            break
    yield from _before_tactics(document, position)


def _on_empty_line(document: LeanDocument, position: Position, offset: int) -> Iterator[Place]:
    start = offset - position.column
    end = start + len(document.line(position.line))
    above = position.line - 1
    while above > 0 and not document.line(above).strip():
        above -= 1
    last = document.line(above) if above >= 0 else ""
    indent = len(last) - len(last.lstrip())
    first = indent + 2 if _OPENS_BLOCK.search(last) else last_column(last)
    columns = [max(position.column, first), position.column, first]
    for column in dict.fromkeys([*columns, *_columns_above(document, above, last)]):
        if column >= position.column:
            yield _guessed(document, offset, end, " " * (column - position.column))
        else:
            yield _guessed(document, start, end, " " * column)


def _columns_above(document: LeanDocument, number: int, before: str) -> list[int]:
    """The columns at which a step on a new line after a line may begin, likeliest first."""
    found = [last_column(before)]
    for back in range(number, max(-1, number - _MOST_LINES_BACK), -1):
        line = before if back == number else document.line(back)
        found += reversed(tactic_columns(line))
    return list(dict.fromkeys(found))


def _before_tactics(document: LeanDocument, position: Position) -> Iterator[Place]:
    """Before the tactics that begin on the line, nearest first, and before those that begin on the lines above."""
    line = document.line(position.line)
    end = len(line.rstrip())
    starts = [column for column in tactic_columns(line) if column < end]
    nearest_first = sorted(
        starts, key=lambda column: (column > position.column, abs(column - position.column))
    )
    for column in nearest_first:
        if not line[:column].strip():
            yield _above(document, position.line, column)
        else:
            offset = document.offset(Position(position.line, column))
            yield Place(offset, offset, after="; ")
    for number in range(position.line - 1, max(-1, position.line - _MOST_LINES_BACK), -1):
        if document.line(number).strip():
            yield _above(document, number, len(document.line(number)) - len(document.line(number).lstrip()))


def _above(document: LeanDocument, number: int, column: int) -> Place:
    """On a line of its own above a tactic that begins at a column."""
    offset = document.offset(Position(number, column))
    return Place(offset, offset, after=f"\n{' ' * column}")


def _guessed(document: LeanDocument, start: int, end: int, before: str) -> Place:
    return Place(start, end, before, in_term=is_term_position(document.text, start))


def last_column(before: str) -> int:
    """The column of the last tactic that begins in a line; its indentation if there is none."""
    starts = [match.end() for match in _TACTIC_BEGINS.finditer(before)]
    return starts[-1] if starts else len(before) - len(before.lstrip())


def _is_argument(before: str) -> bool:
    """Whether a function that ends before the position takes what is there as an argument."""
    argument = _last_word(before.rstrip())
    return bool(argument) and not _BEFORE_TERM.fullmatch(argument)


def _last_word(text: str) -> str:
    """The name or bracket that the text ends with. A search from its beginning could take its square."""
    found = _ARGUMENT.match(text[::-1])
    return found[0][::-1] if found else ""


def _indented(text: str, column: int) -> str:
    return text.replace("\n", "\n" + " " * column)
