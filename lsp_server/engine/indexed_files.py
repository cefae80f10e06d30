"""Compares the files of a project with what its index holds."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from lean_extract.source.projects.project import find_sources
from lsp_server.engine.answering_stores import Stamp
from retriever.lean.freshness import Freshness
from retriever.lean.service import PremiseService
from retriever.search.index.store import IndexStore

Changes = frozenset[tuple[str, int, int]]
"""Files that differ from what was indexed: name, size and time now, -1 for one that is gone."""

_QUICK_SECONDS = 0.05
_FEW_FILES, _FEW_BYTES = 64, 2_000_000
"""Up to so many changed files are read before an answer."""
_PATIENCE = 20
"""A look at the files that took longer than that serves for so many times as long."""


class IndexedFiles:
    """Compares the files of one project with its index. Safe to use from several threads.

    Args:
        service: what was opened over the stores.
        root: the project's; None: no project, and no files.
        stores: those that the service reads.
    """

    def __init__(self, service: PremiseService, root: Path | None, stores: Sequence[IndexStore]) -> None:
        self._service = service
        self._root = root
        self._stores = tuple(stores)
        self._kept: tuple[float, list[Stamp], Freshness] | None = None
        """What was found, and until when it serves for stores with these stamps."""

    def freshness(self) -> Freshness:
        """How fresh the index is, compared with the files on disk.

        In a project of thousands of files, where a look takes long, one look serves for a while.
        """
        stamps = [store.stamp() for store in self._stores]
        started = time.monotonic()
        kept = self._kept
        if kept is not None and kept[0] > started and kept[1] == stamps:
            return kept[2]
        found = freshness(self._service, self._root)
        took = time.monotonic() - started
        if took > _QUICK_SECONDS:
            self._kept = (started + _PATIENCE * took, stamps, found)
        return found

    def few_changes(self, fresh: Freshness) -> Changes:
        """The files that were changed, added or removed since the last indexing; empty if there are too many."""
        names = {*fresh.stale_files, *fresh.unindexed_files}
        if self._root is None or len(names) > _FEW_FILES:
            return frozenset()
        changes = frozenset((name, *size_and_time(self._root / name)) for name in names)
        return changes if sum(size for _, size, _ in changes) <= _FEW_BYTES else frozenset()


def freshness(service: PremiseService, root: Path | None) -> Freshness:
    """How fresh the index of a project is, compared with the current files of it and its packages.

    The files of settled packages are never looked at.
    """
    listed = () if root is None else find_sources(root, without=service.settled_packages()).sources
    return service.freshness(listed)


def size_and_time(path: Path) -> tuple[int, int]:
    """A file's size in bytes and modification time in nanoseconds; -1 for both if it is gone."""
    try:
        status = path.stat()
    except (OSError, ValueError):  # ValueError: a name that no file can have
        return -1, -1
    return status.st_size, status.st_mtime_ns
