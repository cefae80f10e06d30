"""The files of a project as they are now, against its index: what changed, and what a goal in one of them can use."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lean_extract.common.errors import BadSource
from lean_extract.common.files.reading import format_size
from lean_extract.common.lru import Cache
from lean_extract.limits import MAX_SOURCE_BYTES
from lean_extract.source.open_file import resting_on_sorry
from lean_extract.source.projects.project import Project, find_sources, module_of
from lean_extract.source.reader import SourceModule, read_file, read_module
from lsp_server.documents.goal_positions import goal_context, text_to_line
from lsp_server.engine.answering_stores import Stamp
from lsp_server.limits import (
    CACHED_FILES,
    CACHED_TEXTS,
    CHANGED_FILES,
    CHANGED_FILES_BYTES,
    FAST_SCAN_SECONDS,
    SCAN_REUSE,
)
from prover.verify import GoalPosition
from retriever.lean.eligibility import RankedPremise
from retriever.lean.freshness import Freshness
from retriever.lean.goal_context import GoalContext
from retriever.lean.service import PremiseService
from retriever.lean.unproved import Unproved
from retriever.search.index.store import IndexStore

Changes = frozenset[tuple[str, int, int]]
"""Files that differ from what was indexed: name, size and time now, -1 for a deleted one."""


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
        """The result, until when it is valid, and for which stamps of the stores."""

    def freshness(self) -> Freshness:
        """How fresh the index is, compared with the files on disk.

        In a project of thousands of files, where a scan takes long, its result is used again for a while.
        """
        stamps = [store.stamp() for store in self._stores]
        started = time.monotonic()
        kept = self._kept
        if kept is not None and kept[0] > started and kept[1] == stamps:
            return kept[2]
        found = freshness(self._service, self._root)
        took = time.monotonic() - started
        if took > FAST_SCAN_SECONDS:
            self._kept = (started + SCAN_REUSE * took, stamps, found)
        return found

    def few_changes(self, fresh: Freshness) -> Changes:
        """The files that were changed, added or removed since the last indexing; empty if there are too many."""
        names = {*fresh.stale_files, *fresh.unindexed_files}
        if self._root is None or len(names) > CHANGED_FILES:
            return frozenset()
        changes = frozenset((name, *size_and_time(self._root / name)) for name in names)
        return changes if sum(size for _, size, _ in changes) <= CHANGED_FILES_BYTES else frozenset()


def freshness(service: PremiseService, root: Path | None) -> Freshness:
    """How fresh the index of a project is, compared with the current files of it and its packages.

    Packages at a fixed revision are not scanned.
    """
    listed = () if root is None else find_sources(root, without=service.settled_packages()).sources
    return service.freshness(listed)


def size_and_time(path: Path) -> tuple[int, int]:
    """A file's size in bytes and modification time in nanoseconds; -1 for both if it is missing."""
    try:
        status = path.stat()
    except (OSError, ValueError):  # ValueError: a name that no file can have
        return -1, -1
    return status.st_size, status.st_mtime_ns


class DeclaredPremises:
    """Checks rankings against the files of one project. Safe in several threads.

    Args:
        root: the project's; None: no project, so no file is newer than the index.
    """

    def __init__(self, service: PremiseService, root: Path | None, files: IndexedFiles) -> None:
        self._service = service
        self._root = root
        self._files = files
        self._names: Cache[frozenset[str]] = Cache(CACHED_FILES)
        self._unproved = Unproved()

    def checked(self, ranked: list[RankedPremise], context: GoalContext | None) -> list[RankedPremise]:
        """The ranking without premises that no longer exist; those that rest on `sorry` are marked."""
        unproved = self._unproved_by_module(context)
        return [
            replace(one, rests_on_sorry=True)
            if one.premise.name in unproved.get(one.premise.module, ())
            else one
            for one in self._still_declared(ranked, context)
        ]

    def unproved(self, context: GoalContext | None) -> frozenset[str]:
        """The declarations that rest on `sorry`."""
        return frozenset().union(*self._unproved_by_module(context).values())

    def _unproved_by_module(self, context: GoalContext | None) -> dict[str, frozenset[str]]:
        with self._service.reading() as snapshot:
            unproved = dict(self._unproved.by_module(snapshot.view))
        if context is not None and context.shows_file and context.module and context.source is not None:
            others = (names for module, names in unproved.items() if module != context.module)
            unproved[context.module] = resting_on_sorry(context.source, frozenset().union(*others))
        return unproved

    def _still_declared(
        self, ranked: list[RankedPremise], context: GoalContext | None
    ) -> list[RankedPremise]:
        """The ranking without premises that were removed or renamed since their files were indexed.

        Of these files only those are read that declare one of the ranked premises.
        """
        stale = frozenset(self._files.freshness().stale_files) if self._root is not None else frozenset()
        if self._root is None or not stale:
            return ranked
        own = context.module if context else None
        with self._service.reading() as snapshot:
            files = {f.module: f.path for f in snapshot.view.live_files if f.path in stale}
        files.pop(own or "", None)  # the open file's declarations are known from its text
        declared = {
            module: self._declared_in(self._root / files[module], module)
            for module in {one.premise.module for one in ranked} & files.keys()
        }
        return [
            one
            for one in ranked
            if one.premise.module not in declared or one.premise.name in declared[one.premise.module]
        ]

    def _declared_in(self, path: Path, module: str) -> frozenset[str]:
        key = (path, size_and_time(path))
        names = self._names.get(key)
        if names is None:
            try:
                names = frozenset(premise.name for premise in read_file(path, module).premises)
            except BadSource:  # deleted, or not text any more
                names = frozenset()
            self._names.put(key, names)
        return names


class GoalContexts:
    """Reads files of one project up to the goal's line. Safe to use from several threads."""

    def __init__(self, project: Project | None) -> None:
        self._project = project
        self._modules: Cache[SourceModule] = Cache(CACHED_TEXTS)

    def at(self, position: GoalPosition) -> GoalContext:
        """The module of the file, its imports, what it declares above the position and proves there.

        Raises BadSource: the file cannot be read, or is too large.
        """
        text = text_to_line(position)
        return goal_context(self._read(position, text), text, position.position.line)

    def _read(self, position: GoalPosition, text: str) -> SourceModule:
        key = (position.path, text)
        source = self._modules.get(key)
        if source is None:
            if len(text) > MAX_SOURCE_BYTES:
                raise BadSource(
                    f"{position.path} has more than {format_size(MAX_SOURCE_BYTES)} of text above this line.",
                    "Ask nearer to its beginning, or split the file.",
                )
            module = module_of(position.path, self._project)
            source = read_module(text, module, str(position.path), states=True)
            self._modules.put(key, source)
        return source
