"""What a segment says of itself: its `meta.json`, and the values in an index's documents, checked.

A document's sum finds what a disk or another program did to it; here is looked at what it says, so that no
name in it leads out of its folder and no number is what none of ours would be. (A check is three lines; with
cattrs each would be a hook of as many, and all faults of a large document would be collected.)
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retriever.search.index.files import damaged, read_document, unreadable, write_document
from retriever.search.index.sums import Sums, check

FORMAT = "premise-suggest-segment"
VERSION = 3
META = "meta.json"
_PLAIN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_LARGEST = 1 << 53


@dataclass(frozen=True, slots=True)
class Meta:
    """What is known of a segment before its columns are opened."""

    fingerprint: str
    documents: int
    dimension: int
    kinds: tuple[str, ...]
    has_records: bool
    sums: Sums

    @classmethod
    def read(cls, folder: Path) -> Meta:
        """A segment's meta.json. Raises OSError, IndexDamaged."""
        values = read_document(folder / META, FORMAT, VERSION)
        try:
            return cls.from_json(values)
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

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Meta:
        """The inverse of `to_json` but for format and version. Raises ValueError."""
        only_known(values, {"fingerprint", "premises", "dimension", "kinds", "has_records", "files"})
        sums = {plain_name(name): _sum(found) for name, found in members(values["files"]).items()}
        kinds = tuple(text(kind) for kind in pieces(values["kinds"]))
        counts = whole(values["premises"]), whole(values["dimension"])
        return cls(text(values["fingerprint"]), *counts, kinds, truth(values["has_records"]), sums)


def read_checked(folder: Path) -> Meta:
    """A segment's meta.json, once its files were found to be what was written. Raises IndexDamaged."""
    try:
        meta = Meta.read(folder)
        check(folder, meta.sums)
    except OSError as error:
        raise unreadable(error, folder) from error
    return meta


def _sum(value: Any) -> tuple[int, str]:
    size, found = pieces(value)
    return whole(size), digest(found)


def digest(value: Any) -> str:
    """A SHA-256 in hexadecimal. Raises ValueError."""
    if not _DIGEST.fullmatch(text(value)):
        raise ValueError(f"{shown(value)} is no SHA-256")
    return text(value)


def only_known(values: Mapping[str, Any], known: Set[str]) -> None:
    """That an object has just these members. Raises ValueError."""
    if wrong := sorted(set(values) ^ known):
        raise ValueError(f"{shown(wrong[0])} is {'not known' if wrong[0] in values else 'missing'}")


def shown(value: object) -> str:
    """A value for a message: of a large one the beginning and the end."""
    return reprlib.repr(value)


def plain_name(value: Any) -> str:
    """A name that stays in its folder. Raises ValueError."""
    if not _PLAIN.fullmatch(text(value)):
        raise ValueError(f"{shown(value)} is not a plain name")
    return str(value)


def text(value: Any) -> str:
    """Text that can be written and be part of a path. Raises ValueError."""
    if type(value) is not str or "\0" in value:
        raise ValueError(f"{shown(value)} is not text")
    value.encode("utf-8", "surrogateescape")
    return value


def whole(value: Any) -> int:
    """A number of things. Raises ValueError."""
    if type(value) is not int or not 0 <= value < _LARGEST:
        raise ValueError(f"{shown(value)} counts nothing")
    return value


def truth(value: Any) -> bool:
    """True or false. Raises ValueError."""
    if type(value) is not bool:
        raise ValueError(f"{shown(value)} is neither true nor false")
    return value


def pieces(value: Any) -> list[Any]:
    """A list. Raises ValueError."""
    if type(value) is not list:
        raise ValueError(f"{shown(value)} is not a list")
    return value


def members(value: Any) -> dict[str, Any]:
    """An object. Raises ValueError."""
    if type(value) is not dict:
        raise ValueError(f"{shown(value)} is not an object")
    return value
