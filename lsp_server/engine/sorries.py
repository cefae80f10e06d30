"""The `sorry`s of a file, with the declarations around them. Pure."""

from __future__ import annotations

from itertools import islice

from lean_extract.session.document import LeanDocument
from lean_extract.session.tactic_sites import declared_name
from lean_extract.syntax.lexer import tokenize
from lsp_server.engine.schema import SorryItem
from lsp_server.limits import LISTED_SORRIES
from prover.verify import GoalPosition


def sorries(text: str) -> list[SorryItem]:
    """The `sorry`s and `admit`s outside comments and strings, in the order of the text; at most `LISTED_SORRIES`."""
    document = LeanDocument(text)
    raw = tokenize(document.text)
    found = []
    start, end, name = 0, 0, ""
    for token in islice(raw.sorries, LISTED_SORRIES):
        offset = raw.starts[token]
        if offset >= end:
            start, end = document.declaration(offset)
            name = declared_name(document.text, start, offset)
        position = document.position(offset)
        found.append(SorryItem(position.line + 1, position.column + 1, name))
    return found


def next_sorry(position: GoalPosition) -> list[str]:
    """A sentence on the first `sorry` of a document after a position, or else of all; none if it has none."""
    found = sorries(position.text or "")
    line, column = position.position.line + 1, position.position.column + 1
    after = (one for one in found if (one.line, one.column) > (line, column))
    first = next(after, next(iter(found), None))
    if first is None:
        return []
    name = f" (`{first.declaration}`)" if first.declaration else ""
    return [f"The next `sorry` is in line {first.line}{name}."]
