"""Converts positions between UTF-16 units (LSP) and code points (all other code). Pure."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from lean_extract.common.errors import BadPosition
from lean_extract.common.utf16 import code_point_column, utf16_length
from lean_extract.records import Edit, Position


def from_lsp(lines: Sequence[str], position: types.Position) -> Position:
    """A position in code points. A column beyond the line's end means its end (LSP 3.17).

    Raises BadPosition: there is no such line.
    """
    if position.line >= len(lines):
        raise BadPosition(
            f"Line {position.line + 1} is past the end of the document, which has {len(lines)} lines.",
            "Ask at a position inside it.",
        )
    return Position(position.line, code_point_column(lines[position.line], position.character))


def to_lsp(lines: Sequence[str], position: Position) -> types.Position:
    """A position in UTF-16 units; the inverse of `from_lsp` within the document."""
    line = lines[position.line] if position.line < len(lines) else ""
    return types.Position(position.line, utf16_length(line[: position.column]))


def range_to_lsp(lines: Sequence[str], start: Position, end: Position) -> types.Range:
    """A half-open range in UTF-16 units."""
    return types.Range(to_lsp(lines, start), to_lsp(lines, end))


def cursor_after(lines: Sequence[str], edit: Edit, line: Edit | None = None) -> types.Position:
    """Where the cursor belongs after an edit and that of an import `line`, in UTF-16 units.

    If the edit does not say so, it is the end of the inserted text.
    """
    start = edit.span.start
    rows = f"{lines[start.line][: start.column]}{edit.text}".split("\n")
    cursor = edit.cursor or Position(start.line + len(rows) - 1, len(rows[-1]))
    row = rows[cursor.line - start.line][: cursor.column]
    is_below_line = line is not None and line.text.endswith("\n") and line.span.start <= start
    return types.Position(cursor.line + is_below_line, utf16_length(row))
