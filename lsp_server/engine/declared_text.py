"""What a source file says of a declaration: its position, text, doc string and statement. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import cleandoc

from lean_extract.records import Premise, Span
from lean_extract.source.reader import read_module
from lsp_server.documents.positions import split_lines
from lsp_server.limits import DECLARATION_CHARACTERS, DOC_CHARACTERS


@dataclass(frozen=True, slots=True)
class DeclaredText:
    """A declaration as its file has it. Texts are cut after a number of characters."""

    line: int | None
    """Its line, from 0; None where it has no text of its own."""
    source: str
    """Its text; empty where it has none of its own."""
    doc: str
    """Its doc string without delimiters and common indentation; empty if it has none."""
    statement: str


def declared_text(text: str, module: str, name: str) -> DeclaredText | None:
    """What the text of a module says of the declaration of this full name; None if it declares no such thing."""
    found = [one for one in read_module(text, module, "").premises if name in (one.name, one.exported_as)]
    if not found:
        return None
    premise = next((one for one in found if one.span is not None), found[0])
    return DeclaredText(
        line=premise.span.start.line if premise.span is not None else None,
        source=_source(text, premise.span) if premise.span is not None else "",
        doc=_doc(premise),
        statement=_cut(premise.statement, DECLARATION_CHARACTERS),
    )


def _doc(premise: Premise) -> str:
    return _cut(cleandoc(premise.doc or ""), DOC_CHARACTERS)


def _source(text: str, span: Span) -> str:
    rows = split_lines(text)[span.start.line : span.end.line + 1]
    return _cut("\n".join(rows).rstrip(), DECLARATION_CHARACTERS)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length]}…"
