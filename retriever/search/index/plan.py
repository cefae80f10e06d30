"""What an update has to do: which sources are new or changed, and what became of the ones known."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from lean_extract.reading import MAX_SOURCE, read_regular
from retriever.search.index.segment import IndexedFile

_ASKED_EVERY = 64
"""Files between two questions whether to stop."""


class ListedSource(Protocol):
    """A source file as `lean_extract.source.project.find_sources` lists it."""

    @property
    def path(self) -> Path:
        """Absolute."""

    @property
    def module(self) -> str:
        """Dotted module name."""

    @property
    def package(self) -> str | None:
        """The package that it belongs to."""

    @property
    def revision(self) -> str | None:
        """The package's pinned revision, empty where it is not pinned."""


@dataclass(frozen=True, slots=True)
class Change:
    """A source to be read, and its entry-to-be (without its run of premises)."""

    path: Path
    entry: IndexedFile


@dataclass(slots=True)
class UpdatePlan:
    """What an update has to do."""

    changed: list[Change] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    """Files of the index that are no longer among the sources."""
    stats: dict[str, tuple[int, int]] = field(default_factory=dict)
    """(size, mtime_ns) of files that were touched but hold what they held."""
    vanished: list[tuple[Path, str]] = field(default_factory=list)
    """Sources that were listed but cannot be read, with the reason."""


def relative_path(root: Path, path: Path) -> str:
    """How the index names a file: relative to the indexed folder where it lies inside."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def make_plan(
    root: Path,
    sources: Iterable[ListedSource],
    known: Mapping[str, IndexedFile],
    stats: Mapping[str, tuple[int, int]],
    progress: Callable[[int], None],
    should_stop: Callable[[], bool] = lambda: False,
) -> UpdatePlan | None:
    """Compare the sources with what is indexed: by size and time, and where these differ by hash.

    Args:
        known: the live files by the path that the index names them by.
        stats: (size, mtime_ns) that override the ones in `known`.
        progress: hears how many sources were looked at.
        should_stop: asked now and then; the answer is None once it says so.
    """
    plan = UpdatePlan()
    seen: set[str] = set()
    for count, source in enumerate(sources, start=1):
        if count % _ASKED_EVERY == 0 and should_stop():
            return None
        name = relative_path(root, source.path)
        seen.add(name)
        try:
            _compare(plan, source, name, known.get(name), stats.get(name))
        except OSError as error:
            plan.vanished.append((source.path, error.strerror or str(error)))
        progress(count)
    plan.removed = [name for name in known if name not in seen]
    return plan


def _hash(path: Path) -> str:
    """SHA-256 of a source, in hexadecimal. Raises OSError, also for what is no regular file or too large."""
    return hashlib.sha256(read_regular(path, MAX_SOURCE)).hexdigest()


def _compare(
    plan: UpdatePlan,
    source: ListedSource,
    name: str,
    known: IndexedFile | None,
    override: tuple[int, int] | None,
) -> None:
    stat = source.path.stat()
    found = (stat.st_size, stat.st_mtime_ns)
    package, revision = source.package or "", source.revision or ""
    if known is not None:
        same_place = (known.module, known.package, known.revision) == (source.module, package, revision)
        if same_place and found == (override or (known.size, known.mtime_ns)):
            if override:
                plan.stats[name] = found
            return
        digest = _hash(source.path)
        if same_place and digest == known.sha256:
            plan.stats[name] = found
            return
    else:
        digest = _hash(source.path)
    entry = IndexedFile(name, source.module, package, revision, *found, digest, 0, 0)
    plan.changed.append(Change(source.path, entry))
