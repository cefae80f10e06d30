"""A MediaWiki XML dump, page by page, with the line of each page's text; also packed (`.gz`, `.bz2`)."""

from __future__ import annotations

import bz2
import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BufferedIOBase
from pathlib import Path
from typing import BinaryIO, cast
from xml.parsers import expat

from lean_extract.common.errors import BadSource
from lean_extract.common.files.reading import format_size, open_regular
from lean_extract.limits import MAX_CORPUS_BYTES
from retriever.documents.xml_parser import Refused, check_depth, create_parser
from retriever.limits import MAX_PAGE_CHARACTERS

_CHUNK = 1 << 20
_ROOT = "mediawiki"


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the wiki."""

    title: str
    text: str
    line: int
    """Of the file, from 1, where the text starts."""
    redirect: str = ""
    """The title that it sends to."""


def read_pages(path: Path, complaints: list[str]) -> Iterator[Page]:
    """The pages of a dump.

    If the XML is cut off or damaged, this is reported in `complaints`, and only the pages before it are read.
    Raises BadSource when the file cannot be opened or is not a dump.
    """
    reader = _Reader()
    try:
        with open_regular(path) as packed, _unpacked(path, packed) as stream:
            while chunk := stream.read1(_CHUNK):
                reader.feed(chunk)
                yield from reader.taken()
            reader.finish()
    except (Refused, expat.ExpatError) as error:
        yield from reader.taken()
        if not reader.is_dump:
            raise BadSource(f"{path} is not a MediaWiki dump: {error}.", _HINT) from error
        line, reason = reader.line, str(error)
        if isinstance(error, expat.ExpatError):
            line = error.lineno
            reason = f"the XML ends early or is damaged ({expat.ErrorString(error.code)})"
        kept = f"the {reader.count:,} pages before this line are kept"
        complaints.append(f"{path.name}:{line}: {reason}; {kept}.")
    except (EOFError, OSError, zlib.error) as error:
        yield from reader.taken()
        reason = getattr(error, "strerror", None) or str(error)
        if not reader.is_dump:
            raise BadSource(f"{path} cannot be read: {reason}.", _HINT) from error
        complaints.append(f"{path.name}: is cut off or damaged ({reason}); {reader.count:,} pages are kept.")
    if not reader.is_dump:
        raise BadSource(f"{path} is not a MediaWiki dump.", _HINT)


_HINT = "Name an XML dump, such as proofwiki.org/xmldump/latest.xml."


def _unpacked(path: Path, packed: BinaryIO) -> BufferedIOBase:
    if path.suffix == ".gz":
        return gzip.open(packed, "rb")
    if path.suffix == ".bz2":
        return bz2.open(packed, "rb")
    return cast(BufferedIOBase, packed)


@dataclass(slots=True)
class _Reader:
    """Collects pages while the parser goes along."""

    is_dump: bool = False
    count: int = 0
    _parser: expat.XMLParserType = field(default_factory=create_parser)
    _pages: list[Page] = field(default_factory=list)
    _found: dict[str, str] = field(default_factory=dict)
    _line: int = 0
    _gathering: list[str] | None = None
    _gathered: int = 0
    _depth: int = 0
    _read: int = 0

    def __post_init__(self) -> None:
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._data

    @property
    def line(self) -> int:
        """The line that was read last."""
        return self._parser.CurrentLineNumber

    def feed(self, chunk: bytes) -> None:
        self._read += len(chunk)
        if self._read > MAX_CORPUS_BYTES:  # a small packed file may be an endless one unpacked
            raise Refused(f"the dump is larger than {format_size(MAX_CORPUS_BYTES)}")
        self._parser.Parse(chunk, False)

    def finish(self) -> None:
        self._parser.Parse(b"", True)

    def taken(self) -> list[Page]:
        pages, self._pages = self._pages, []
        return pages

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        check_depth(self._depth)
        if self._depth == 1:
            self.is_dump = name == _ROOT
        if name == "page":
            self._found, self._line = {}, self._parser.CurrentLineNumber
        elif name == "redirect":
            self._found["redirect"] = attributes.get("title", "")
        elif name in ("title", "text"):
            self._gathering, self._gathered = [], 0
            if name == "text":
                self._line = self._parser.CurrentLineNumber

    def _data(self, text: str) -> None:
        if self._gathering is not None:
            self._gathered += len(text)
            if self._gathered > MAX_PAGE_CHARACTERS:
                raise Refused(f"a page has more than {MAX_PAGE_CHARACTERS:,} characters")
            self._gathering.append(text)

    def _end(self, name: str) -> None:
        self._depth -= 1
        if name in ("title", "text") and self._gathering is not None:
            self._found[name] = "".join(self._gathering)
            self._gathering = None
        elif name == "page" and "title" in self._found:
            found = self._found
            page = Page(found["title"], found.get("text", ""), self._line, found.get("redirect", ""))
            self._pages.append(page)
            self.count += 1
