"""Stores, with those that they include, read as one index: documents are numbered from 0 through all segments."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Bools, Ids, UInt64s
from lean_extract.common.cancellation import check_cancelled
from lean_extract.common.errors import (
    IndexDamaged,
    IndexUnreadable,
    ModelError,
    PremiseIndexError,
    PremiseSuggestError,
)
from retriever.search.index.files import DAMAGED, REBUILD, damaged
from retriever.search.index.manifest import IndexManifest, LiveSegment
from retriever.search.index.meta import IndexedFile
from retriever.search.index.proof_columns import find, hash_names
from retriever.search.index.segment import Segment, verify_columns
from retriever.search.index.store import IndexStore, Stamp


class IndexView:
    """A consistent, immutable view of stores; safe to use from several threads.

    Where two stores hold the same module, the earlier one counts; what is bundled gives way to a package
    that was read here. A dead document keeps its number but is not `alive`.
    """

    def __init__(self, parts: Sequence[SegmentPart]) -> None:
        self.parts = list(parts)
        self.segments = [part.segment for part in parts]
        self.bounds: list[int] = [0]
        for segment in self.segments:
            self.bounds.append(self.bounds[-1] + len(segment))
        self.files: list[IndexedFile] = [file for segment in self.segments for file in segment.files]
        self.is_live_file = _live_files(parts)
        """Of each of `files`: whether its documents count."""
        self._runs = _runs(self.segments, self.bounds)
        file_bounds = np.cumsum([0, *(len(segment.files) for segment in self.segments)])
        self.file_of = _joined(
            [segment.file_numbers() + file_bounds[i] for i, segment in enumerate(self.segments)], np.int32
        )
        self.alive: Bools = np.asarray(self.is_live_file, dtype=np.bool_)[self.file_of]
        self.bundled: Bools = _joined(
            [np.full(len(part.segment), part.is_bundled) for part in parts], np.bool_
        )

    def __len__(self) -> int:
        return self.bounds[-1]

    def column(self, name: str, dtype: Any) -> npt.NDArray[Any]:
        """dtype[n]: a column of the backend's own. Raises IndexDamaged where a segment has none of that name."""
        for segment in self.segments:
            if name not in segment.columns:
                raise damaged(segment.folder, f"it has no column {name}")
        return _joined([segment.columns[name] for segment in self.segments], dtype)

    @property
    def live_files(self) -> list[IndexedFile]:
        """The files whose documents count."""
        return [file for file, live in zip(self.files, self.is_live_file, strict=True) if live]

    def damage(self) -> IndexDamaged | None:
        """What is wrong when every file that is open here is read again; then the next to open one
        finds it, too. Raises Cancelled."""
        for part in self.parts:
            for complaint in verify_columns(part.segment.folder, _while_wanted):
                hint = "It is unpacked again at the next try." if part.is_bundled else REBUILD
                return IndexDamaged(f"{DAMAGED}{complaint}.", hint)
        return None

    def of_kinds(self, kinds: frozenset[str]) -> Bools:
        """bool[n]: which documents are of one of these kinds."""
        found = [
            np.isin(segment.kinds, [i for i, kind in enumerate(segment.kind_names) if kind in kinds])
            for segment in self.segments
        ]
        return _joined(found, np.bool_)

    def in_modules(self, modules: frozenset[str]) -> Bools:
        """bool[n]: which documents are of one of these modules."""
        chosen = np.zeros(len(self), dtype=np.bool_)
        for module in modules:
            for start, stop in self._runs.get(module, ()):
                chosen[start:stop] = True
        return chosen

    def name(self, number: int) -> str:
        """A document's full name."""
        segment, local = self.locate(number)
        return segment.names[local]

    def aliases(self) -> dict[str, int]:
        """The further names of documents that count, each with its document."""
        return {
            name: base + position
            for segment, base in zip(self.segments, self.bounds, strict=False)
            for position, name in segment.aliases.items()
            if self.alive[base + position]
        }

    def file(self, number: int) -> IndexedFile:
        """The file that a document is of."""
        return self.files[int(self.file_of[number])]

    def module(self, number: int) -> str:
        """The module of a document."""
        return self.file(number).module

    def package(self, number: int) -> str:
        """The package of a document's module."""
        return self.file(number).package

    def path(self, number: int) -> Path | None:
        """The file of a document, as it was found; None for what was not read on this machine."""
        part = self.parts[bisect_right(self.bounds, number) - 1]
        is_here = part.segment.was_read_here and not part.is_bundled
        return Path(part.manifest.root, self.file(number).path) if is_here and part.manifest.root else None

    def vector(self, number: int) -> npt.NDArray[np.float32]:
        """float32[d]: a document's embedding."""
        segment, local = self.locate(number)
        return np.asarray(segment.vectors[local].astype(np.float32) * segment.scales[local])

    def prefetch(self, numbers: Iterable[int]) -> None:
        """Prefetch the records of documents where fetching each by itself would be slow."""
        chosen: dict[type[Segment], list[tuple[Segment, int]]] = {}
        for number in numbers:
            segment, local = self.locate(number)
            chosen.setdefault(type(segment), []).append((segment, local))
        for kind, those in chosen.items():
            kind.prefetch(those)

    def locate(self, number: int) -> tuple[Segment, int]:
        """The segment of a document, and its position there."""
        index = bisect_right(self.bounds, number) - 1
        return self.segments[index], number - self.bounds[index]


def _runs(segments: Sequence[Segment], bounds: Sequence[int]) -> dict[str, list[tuple[int, int]]]:
    """The positions of each module's documents."""
    runs: dict[str, list[tuple[int, int]]] = {}
    for segment, base in zip(segments, bounds, strict=False):
        for file in segment.files:
            runs.setdefault(file.module, []).append((base + file.start, base + file.stop))
    return runs


def _joined(columns: Sequence[npt.NDArray[Any]], dtype: Any) -> npt.NDArray[Any]:
    return np.concatenate([np.zeros(0, dtype=dtype), *columns]).astype(dtype, copy=False)


def _while_wanted(_: int) -> bool:
    check_cancelled()
    return True


def _live_files(parts: Sequence[SegmentPart]) -> list[bool]:
    """For each file of each part in order: whether its documents count."""
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


class LiveNames:
    """The documents that count, by the hashes of their names and aliases.

    Where a name is one document's own and another's alias, it means the former.

    Args:
        hashes: uint64[n] in all, of the names of each segment's documents.
        alive: bool[n], which documents count.
        aliases: further names, each with its document.
    """

    def __init__(
        self, hashes: Sequence[UInt64s], alive: Bools, aliases: Mapping[str, int] = MappingProxyType({})
    ) -> None:
        nothing: UInt64s = np.zeros(0, dtype=np.uint64)
        self.hashes = np.concatenate([nothing, *hashes])
        live = np.flatnonzero(alive)
        known = np.concatenate([self.hashes[live], hash_names(aliases)])
        ids = np.concatenate([live, np.fromiter(aliases.values(), dtype=np.int64, count=len(aliases))])
        order = np.argsort(known, kind="stable")
        self._ids, self._ascending = ids[order], known[order]

    @classmethod
    def of(cls, view: IndexView) -> LiveNames:
        """The documents of a view that count."""
        return cls([segment.tables.proofs.hashes for segment in view.segments], view.alive, view.aliases())

    def find(self, hashes: UInt64s) -> Ids:
        """int64[k]: the document of each name, -1 where there is none."""
        position = find(self._ascending, hashes)
        return np.where(position >= 0, self._ids[position], -1) if len(self._ids) else position

    def find_names(self, names: Iterable[str]) -> Ids:
        """The same for names themselves."""
        return self.find(hash_names(names))


@dataclass(frozen=True, slots=True)
class SegmentPart:
    """An open segment, and where it comes from."""

    segment: Segment
    dead_files: frozenset[int]
    manifest: IndexManifest

    @property
    def is_bundled(self) -> bool:
        """Whether it came with the installation."""
        return self.manifest.is_bundled


@dataclass(frozen=True, slots=True)
class OpenStores:
    """The segments of stores, and what they were opened from."""

    parts: tuple[SegmentPart, ...]
    manifests: tuple[IndexManifest, ...]
    """Of the stores that were named, in their order."""
    watched: tuple[IndexStore, ...]
    """All stores that were looked at, those that others include as well."""
    stamps: tuple[Stamp, ...]
    """Of these, from before they were opened."""
    left_out: tuple[PremiseSuggestError, ...]
    """Why stores that others include are not among the parts: missing, damaged, or of another model."""

    def is_current(self) -> bool:
        """Whether the stores are still those that were opened."""
        return tuple(store.stamp() for store in self.watched) == self.stamps


def open_stores(stores: Sequence[IndexStore], fingerprint: str | None) -> OpenStores:
    """Stores with what they include, as far as that can be read.

    Args:
        stores: the stores that must be readable.
        fingerprint: of the model in use; None: of any model.

    Raises IndexMissing, IndexDamaged, and ModelError when a store that is named is of another model.
    """
    parts: list[SegmentPart] = []
    manifests: list[IndexManifest] = []
    watched: dict[Path, tuple[IndexStore, Stamp]] = {}
    left_out: list[PremiseSuggestError] = []

    def read(store: IndexStore) -> IndexManifest:
        watched[store.root] = store, store.stamp()
        manifest, segments = store.open(fingerprint)
        parts.extend(_parts(manifest, segments))
        return manifest

    for store in stores:
        manifest = read(store)
        manifests.append(manifest)
        for root in map(Path, manifest.includes):
            if root not in watched:
                try:
                    read(IndexStore(root))
                except IndexUnreadable:  # for want of memory or handles: it may be read in a moment
                    raise
                except (PremiseIndexError, ModelError) as error:
                    left_out.append(error)
    if len({part.segment.dimension for part in parts}) > 1:
        raise IndexDamaged("The segments of the premise index differ in their dimension.", REBUILD)
    looked_at = tuple(store for store, _ in watched.values())
    stamps = tuple(stamp for _, stamp in watched.values())
    return OpenStores(tuple(parts), tuple(manifests), looked_at, stamps, tuple(left_out))


def _parts(manifest: IndexManifest, segments: Sequence[tuple[Segment, LiveSegment]]) -> list[SegmentPart]:
    return [SegmentPart(segment, frozenset(live.dead_files), manifest) for segment, live in segments]
