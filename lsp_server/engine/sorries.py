"""The `sorry`s of a file, with the declarations around them. Pure."""

from __future__ import annotations

from itertools import islice

from lean_extract.session.document import LeanDocument
from lean_extract.session.tactic_sites import declared_name
from lean_extract.syntax.lexer import tokenize
from lsp_server.engine.schema import SorryItem
from lsp_server.limits import LISTED_SORRIES


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
