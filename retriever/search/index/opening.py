"""Stores opened for reading, with the stores that they include."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lean_extract.common.errors import (
    IndexDamaged,
    IndexUnreadable,
    ModelError,
    PremiseIndexError,
    PremiseSuggestError,
)
from retriever.search.index.files import REBUILD
from retriever.search.index.manifest import IndexManifest, LiveSegment
from retriever.search.index.segment import Segment
from retriever.search.index.store import IndexStore, Stamp


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
