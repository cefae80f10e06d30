"""What a segment says of itself and of its sources, and the types of values in an index's documents.

A document's sum finds what a disk or another program did to it; these types see to what it says, so that no name in it
leads out of its folder and no number is what none of ours would be.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from lean_extract.common.typed import Form, read_typed, read_value
from retriever.search.index.files import damaged, read_document, unreadable, write_document
from retriever.search.index.sums import check

FORMAT = "premise-suggest-segment"
VERSION = 3
META = "meta.json"
_LARGEST = 1 << 53


def _text(value: str) -> str:
    try:
        value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return "text"
    return "text" if "\0" in value else ""


def _count(value: int) -> str:
    return "" if 0 <= value < _LARGEST else f"a whole number from 0 to {_LARGEST - 1}"


def matching(pattern: str, wanted: str) -> Callable[[str], str]:
    """A check that a text matches a regular expression."""
    compiled = re.compile(pattern)
    return lambda value: "" if compiled.fullmatch(value) else wanted


Text = Annotated[str, _text]
"""Text that can be written and be part of a path."""
Count = Annotated[int, _count]
"""A number of things."""
PlainName = Annotated[str, matching(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}", "a plain name")]
"""A name that stays in its folder."""
Digest = Annotated[str, matching(r"[0-9a-f]{64}", "a SHA-256")]
"""In hexadecimal."""
_NAMES = {"documents": "premises", "sums": "files"}
_FORM = Form(lambda name: _NAMES.get(name, name))


@dataclass(frozen=True, slots=True)
class Meta:
    """What is known of a segment before its columns are opened."""

    fingerprint: Text
    documents: Count
    dimension: Count
    kinds: tuple[Text, ...]
    has_records: bool
    sums: Mapping[PlainName, tuple[Count, Digest]]

    @classmethod
    def read(cls, folder: Path) -> Meta:
        """A segment's meta.json. Raises OSError, IndexDamaged."""
        values = read_document(folder / META, FORMAT, VERSION)
        try:
            return read_typed(cls, values, _FORM)
        except ValueError as error:
            raise damaged(folder / META, error) from error

    def write(self, folder: Path) -> None:
        """Write it. Raises OSError."""
        write_document(folder / META, self.to_json())

    def to_json(self) -> dict[str, Any]:
        """The document that is written."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "fingerprint": self.fingerprint,
            "premises": self.documents,
            "dimension": self.dimension,
            "kinds": list(self.kinds),
            "has_records": self.has_records,
            "files": {name: list(found) for name, found in self.sums.items()},
        }


def read_checked(folder: Path) -> Meta:
    """A segment's meta.json, once its files were found to be what was written. Raises IndexDamaged."""
    try:
        meta = Meta.read(folder)
        check(folder, meta.sums)
    except OSError as error:
        raise unreadable(error, folder) from error
    return meta


def plain_name(value: Any) -> str:
    """A name that stays in its folder. Raises ValueError."""
    return str(read_value(PlainName, value))


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A source as it was when it was read, and its documents `start:stop`.

    Most corpora are made of files. Where a corpus is one large file, a part of it takes the place of a file.
    """

    path: str
    """Relative to the indexed folder if it is inside, otherwise absolute; the name of a part of a large file."""
    module: str
    """The name by which its corpus knows it."""
    package: str
    revision: str
    size: int
    mtime_ns: int
    sha256: str
    start: int
    stop: int
    more: tuple[Any, ...] = ()
    """What the backend keeps of it, as JSON values."""

    def to_json(self) -> list[Any]:
        """A plain list."""
        head = [self.path, self.module, self.package, self.revision, self.size, self.mtime_ns, self.sha256]
        return [*head, self.start, self.stop, *self.more]

    @classmethod
    def from_json(cls, row: Sequence[Any]) -> IndexedFile:
        """The inverse of `to_json`. Raises ValueError or TypeError."""
        path, module, package, revision, size, mtime_ns, sha256, start, stop, *more = row
        text = (str(path), str(module), str(package), str(revision))
        status, run = (int(size), int(mtime_ns)), (int(start), int(stop))
        return cls(*text, *status, str(sha256), *run, tuple(more))
