"""A view of stores of Lean premises, with the columns that Lean's segments have more; the graph of their proofs; and
which packages it covers, and which of its files have changed since.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Bools, Ids
from lean_extract.common.lru import Cache
from lean_extract.records import Premise
from lean_extract.source.grammar.notations import Notation
from retriever.lean.index.content import Flag, node_of, notations_of, premise_of
from retriever.lean.scope import ModuleNode
from retriever.limits import CACHED_PREMISES
from retriever.search.index.files import REBUILD, damaged
from retriever.search.index.meta import IndexedFile
from retriever.search.index.store import IndexStore
from retriever.search.index.structure_columns import StructureColumns
from retriever.search.index.view import IndexView, LiveNames, SegmentPart, open_stores
from retriever.search.votes import ProofGraph


class LeanView(IndexView):
    """A view whose documents are premises; see `IndexView`.

    A bundled premise also gives way to one of its name that was read here (a lemma of Mathlib's that has moved to
    Lean's core).

    Raises IndexDamaged where a segment does not have Lean's columns.
    """

    def __init__(self, parts: Sequence[SegmentPart]) -> None:
        super().__init__(parts)
        self._premises: Cache[Premise] = Cache(CACHED_PREMISES)
        self.flags: npt.NDArray[np.uint8] = self.column("flags", np.uint8)
        self.lines: npt.NDArray[np.int32] = self.column("lines", np.int32)
        """int32[n]: where each is declared, from 0; -1 where that is not known."""
        self.uses: npt.NDArray[np.int32] = self.column("uses", np.int32)
        """int32[n]: how many training proofs use each."""
        self.structure = [_structure_of(part) for part in parts]
        """Of each segment."""
        self.alive &= ~self._read_again()

    @classmethod
    def open(cls, stores: Sequence[IndexStore], fingerprint: str) -> LeanView:
        """A view of what stores hold now. Raises IndexMissing, IndexDamaged, ModelError."""
        return cls(open_stores(stores, fingerprint).parts)

    def _read_again(self) -> Bools:
        """bool[n]: the bundled premises whose names are declared in what was read here, too."""
        read = self.alive & ~self.bundled & ((self.flags & Flag.PRIVATE) == 0)
        if not self.bundled.any() or not read.any():
            return np.zeros(len(self), dtype=np.bool_)
        hashes = np.concatenate([segment.tables.proofs.hashes for segment in self.segments])
        return np.asarray(self.bundled & np.isin(hashes, hashes[read]))

    def module_graph(self) -> dict[str, ModuleNode]:
        """The import graph over all live files. Raises IndexDamaged."""
        with self._reading("imports"):
            return {file.module: node_of(file) for file in self.live_files}

    def notations(self) -> list[Notation]:
        """The notations of all live files, their constants as written. Raises IndexDamaged."""
        with self._reading("notations"):
            return [one for file in self.live_files for one in notations_of(file)]

    @contextmanager
    def _reading(self, what: str) -> Iterator[None]:
        try:
            yield
        except (ValueError, TypeError) as error:
            raise damaged(self.segments[0].folder, f"the {what} of a file: {error}", REBUILD) from error

    def premise(self, number: int) -> Premise:
        """A premise's record (without statement where none is shipped). Raises IndexDamaged."""
        return self._premises.get_or_make(number, lambda: premise_of(*self.locate(number), self.file(number)))


def _structure_of(part: SegmentPart) -> StructureColumns:
    structure = part.segment.tables.structure
    if structure is None:
        raise damaged(part.segment.folder, "it has no columns of structure")
    return structure


NEIGHBOURS = 128
"""How many theorems vote."""


def proof_graph(view: LeanView, names: LiveNames) -> ProofGraph:
    """What the proofs of a view's live theorems use, of its live premises of any kind.

    What a dead premise (of a replaced file, of a module that another store has too) uses, or is used by, goes
    over to the live one of its name. Proofs of shipped held-out theorems are in no graph: they have no
    vote. The proofs of a project's own files are read from their text, and all of them vote.
    """
    owners, used = [], []
    for segment, base in zip(view.segments, view.bounds, strict=False):
        columns = segment.tables.proofs
        outside = names.find(columns.names)
        rows = np.repeat(np.arange(len(segment)), np.diff(columns.starts))
        here = columns.uses >= 0
        targets = columns.uses.astype(np.int64) + base
        targets[~here] = outside[-1 - columns.uses[~here]]
        owners.append(rows + base)
        used.append(targets)
        if (mentions := segment.tables.mentions) is not None:
            read, meant = mentions.meanings(names.find(mentions.names), base)
            is_live = view.alive[read]  # a file that was replaced has been read again
            owners.append(read[is_live])
            used.append(meant[is_live])
    nothing = np.zeros(0, dtype=np.int64)
    return _of_edges(view, names, np.concatenate([nothing, *owners]), np.concatenate([nothing, *used]))


def _of_edges(view: LeanView, names: LiveNames, owners: Ids, used: Ids) -> ProofGraph:
    used, owners = used[used >= 0], owners[used >= 0]
    if not view.alive.all():
        has_own = np.zeros(len(view), dtype=np.bool_)
        has_own[owners[view.alive[owners]]] = True
        was_dead = ~view.alive[owners]
        used, owners = _revived(view, names, used), _revived(view, names, owners)
        found = (used >= 0) & (owners >= 0)
        found[was_dead] &= ~has_own[owners[was_dead]]
        used, owners = used[found], owners[found]
    if (owners[1:] < owners[:-1]).any():
        order = np.argsort(owners, kind="stable")
        used, owners = used[order], owners[order]
    starts = np.zeros(len(view) + 1, dtype=np.int64)
    np.cumsum(np.bincount(owners, minlength=len(view)), out=starts[1:])
    return ProofGraph(starts, used.astype(np.int32))


def _revived(view: LeanView, names: LiveNames, ids: Ids) -> Ids:
    """The ids, those of dead premises replaced by the live ones of the same names, or -1."""
    is_dead = ~view.alive[ids]
    result = ids.copy()
    result[is_dead] = names.find(names.hashes[ids[is_dead]])
    return result


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
        """How many files an older version read here, which kept no steps of their proofs, or no doc strings."""
        return sum(
            part.segment.lacks_steps(number)
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
