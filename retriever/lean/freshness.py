"""What an index covers, and how old it is, against the files that there are now."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lean_extract.common.errors import BadSource
from lean_extract.common.files.reading import read_source
from retriever.lean.index.view import Coverage, IndexedPackage
from retriever.lean.snapshot import Snapshot
from retriever.limits import MAX_PROBED_FILES

if TYPE_CHECKING:
    from retriever.lean.index.corpus import ListedSource


@dataclass(frozen=True, slots=True)
class Freshness:
    """What the index covers and how old it is."""

    sources: tuple[IndexedPackage, ...]
    built_at: str
    """ISO 8601, UTC: when the first store, or one that it includes, was last written."""
    stale_files: tuple[str, ...]
    """Files that changed or went since they were indexed."""
    unindexed_files: tuple[str, ...] = ()
    """Sources that were listed, can be read, and are in no store that was made on this machine."""
    without_steps: int = 0
    """Files of which an older version kept no proof steps, or no doc strings."""


def freshness_of(snapshot: Snapshot, listed: Iterable[ListedSource] = ()) -> Freshness:
    """The freshness of what a snapshot has open; `listed` are the sources that there are."""
    coverage = snapshot.coverage
    read = [part.manifest for part in snapshot.view.parts if not part.is_bundled]
    built = max(manifest.built_at for manifest in (snapshot.manifests[0], *read))
    return Freshness(
        coverage.packages, built, coverage.stale_files(), _unindexed(coverage, listed), coverage.without_steps
    )


def _unindexed(coverage: Coverage, listed: Iterable[ListedSource]) -> tuple[str, ...]:
    """The listed files that were never read; what cannot be read never will be, and does not count."""
    missing = [
        source.path
        for source in listed
        if (source.module, source.package or "", source.revision or "") not in coverage.files_read
    ]
    if len(missing) <= MAX_PROBED_FILES:  # more than that is a run that was stopped, not a few odd files
        missing = [path for path in missing if _is_text(path)]
    return tuple(sorted(map(str, missing)))


def _is_text(path: Path) -> bool:
    try:
        read_source(path)
    except BadSource:
        return False
    return True
