"""The lines of a document, and positions in it as offsets or counted from 1. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from lean_extract.common.errors import BadPosition
from lean_extract.records import Position
from lean_extract.session.places import default_position


def split_lines(text: str) -> list[str]:
    """The lines of a document without their ends; only `\\n`, `\\r\\n` and `\\r` end a line (LSP 3.17)."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def offset_of(lines: Sequence[str], position: Position) -> int:
    """The number of characters before the position, with one character per newline."""
    return sum(len(line) + 1 for line in lines[: position.line]) + position.column


def position_at(text: str, offset: int) -> Position:
    """The position of an offset; the inverse of `offset_of`."""
    start = text.rfind("\n", 0, offset) + 1
    return Position(text.count("\n", 0, offset), offset - start)


def from_person(lines: Sequence[str], line: int, column: int | None) -> Position:
    """A position from numbers that count from 1; without a column, the first character that is not a space.

    Raises BadPosition: it is outside the document.
    """
    if not 1 <= line <= len(lines):
        raise BadPosition(
            f"There is no line {line}: the file has {len(lines)} lines.",
            f"Lines count from 1; the last one is {len(lines)}.",
        )
    text = lines[line - 1]
    if column is None:
        return Position(line - 1, len(text) - len(text.lstrip()))
    if not 1 <= column <= len(text) + 1:
        raise BadPosition(
            f"There is no column {column} in line {line}, which has {len(text)} characters.",
            f"Columns count from 1; the last one is {len(text) + 1}.",
        )
    return Position(line - 1, column - 1)


def goal_position(text: str, line: int, column: int | None) -> Position:
    """A position in a text from numbers that count from 1; without a column, that of the line's `sorry`, else what
    `default_position` finds. Raises BadPosition: it is outside the text."""
    lines = split_lines(text)
    position = from_person(lines, line, column)
    return default_position(lines, position.line) if column is None else position
