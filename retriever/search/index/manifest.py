"""A store's manifest: the one document that says what an index is made of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from lean_extract.common.typed import Form, Misfit, read_typed
from retriever.search.index.files import read_document
from retriever.search.index.meta import Count, PlainName, Text, matching

FORMAT = "premise-suggest-index"
VERSION = 1
MANIFEST = "manifest.json"
_MOST_TIME = 1 << 63
_FORM = Form(lambda name: "bundled" if name == "is_bundled" else name)


def _absolute(path: str) -> str:
    return "" if Path(path).is_absolute() else "an absolute path"


def _time(value: int) -> str:
    return "" if -_MOST_TIME <= value < _MOST_TIME else "a time"


def _distinct(numbers: tuple[int, ...]) -> str:
    return "" if len(set(numbers)) == len(numbers) else "a list in which each file is once"


def _segments(segments: tuple[LiveSegment, ...]) -> str:
    named_once = len({segment.name for segment in segments}) == len(segments)
    return "" if named_once else "a list in which each segment is once"


class LiveSegment(NamedTuple):
    """A segment of the index, and the positions of its files that were replaced or removed."""

    name: PlainName
    dead_files: Annotated[tuple[Count, ...], _distinct] = ()


@dataclass(frozen=True, slots=True)
class IndexManifest:
    """What the index is made of."""

    fingerprint: Annotated[str, matching(re.compile(r"[0-9a-f]{8,64}"), "a fingerprint")]
    root: Text = ""
    """The folder that was indexed; paths of files are relative to it."""
    built_at: Text = ""
    """ISO 8601, UTC."""
    complete: bool = True
    """False while the first run has not come to its end."""
    segments: Annotated[tuple[LiveSegment, ...], _segments] = ()
    retired: tuple[PlainName, ...] = ()
    """Segments that the last write dropped."""
    includes: tuple[Annotated[Text, _absolute], ...] = ()
    """Roots of other stores that belong to this index (packages shared between projects); what those include
    does not. They are read as indexes, whatever else is there; nothing is written to them."""
    pinned: bool = False
    """True for a package at a fixed revision: its files are not looked at again."""
    is_bundled: bool = False
    """True for the index that is shipped, false for text that was read on this machine."""
    stats: dict[Text, tuple[Count, Annotated[int, _time]]] = field(default_factory=dict)
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
        if missing := sorted(_MEMBERS - set(values)):
            raise Misfit(None, "a manifest", "missing", (missing[0],))
        return read_typed(cls, values, _FORM)

    @classmethod
    def read(cls, path: Path) -> IndexManifest:
        """The manifest in a file. Raises OSError, ValueError, IndexDamaged."""
        return cls.from_json(read_document(path, FORMAT, VERSION))


_MEMBERS = frozenset(IndexManifest("").to_json()) - {"format", "version"}
