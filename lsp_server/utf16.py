"""Places in a document: UTF-16 units as LSP counts, code points as everything inside counts."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from lean_extract.errors import BadPosition
from lean_extract.records import Position


def utf16_length(text: str) -> int:
    """How many UTF-16 units the text takes."""
    return len(text) + sum(character > "\uffff" for character in text)


def from_lsp(lines: Sequence[str], place: types.Position) -> Position:
    """A position in code points. A column past the end of its line means the end of it (LSP 3.17).

    Raises BadPosition when there is no such line.
    """
    if place.line >= len(lines):
        raise BadPosition(
            f"Line {place.line + 1} is past the end of the document, which has {len(lines)} lines.",
            "Ask at a place inside it.",
        )
    units = 0
    for column, character in enumerate(lines[place.line]):
        if units >= place.character:
            return Position(place.line, column)
        units += 2 if character > "\uffff" else 1
    return Position(place.line, len(lines[place.line]))


def to_lsp(lines: Sequence[str], place: Position) -> types.Position:
    """A position in UTF-16 units; the inverse of `from_lsp` within the document."""
    line = lines[place.line] if place.line < len(lines) else ""
    return types.Position(place.line, utf16_length(line[: place.column]))


def range_to_lsp(lines: Sequence[str], start: Position, end: Position) -> types.Range:
    """A half-open range in UTF-16 units."""
    return types.Range(to_lsp(lines, start), to_lsp(lines, end))
