"""The `sorry`s of a file, with the declarations around them. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from lean_extract.records import Position
from lean_extract.session.document import LeanDocument
from lean_extract.session.tactic_sites import declared_name
from lean_extract.syntax.lexer import LEAVE_OPEN, tokenize
from lsp_server.engine.schema_items import SorryItem
from lsp_server.limits import LISTED_SORRIES
from prover.verify import GoalPosition


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A declaration that contains `sorry`s."""

    start: Position
    """The beginning of the line of its keyword."""
    name: str
    """Its name, as written; empty if it has none."""
    sorries: list[Position]


def unfinished(text: str) -> list[Unfinished]:
    """The declarations with a `sorry` or `admit` outside comments and strings; at most `LISTED_SORRIES` of these."""
    if not any(word in text for word in LEAVE_OPEN):
        return []  # as in most files of a library
    document = LeanDocument(text)
    raw = tokenize(document.text)
    found: list[Unfinished] = []
    end = 0
    for token in islice(raw.sorries, LISTED_SORRIES):
        offset = raw.starts[token]
        if offset >= end:
            start, end = document.declaration(offset)
            found.append(
                Unfinished(document.position(start), declared_name(document.text, start, offset), [])
            )
        found[-1].sorries.append(document.position(offset))
    return found


def sorries(text: str) -> list[SorryItem]:
    """The `sorry`s of `unfinished`, in the order of the text."""
    return [
        SorryItem(place.line + 1, place.column + 1, declaration.name)
        for declaration in unfinished(text)
        for place in declaration.sorries
    ]


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
