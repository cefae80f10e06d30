"""Places in a document: UTF-16 units as LSP counts, code points as everything inside counts."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from lean_extract.errors import BadPosition
from lean_extract.records import Position
from lean_extract.utf16 import code_point_column, utf16_length


def from_lsp(lines: Sequence[str], place: types.Position) -> Position:
    """A position in code points. A column past the end of its line means the end of it (LSP 3.17).

    Raises BadPosition when there is no such line.
    """
    if place.line >= len(lines):
        raise BadPosition(
            f"Line {place.line + 1} is past the end of the document, which has {len(lines)} lines.",
            "Ask at a place inside it.",
        )
    return Position(place.line, code_point_column(lines[place.line], place.character))


def to_lsp(lines: Sequence[str], place: Position) -> types.Position:
    """A position in UTF-16 units; the inverse of `from_lsp` within the document."""
    line = lines[place.line] if place.line < len(lines) else ""
    return types.Position(place.line, utf16_length(line[: place.column]))


def range_to_lsp(lines: Sequence[str], start: Position, end: Position) -> types.Range:
    """A half-open range in UTF-16 units."""
    return types.Range(to_lsp(lines, start), to_lsp(lines, end))
