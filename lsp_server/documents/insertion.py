"""How to insert a name or an import into a document: which span is replaced, and by what text. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lean_extract.records import Edit, Position, Span
from lean_extract.session.places import WORD, is_term_position, sorry_near
from lsp_server.documents.import_lines import ImportHeader, imported_module
from lsp_server.documents.positions import offset_of


def name_insertion(lines: Sequence[str], position: Position, name: str, in_term: bool | None = None) -> Edit:
    """Insert a name at the position; its typed beginning is replaced, other words are kept apart from it.

    A `sorry` is replaced by the name if it is a term, else by `exact NAME`. `in_term`: which of the two it is;
    None: the text alone decides.
    """
    line = lines[position.line]
    before, after = line[: position.column], line[position.column :]
    sorry = sorry_near(lines, position, position)
    if sorry is not None and sorry.start <= position <= sorry.end:
        if in_term is None:
            in_term = is_term_position("\n".join(lines), offset_of(lines, sorry.start))
        return Edit(sorry, name if in_term else f"exact {name}")
    typed, rest = _last(WORD, before), _first(WORD, after)
    if typed and _is_typed_of(typed, name):
        whole = rest if _is_typed_of(typed + rest, name) else ""
        start = Position(position.line, position.column - len(typed))
        return Edit(Span(start, Position(position.line, position.column + len(whole))), name)
    if typed and rest:  # in the middle of another word
        position = Position(position.line, position.column + len(rest))
        return Edit(Span(position, position), f" {name}")
    return Edit(Span(position, position), f"{' ' if typed else ''}{name}{' ' if rest else ''}")


def import_insertion(
    lines: Sequence[str], import_line: str, header: ImportHeader | None = None
) -> Edit | None:
    """Insert an import line after the last import; None if the file has it already, or must not (`prelude`).

    `header`: the imports of these lines, if known.
    """
    header = header or ImportHeader.of(lines)
    number = header.number
    if number is None or imported_module(import_line) in header.modules:
        return None
    if number >= len(lines):
        end = Position(len(lines) - 1, len(lines[-1]))
        return Edit(Span(end, end), f"\n{import_line}")
    start = Position(number, 0)
    return Edit(Span(start, start), f"{import_line}\n")


def _is_typed_of(typed: str, name: str) -> bool:
    """Whether the typed text may mean the name: it begins the name, or a part of it after a dot."""
    low, wanted = typed.lower(), name.lower()
    return wanted.startswith(low) or any(
        wanted.startswith(low, index + 1) for index, character in enumerate(wanted) if character == "."
    )


def _first(pattern: re.Pattern[str], text: str) -> str:
    """The match at the beginning of a text, or nothing."""
    found = pattern.match(text)
    return found[0] if found else ""


def _last(pattern: re.Pattern[str], text: str) -> str:
    """The match at the end of a text. A search from the beginning could take quadratic time."""
    return _first(pattern, text[::-1])[::-1]
