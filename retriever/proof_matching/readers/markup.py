"""XHTML and HTML files as events, with the standard library's parsers."""

from __future__ import annotations

import codecs
from collections import Counter
from collections.abc import Mapping
from html.entities import html5
from html.parser import HTMLParser
from pathlib import Path
from typing import Protocol
from xml.parsers import expat

from lean_extract.common.files.reading import format_size, read_regular
from lean_extract.limits import MAX_DOCUMENT_BYTES
from retriever.documents.latex_names import listed
from retriever.documents.xml_parser import create_parser
from retriever.limits import MAX_UNCLOSED_CHARACTERS
from retriever.proof_matching.readers.mathml import local

_HEAD = 512
_VOID = listed("area base br col embed hr img input link meta param source track wbr")
_OPEN_END = listed("html body head p li dt dd tr td th tbody thead tfoot option colgroup")
"""Elements whose end tag HTML lets one leave out."""


class Events(Protocol):
    """Who listens; raises ValueError to have no more read."""

    def start(self, tag: str, attributes: Mapping[str, str], line: int) -> None:
        """An element begins; `tag` is its local name in lower case, `line` counts from 1."""

    def end(self) -> None:
        """The innermost element that began ends."""

    def data(self, text: str) -> None:
        """Text; may come in pieces."""


def read_markup(path: Path, events: Events) -> str:
    """Read a file. Returns what is wrong with it as `LINE: what`, or ""; everything before that has been reported.

    Files that begin as XML, and those named .xml or .xhtml, are read as XML, others as HTML. Raises OSError.
    """
    data = read_regular(path, MAX_DOCUMENT_BYTES)
    head = data[:_HEAD].lstrip(codecs.BOM_UTF8 + b" \t\r\n")
    is_xml = path.suffix.lower() in (".xml", ".xhtml") or head.startswith(b"<?xml") or b"XHTML" in head
    return _read_xml(data, events) if is_xml else _read_html(data.decode(errors="replace"), events)


def _read_xml(data: bytes, events: Events) -> str:
    parser = create_parser()
    # XHTML's own entities come from a DTD that is not read: their names are known here.
    parser.UseForeignDTD(True)
    parser.ExternalEntityRefHandler = lambda *_: 1
    parser.SkippedEntityHandler = lambda name, is_parameter: events.data(
        "" if is_parameter else html5.get(f"{name};", f"&{name};")
    )
    parser.StartElementHandler = lambda tag, attributes: events.start(
        local(tag), attributes, parser.CurrentLineNumber
    )
    parser.EndElementHandler = lambda _: events.end()
    parser.CharacterDataHandler = events.data
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        return f"{error.lineno}: {expat.ErrorString(error.code)}"
    except (LookupError, ValueError) as error:
        # An encoding that Python does not have, or what is refused.
        return f"{parser.CurrentLineNumber}: {error}"
    return ""


def _read_html(text: str, events: Events) -> str:
    parser = _Html(events)
    try:
        parser.feed(text)
        if len(parser.rawdata) > MAX_UNCLOSED_CHARACTERS and parser.rawdata.startswith("<"):
            limit = format_size(MAX_UNCLOSED_CHARACTERS)
            return f"{parser.getpos()[0]}: a tag or comment is not closed within {limit}"
        parser.close()
    except (AssertionError, ValueError) as error:
        # What this parser does not know of SGML; a reference to a character by a number of a thousand digits.
        return f"{parser.getpos()[0]}: {error}"
    return parser.finish()


class _Html(HTMLParser):
    """Makes each element end, whether or not its end tag is there."""

    def __init__(self, events: Events) -> None:
        super().__init__(convert_charrefs=True)
        self.events = events
        self.open: list[tuple[str, int]] = []
        self.counts: Counter[str] = Counter()
        """How many of each name are open."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See HTMLParser."""
        line = self.getpos()[0]
        self.events.start(local(tag), {name: value or "" for name, value in attrs}, line)
        if tag in _VOID:
            self.events.end()
        else:
            self.open.append((tag, line))
            self.counts[tag] += 1

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See HTMLParser; `<mspace/>` is an element without children in MathML."""
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        """See HTMLParser; an end tag only ends what is still open in its element."""
        if not self.counts[tag]:
            return
        while True:
            name, _ = self.open.pop()
            self.counts[name] -= 1
            self.events.end()
            if name == tag:
                return

    def handle_data(self, data: str) -> None:
        """See HTMLParser."""
        self.events.data(data)

    def finish(self) -> str:
        """What is still open at the end of the file, as `LINE: what`; "" where all is closed."""
        left = [(name, line) for name, line in self.open if name not in _OPEN_END]
        if not left:
            return ""
        name, line = left[0]
        return f"{line}: <{name}> is never closed: the file may be cut off"
