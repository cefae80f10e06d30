"""The text of a Lean file: positions and offsets, its header, and the extent of its declarations."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate

from lean_extract.common.errors import BadPosition
from lean_extract.records import Position
from lean_extract.syntax.keywords import COMMAND_WORDS, DECLARATION_WORDS, GOVERNING_WORDS, MODIFIERS, any_of
from lean_extract.syntax.tactic_text import comment_end

# Characters that Python treats as line breaks but Lean does not. An editor's columns must mean the same to both.
_NO_BREAKS = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\r"
_VISIBLE = re.compile(r"\S")
_WORDS, _KEYWORDS, _GOVERNING = map(any_of, (MODIFIERS, DECLARATION_WORDS, GOVERNING_WORDS))
# An attribute or a condition ends where the declaration or another modifier follows; an attribute may contain `]`.
_ENDS = rf"(?=\s++(?:@\[|(?:{_WORDS}|{_GOVERNING}|{_KEYWORDS})(?![\w.'])|\Z))"
_DECLARATION = re.compile(
    rf"(?P<indent>[ \t]*+)(?>(?:(?:{_WORDS}|@\[[^\n]*?\]|(?:{_GOVERNING})(?![\w.'])[^\n]*? in){_ENDS}\s+)*)"
    rf"(?P<word>(?:{_KEYWORDS})(?![\w.']))?"
)
"""Modifiers, and the declaration's keyword if it follows them."""
# Python finds a line break that a pattern begins with many times faster than `^`.
_BEGINS = re.compile(rf"\n[ \t]*+(?:@\[|{_WORDS}|{_GOVERNING}|{_KEYWORDS})")
_PIECE = 1 << 14
"""Characters that are searched at a time."""
_COMMAND = re.compile(
    rf"\n(?P<indent>[ \t]*)(?:@\[|/--|/-!|/-|--|#\w|(?:{any_of(COMMAND_WORDS)})(?![\w.'?!]))"
)
_HEADER_PART = re.compile(
    r"(?>(?:\s+|--[^\n]*)+)|(?:prelude|module)(?![\w.'])"
    r"|(?:public\s+)?(?:meta\s+)?import\s+(?:all\s+)?[^\s]+"
)


class LeanDocument:
    """A text with Lean's line breaks. It converts between offsets (in code points) and positions."""

    def __init__(self, text: str) -> None:
        self.text = lean_lines(text.removeprefix("\ufeff"))

    @cached_property
    def _starts(self) -> list[int]:
        ends = accumulate(map(len, self.text.splitlines(keepends=True)))  # no other line breaks are left
        return [0, *(ends if self.text.endswith("\n") else list(ends)[:-1])]

    def line(self, number: int) -> str:
        """A line without its line break. Raises BadPosition if there is no such line."""
        start, end = self._bounds(number)
        return self.text[start:end]

    def _bounds(self, number: int) -> tuple[int, int]:
        """The offsets of the start and end of a line. Raises BadPosition if there is no such line."""
        if not 0 <= number < len(self._starts):
            raise BadPosition(
                f"There is no line {number + 1}: the file has {len(self._starts)}.",
                "Choose a line of the file.",
            )
        last = number + 1 == len(self._starts)
        return self._starts[number], len(self.text) if last else self._starts[number + 1] - 1

    def offset(self, position: Position) -> int:
        """The offset of a position. Raises BadPosition if it lies outside the document."""
        start, end = self._bounds(position.line)
        if not 0 <= position.column <= end - start:
            raise BadPosition(
                f"Line {position.line + 1} has no column {position.column + 1}: it has {end - start}.",
                "Choose a column of the line.",
            )
        return start + position.column

    def position(self, offset: int) -> Position:
        """The position of an offset."""
        line = bisect_right(self._starts, offset) - 1
        return Position(line, offset - self._starts[line])

    @cached_property
    def header(self) -> str:
        """The text up to the last import, `prelude` or `module`, with the line breaks after it."""
        offset = end = 0
        while offset < len(self.text):
            if self.text.startswith("/-", offset):
                offset = comment_end(self.text, offset)
            elif match := _HEADER_PART.match(self.text, offset):
                offset = match.end()
                if match.group()[0].isalpha():
                    end = offset
            else:
                break
        return self.text[:end] + "\n" if end else ""

    def declaration(self, offset: int) -> tuple[int, int]:
        """The offsets at which the declaration around `offset` and the next command begin."""
        below = self._line_below(offset)
        start, indent = self._declaration_start(below)
        for match in _COMMAND.finditer(self.text, max(0, below - 1)):
            if len(match["indent"]) <= indent:
                return start, match.start() + 1
        return start, len(self.text)

    def _declaration_start(self, below: int) -> tuple[int, int]:
        """The beginning and the indentation of the nearest declaration above the line at `below`."""
        for start in self._begun_above(below):
            match = _DECLARATION.match(self.text, start, self._line_below(start))
            if match is not None and (match["word"] or self._goes_on(match, below)):
                return start, len(match["indent"])
        return 0, 0

    def _begun_above(self, end: int) -> Iterator[int]:
        """The lines that a declaration may begin in, the last first."""
        while end > 0:
            start = self.text.rfind("\n", 0, max(0, end - _PIECE))
            found = _BEGINS.finditer(self.text, max(0, start), end)
            yield from reversed([match.start() + 1 for match in found])
            end = start
        yield 0

    def _goes_on(self, match: re.Match[str], below: int) -> bool:
        """Whether modifiers fill their line, and their declaration begins at or after `below`."""
        visible = _VISIBLE.search(self.text, match.end())
        if match.end() < match.endpos or visible is None or visible.start() < below:
            return False
        rest = _DECLARATION.match(self.text, visible.start())
        return rest is not None and rest["word"] is not None

    def _line_below(self, offset: int) -> int:
        end = self.text.find("\n", offset)
        return len(self.text) if end < 0 else end + 1


def lean_lines(text: str) -> str:
    """The text with `\\n` as line break, and blanks for characters that only Python treats as line breaks."""
    text = text.replace("\r\n", "\n")
    for character in _NO_BREAKS:  # a search for one is several times faster than one for any of them
        text = text.replace(character, " ")
    return text
