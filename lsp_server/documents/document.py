"""A Lean document as a request sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from lsprotocol import types

from lean_extract.records import Position, Span
from lean_extract.session.places import sorry_near
from lsp_server.documents.import_lines import ImportHeader
from lsp_server.documents.insertion import import_insertion
from lsp_server.documents.utf16 import from_lsp, range_to_lsp
from prover.verify import GoalPosition


@dataclass(frozen=True)
class DocumentSnapshot:
    """A document's path and lines at the time of a request."""

    uri: str
    path: Path
    lines: Sequence[str]
    version: int | None = None
    """The editor's version number of this text; None for the file on disk."""
    source: str | None = None
    """The text as the editor sent it; None for the file on disk."""

    @property
    def text(self) -> str:
        """The text with `\\n` line ends."""
        return "\n".join(self.lines)

    def position(self, position: types.Position) -> Position:
        """An LSP position in code points. Raises BadPosition."""
        return from_lsp(self.lines, position)

    def range(self, span: Span) -> types.Range:
        """A span in UTF-16 units."""
        return range_to_lsp(self.lines, span.start, span.end)

    def goal_position(self, position: Position) -> GoalPosition:
        """A position in this document, with the editor's text."""
        return GoalPosition(self.path, self.text, position)

    def proof_position(self, cursor: Position) -> GoalPosition:
        """The position of the `sorry` at or near a cursor; the cursor's own if there is none."""
        span = sorry_near(self.lines, cursor, cursor)
        return self.goal_position(span.start if span else cursor)

    @cached_property
    def _imports(self) -> ImportHeader:
        return ImportHeader.of(self.lines)

    def import_edit(self, import_line: str) -> types.TextEdit | None:
        """The edit that adds an import line; None if it cannot simply be added."""
        found = import_insertion(self.lines, import_line, self._imports)
        return types.TextEdit(self.range(found.span), found.text) if found else None
