"""Which packages an index covers, and which of its files have changed since."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from retriever.search.index.meta import IndexedFile
from retriever.search.index.view import IndexView, SegmentPart
from retriever.search.indexing.plan import lacks_steps


@dataclass(frozen=True, slots=True)
class IndexedPackage:
    """A package that the index covers."""

    package: str
    revision: str
    modules: int
    premises: int
    is_bundled: bool
    """True for the shipped index, false for text that was read on this machine."""


class Coverage:
    """What a view covers."""

    def __init__(self, view: IndexView) -> None:
        self._view = view

    def own_files(self) -> Iterator[tuple[SegmentPart, IndexedFile]]:
        """The live files that may change, with the part that each is in: none of a package at a revision."""
        for part, file, is_live in self._files():
            if is_live and not (part.manifest.pinned or part.is_bundled):
                yield part, file

    def _files(self) -> Iterator[tuple[SegmentPart, IndexedFile, bool]]:
        live = iter(self._view.is_live_file)
        for part in self._view.parts:
            for file in part.segment.files:
                yield part, file, next(live)

    @cached_property
    def packages(self) -> tuple[IndexedPackage, ...]:
        """The packages covered, in order of their names."""
        found: dict[tuple[str, str, bool], list[int]] = {}
        for part, file, is_live in self._files():
            if is_live:
                counts = found.setdefault((file.package, file.revision, part.is_bundled), [0, 0])
                counts[0] += 1
                counts[1] += file.stop - file.start
        return tuple(
            IndexedPackage(key[0], key[1], counts[0], counts[1], key[2])
            for key, counts in sorted(found.items())
        )

    @cached_property
    def without_steps(self) -> int:
        """How many files an older version read here, which kept no steps of their proofs."""
        return sum(
            lacks_steps(part.segment, number)
            for part in self._view.parts
            if not part.is_bundled
            for number, _ in part.segment.live_files(part.dead_files)
        )

    def stale_files(self) -> tuple[str, ...]:
        """Files that changed or went since they were read; packages at a fixed revision are not looked at."""
        return tuple(sorted(name for name, path, recorded in self._watched if _stat(path) != recorded))

    @cached_property
    def _watched(self) -> list[tuple[str, str, tuple[int, int]]]:
        """The files that may change: their names, where they are, (size, mtime_ns) as they were read."""
        return [
            (
                file.path,
                os.path.join(part.manifest.root, file.path),  # noqa: PTH118
                part.manifest.stats.get(file.path, (file.size, file.mtime_ns)),
            )
            for part, file in self.own_files()
        ]

    @cached_property
    def files_read(self) -> frozenset[tuple[str, str, str]]:
        """(module, package, revision) of every file that was read on this machine."""
        return frozenset(
            (file.module, file.package, file.revision)
            for part in self._view.parts
            if not part.is_bundled
            for _, file in part.segment.live_files(part.dead_files)
        )

    @cached_property
    def settled_packages(self) -> frozenset[tuple[str, str]]:
        """The packages, by (name, revision), of which every file is indexed and none can have changed."""
        return frozenset(
            (file.package, file.revision)
            for part in self._view.parts
            if part.manifest.pinned and part.manifest.complete and not part.is_bundled
            for file in part.segment.files
        )


def _stat(path: str) -> tuple[int, int] | None:
    try:
        stat = os.stat(path)  # noqa: PTH116 (half the time of a Path)
    except OSError:
        return None
    return stat.st_size, stat.st_mtime_ns
