"""Several stores read as one index: a snapshot whose premises are numbered from 0 through all segments."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lean_extract.errors import IndexDamaged, IndexUnreadable, PremiseIndexError
from lean_extract.records import Premise
from lean_extract.wanted import check_wanted
from retriever.lean.scope import ModuleNode
from retriever.search.index.files import REBUILD
from retriever.search.index.manifest import IndexManifest, LiveSegment
from retriever.search.index.segment import Flag, IndexedFile, Segment, verify_columns
from retriever.search.index.store import IndexStore, Stamp

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class IndexedPackage:
    """A package that the index covers."""

    package: str
    revision: str
    modules: int
    premises: int
    is_bundled: bool
    """True for the shipped Mathlib, false for text that was read on this machine."""


@dataclass(frozen=True, slots=True)
class SegmentPart:
    """A segment in the snapshot, and where it comes from."""

    segment: Segment
    dead_files: frozenset[int]
    manifest: IndexManifest

    @property
    def is_bundled(self) -> bool:
        """Whether it came with the installation."""
        return self.manifest.is_bundled


class IndexView:
    """A consistent, immutable view of stores; safe to use from several threads.

    Where two stores hold the same module, the earlier one counts; what is bundled gives way to a package
    that was read here, and to a name that was (a lemma of Mathlib's that has gone to Lean's core). A dead
    premise keeps its number but is not `alive`.
    """

    def __init__(self, parts: Sequence[SegmentPart]) -> None:
        self.parts = list(parts)
        self.segments = [part.segment for part in parts]
        self.bounds: list[int] = [0]
        for segment in self.segments:
            self.bounds.append(self.bounds[-1] + len(segment))
        self.files: list[IndexedFile] = [file for segment in self.segments for file in segment.files]
        live = _live_files(parts)
        self._live_files = live
        self._runs = _runs(self.segments, self.bounds)
        file_bounds = np.cumsum([0, *(len(segment.files) for segment in self.segments)])
        self.file_of = _joined(
            [segment.file_numbers() + file_bounds[i] for i, segment in enumerate(self.segments)], np.int32
        )
        self.alive: Bools = np.asarray(live, dtype=np.bool_)[self.file_of]
        self.flags = _joined([segment.flags for segment in self.segments], np.uint8)
        self.lines = _joined([segment.lines for segment in self.segments], np.int32)
        self.uses = _joined([segment.uses for segment in self.segments], np.int32)
        bundled = [np.full(len(part.segment), part.is_bundled) for part in parts]
        self.bundled: Bools = _joined(bundled, np.bool_)
        self.alive &= ~self._read_again()

    def _read_again(self) -> Bools:
        """bool[n]: the bundled premises whose names are declared in what was read here, too."""
        read = self.alive & ~self.bundled & ((self.flags & Flag.PRIVATE) == 0)
        if not self.bundled.any() or not read.any():
            return np.zeros(len(self), dtype=np.bool_)
        hashes = _joined([segment.proofs.hashes for segment in self.segments], np.uint64)
        return np.asarray(self.bundled & np.isin(hashes, hashes[read]))

    def __len__(self) -> int:
        return self.bounds[-1]

    @property
    def live_files(self) -> list[IndexedFile]:
        """The files whose premises count."""
        return [file for file, live in zip(self.files, self._live_files, strict=True) if live]

    def damage(self) -> IndexDamaged | None:
        """What is found amiss when every file that is open here is read again; then the next to open one
        finds it, too. Raises Unwanted."""
        for part in self.parts:
            for complaint in verify_columns(part.segment.folder, _while_wanted):
                hint = "It is unpacked again at the next try." if part.is_bundled else REBUILD
                return IndexDamaged(f"The premise index is damaged: {complaint}.", hint)
        return None

    def own_files(self) -> Iterator[tuple[SegmentPart, IndexedFile]]:
        """The live files that may change, with the part that each is in: none of a package at a revision."""
        position = 0
        for part in self.parts:
            for file in part.segment.files:
                if self._live_files[position] and not (part.manifest.pinned or part.is_bundled):
                    yield part, file
                position += 1

    def module_graph(self) -> dict[str, ModuleNode]:
        """The import graph over all live files."""
        return {file.module: ModuleNode(file.imports, file.in_module_system) for file in self.live_files}

    def in_modules(self, modules: frozenset[str]) -> Bools:
        """bool[n]: which premises are declared in one of these modules."""
        chosen = np.zeros(len(self), dtype=np.bool_)
        for module in modules:
            for start, stop in self._runs.get(module, ()):
                chosen[start:stop] = True
        return chosen

    def name(self, premise: int) -> str:
        """A premise's full name."""
        segment, local = self._locate(premise)
        return segment.names[local]

    def exported(self) -> dict[str, int]:
        """The names that `export` gives premises that count, each with its premise."""
        return {
            name: base + place
            for segment, base in zip(self.segments, self.bounds, strict=False)
            for place, name in segment.exported.items()
            if self.alive[base + place]
        }

    def module(self, premise: int) -> str:
        """The module that declares a premise."""
        return self.files[int(self.file_of[premise])].module

    def package(self, premise: int) -> str:
        """The package of the module that declares a premise."""
        return self.files[int(self.file_of[premise])].package

    def path(self, premise: int) -> Path | None:
        """The file that declares a premise, as it was found; None for what is bundled."""
        part = self.parts[bisect_right(self.bounds, premise) - 1]
        return (
            None if part.is_bundled else Path(part.manifest.root, self.files[int(self.file_of[premise])].path)
        )

    def premise(self, premise: int) -> Premise:
        """A premise's record (without statement where none is shipped). Raises IndexDamaged."""
        segment, local = self._locate(premise)
        return segment.premise(local, self.files[int(self.file_of[premise])])

    def vector(self, premise: int) -> npt.NDArray[np.float32]:
        """float32[d]: a premise's embedding."""
        segment, local = self._locate(premise)
        return np.asarray(segment.vectors[local].astype(np.float32) * segment.scales[local])

    def _locate(self, premise: int) -> tuple[Segment, int]:
        index = bisect_right(self.bounds, premise) - 1
        return self.segments[index], premise - self.bounds[index]

    @cached_property
    def sources(self) -> tuple[IndexedPackage, ...]:
        """The packages covered, in order of their names."""
        found: dict[tuple[str, str, bool], list[int]] = {}
        position = 0
        for part in self.parts:
            for file in part.segment.files:
                if self._live_files[position]:
                    counts = found.setdefault((file.package, file.revision, part.is_bundled), [0, 0])
                    counts[0] += 1
                    counts[1] += file.stop - file.start
                position += 1
        return tuple(
            IndexedPackage(key[0], key[1], counts[0], counts[1], key[2])
            for key, counts in sorted(found.items())
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
            for part in self.parts
            if not part.is_bundled
            for number, file in enumerate(part.segment.files)
            if number not in part.dead_files
        )

    @cached_property
    def settled_packages(self) -> frozenset[tuple[str, str]]:
        """The packages, by (name, revision), of which every file is indexed and none can have changed."""
        return frozenset(
            (file.package, file.revision)
            for part in self.parts
            if part.manifest.pinned and part.manifest.complete and not part.is_bundled
            for file in part.segment.files
        )


def _runs(segments: Sequence[Segment], bounds: Sequence[int]) -> dict[str, list[tuple[int, int]]]:
    """Where each module's premises lie."""
    runs: dict[str, list[tuple[int, int]]] = {}
    for segment, base in zip(segments, bounds, strict=False):
        for file in segment.files:
            runs.setdefault(file.module, []).append((base + file.start, base + file.stop))
    return runs


def _stat(path: str) -> tuple[int, int] | None:
    try:
        stat = os.stat(path)  # noqa: PTH116 (half the time of a Path)
    except OSError:
        return None
    return stat.st_size, stat.st_mtime_ns


def _joined(columns: Sequence[npt.NDArray[Any]], dtype: Any) -> npt.NDArray[Any]:
    return np.concatenate([np.zeros(0, dtype=dtype), *columns]).astype(dtype, copy=False)


def _while_wanted(_: int) -> bool:
    check_wanted()
    return True


def _live_files(parts: Sequence[SegmentPart]) -> list[bool]:
    """For each file of each part in order: whether its premises count."""
    live: list[bool] = []
    seen_modules: set[str] = set()
    read_packages = {
        file.package for part in parts if not part.is_bundled for file in part.segment.files if file.package
    }
    for part in parts:
        for index, file in enumerate(part.segment.files):
            shadowed = file.module in seen_modules or (part.is_bundled and file.package in read_packages)
            counts = index not in part.dead_files and not shadowed
            live.append(counts)
            if counts:
                seen_modules.add(file.module)
    return live


@dataclass(frozen=True, slots=True)
class Opened:
    """A view over stores, and what it was made from."""

    view: IndexView
    manifests: tuple[IndexManifest, ...]
    """Of the stores that were named, in their order."""
    watched: tuple[IndexStore, ...]
    """All stores that were looked at, those that others include as well."""
    stamps: tuple[Stamp, ...]
    """Of these, from before they were opened."""
    left_out: tuple[PremiseIndexError, ...]
    """Why stores that others include are not in the view: missing, damaged, or of another model."""


def open_view(stores: Sequence[IndexStore], fingerprint: str) -> Opened:
    """A view over stores with what they include, as far as that can be read.

    Raises IndexMissing, IndexDamaged, and ModelError when a store that is named is of another model.
    """
    parts: list[SegmentPart] = []
    manifests: list[IndexManifest] = []
    stamps: dict[Path, Stamp] = {}
    left_out: list[PremiseIndexError] = []

    def read(store: IndexStore) -> IndexManifest:
        stamps[store.root] = store.stamp()
        manifest, segments = store.open(fingerprint)
        parts.extend(_parts(manifest, segments))
        return manifest

    for store in stores:
        manifest = read(store)
        manifests.append(manifest)
        for root in map(Path, manifest.includes):
            if root not in stamps:
                try:
                    read(IndexStore(root))
                except IndexUnreadable:  # for want of memory or handles: it may be read in a moment
                    raise
                except PremiseIndexError as error:
                    left_out.append(error)
    if len({part.segment.dimension for part in parts}) > 1:
        raise IndexDamaged("The segments of the premise index differ in their dimension.", REBUILD)
    watched = tuple(map(IndexStore, stamps))
    return Opened(IndexView(parts), tuple(manifests), watched, tuple(stamps.values()), tuple(left_out))


def _parts(manifest: IndexManifest, segments: Sequence[tuple[Segment, LiveSegment]]) -> list[SegmentPart]:
    return [SegmentPart(segment, frozenset(live.dead_files), manifest) for segment, live in segments]
