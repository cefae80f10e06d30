"""A store's manifest: the one document that says what an index is made of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from retriever.search.index.files import read_document
from retriever.search.index.meta import members, only_known, pieces, plain_name, shown, text, truth, whole

FORMAT = "premise-suggest-index"
VERSION = 1
MANIFEST = "manifest.json"
_FINGERPRINT = re.compile(r"[0-9a-f]{8,64}")
_MOST_TIME = 1 << 63


@dataclass(frozen=True, slots=True)
class LiveSegment:
    """A segment of the index, and the positions of its files that were replaced or removed."""

    name: str
    dead_files: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexManifest:
    """What the index is made of."""

    fingerprint: str
    root: str = ""
    """The folder that was indexed; paths of files are relative to it."""
    built_at: str = ""
    """ISO 8601, UTC."""
    complete: bool = True
    """False while the first run has not come to its end."""
    segments: tuple[LiveSegment, ...] = ()
    retired: tuple[str, ...] = ()
    """Segments that the last write dropped."""
    includes: tuple[str, ...] = ()
    """Roots of other stores that belong to this index (packages shared between projects); what those include
    does not."""
    pinned: bool = False
    """True for a package at a fixed revision: its files are not looked at again."""
    is_bundled: bool = False
    """True for the index that is shipped, false for text that was read on this machine."""
    stats: dict[str, tuple[int, int]] = field(default_factory=dict)
    """(size, mtime_ns) of files that were touched after they were read without changing."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """What the backend keeps of its corpus, as JSON values; it is not in the document where it is empty."""

    def to_json(self) -> dict[str, Any]:
        """The document that is written."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "fingerprint": self.fingerprint,
            "root": self.root,
            "built_at": self.built_at,
            "complete": self.complete,
            "segments": [[segment.name, list(segment.dead_files)] for segment in self.segments],
            "retired": list(self.retired),
            "includes": list(self.includes),
            "pinned": self.pinned,
            "bundled": self.is_bundled,
            "stats": {path: list(stat) for path, stat in self.stats.items()},
            **({"about": dict(self.about)} if self.about else {}),
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> IndexManifest:
        """The inverse of `to_json` but for format and version. Raises ValueError."""
        only_known({**values, "about": {}}, _MEMBERS | {"about"})
        segments = tuple(_live(one) for one in pieces(values["segments"]))
        if len({segment.name for segment in segments}) < len(segments):
            raise ValueError("a segment is named twice")
        return cls(
            _fingerprint(values["fingerprint"]),
            text(values["root"]),
            text(values["built_at"]),
            truth(values["complete"]),
            segments,
            tuple(plain_name(name) for name in pieces(values["retired"])),
            tuple(_root(path) for path in pieces(values["includes"])),
            truth(values["pinned"]),
            truth(values["bundled"]),
            {text(path): _stat(stat) for path, stat in members(values["stats"]).items()},
            members(values.get("about", {})),
        )

    @classmethod
    def read(cls, path: Path) -> IndexManifest:
        """The manifest in a file. Raises OSError, ValueError, IndexDamaged."""
        return cls.from_json(read_document(path, FORMAT, VERSION))


_MEMBERS = frozenset(IndexManifest("").to_json()) - {"format", "version"}


def _fingerprint(value: Any) -> str:
    if not _FINGERPRINT.fullmatch(text(value)):
        raise ValueError(f"{shown(value)} is not a fingerprint")
    return text(value)


def _live(value: Any) -> LiveSegment:
    name, dead = pieces(value)
    positions = tuple(whole(position) for position in pieces(dead))
    if len(set(positions)) < len(positions):
        raise ValueError(f"a file of {shown(name)} is dead twice")
    return LiveSegment(plain_name(name), positions)


def _root(value: Any) -> str:
    """Where another store is. It is read as an index, whatever else lies there; nothing is written to it."""
    if not Path(text(value)).is_absolute():
        raise ValueError(f"{shown(value)} is not an absolute path")
    return text(value)


def _stat(value: Any) -> tuple[int, int]:
    size, time = pieces(value)
    if type(time) is not int or not -_MOST_TIME <= time < _MOST_TIME:
        raise ValueError(f"{shown(time)} is not a time")
    return whole(size), time
