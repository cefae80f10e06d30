"""A source of an index as it was when it was read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


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
