"""Applies the changes of an editor to the text of a document (LSP 3.17, `textDocument/didChange`). Pure."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO

from lsprotocol import types

from lean_extract.common.utf16 import utf16_length
from lsp_server.limits import CHANGE_WORK

_ENDS = "\r\n"


class TooManyChanges(Exception):
    """Raised where the changes of one message would take too long to apply."""


def changed_text(text: str, changes: Sequence[types.TextDocumentContentChangePartial]) -> str:
    """The text after changes, each of which is for the text that the one before left.

    Columns count UTF-16 units. A column past the line's end means its end, and a line past the last the end of the
    text; a range that ends before it starts is read the other way round, as VS Code does. Half a character of two
    units becomes U+FFFD, so that later columns stay right.

    Raises TooManyChanges.
    """
    lines = _lines(text)
    work = 0
    for change in changes:
        start, end = sorted((_clamped(lines, change.range.start), _clamped(lines, change.range.end)))
        # One line more on either side: a new `\r` or `\n` may join one that is there.
        low, high = max(start[0] - 1, 0), end[0] + 2
        before = "".join(lines[low : start[0]]) + _sliced(lines[start[0]], 0, start[1])
        after = _sliced(lines[end[0]], end[1], None) + "".join(lines[end[0] + 1 : high])
        work += len(lines) + len(before) + len(after) + len(change.text)
        if work > CHANGE_WORK:
            raise TooManyChanges
        found = _lines(before + change.text + after)
        lines[low:high] = found if high >= len(lines) else found[:-1]
    return "".join(lines)


def _lines(text: str) -> list[str]:
    """The lines of a text with their ends; the last has none and may be empty."""
    found = list(StringIO(text, newline=""))
    if not found or found[-1].endswith(("\n", "\r")):
        found.append("")
    return found


def _clamped(lines: Sequence[str], position: types.Position) -> tuple[int, int]:
    """A position within the text, as a line and a column in UTF-16 units."""
    if position.line >= len(lines):
        return len(lines) - 1, utf16_length(lines[-1])
    return position.line, min(position.character, utf16_length(lines[position.line].rstrip(_ENDS)))


def _sliced(line: str, start: int, end: int | None) -> str:
    """A part of a line between columns in UTF-16 units."""
    units = line.encode("utf-16-le", "surrogatepass")
    if len(units) == 2 * len(line):
        return line[start:end]
    return units[2 * start : None if end is None else 2 * end].decode("utf-16-le", "replace")
