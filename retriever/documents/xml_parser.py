"""An XML parser for files of others: expat, with what makes small files large turned off."""

from __future__ import annotations

from typing import Any
from xml.parsers import expat

from retriever.limits import MAX_ENTITY_CHARACTERS, MAX_XML_DEPTH


class Refused(ValueError):
    """A document is refused; the message is part of a sentence."""


def create_parser() -> expat.XMLParserType:
    """A parser that reads no other file, and whose text is not much longer than the file.

    expat fetches nothing by itself. An entity that the document declares may abbreviate a few characters; one
    that abbreviates more, or further entities ("billion laughs"), raises Refused from `Parse`.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.EntityDeclHandler = _declared
    return parser


def check_depth(depth: int) -> None:
    """Raises Refused where elements are nested too deeply."""
    if depth > MAX_XML_DEPTH:
        raise Refused(f"elements are nested more than {MAX_XML_DEPTH:,} deep")


def _declared(name: str, _is_parameter: bool, value: str | None, *_: Any) -> None:
    if value is not None and (len(value) > MAX_ENTITY_CHARACTERS or "&" in value or "%" in value):
        raise Refused(f"the document's own entity &{name[:20]}; stands for more than a few characters")
