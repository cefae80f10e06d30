"""What an update has to do: which sources are new or changed, and what became of the ones known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import Generic

from retriever.limits import SOURCES_PER_CHECK
from retriever.search.index.meta import IndexedFile
from retriever.search.indexing.corpus import IndexSource, Record


@dataclass(frozen=True, slots=True)
class Change(Generic[Record]):
    """A source to be read, and its entry-to-be (without its run of documents)."""

    source: IndexSource[Record]
    entry: IndexedFile


@dataclass(slots=True)
class UpdatePlan(Generic[Record]):
    """What an update has to do."""

    changed: list[Change[Record]] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    """Files of the index that are no longer among the sources."""
    stats: dict[str, tuple[int, int]] = field(default_factory=dict)
    """(size, mtime_ns) of files that were touched but hold what they held."""
    vanished: list[tuple[str, str]] = field(default_factory=list)
    """The locations of sources that were listed but cannot be read, with the reason."""


def make_plan(
    sources: Iterable[IndexSource[Record]],
    known: Mapping[str, IndexedFile],
    stats: Mapping[str, tuple[int, int]],
    progress: Callable[[int], None],
    should_stop: Callable[[], bool] = lambda: False,
    again: Set[str] = frozenset(),
) -> UpdatePlan[Record] | None:
    """Compare the sources with what is indexed: by size and time, and where these differ by hash.

    Args:
        sources: what there is now.
        known: the live files by the path that the index names them by.
        stats: (size, mtime_ns) that override the ones in `known`.
        progress: called with how many sources were looked at.
        should_stop: called now and then; once it returns True, the result is None.
        again: the files to be read again although they have not changed, by the paths of `known`.
    """
    plan: UpdatePlan[Record] = UpdatePlan()
    seen: set[str] = set()
    for count, source in enumerate(sources, start=1):
        if count % SOURCES_PER_CHECK == 0 and should_stop():
            return None
        name = source.name
        seen.add(name)
        try:
            _compare(plan, source, known.get(name), stats.get(name), is_again=name in again)
        except OSError as error:
            plan.vanished.append((source.location, error.strerror or str(error)))
        progress(count)
    plan.removed = [name for name in known if name not in seen]
    return plan


def _compare(
    plan: UpdatePlan[Record],
    source: IndexSource[Record],
    known: IndexedFile | None,
    override: tuple[int, int] | None,
    *,
    is_again: bool,
) -> None:
    name, found = source.name, source.status()
    if known is not None and not is_again:
        same_entry = (known.module, known.package, known.revision) == (
            source.module,
            source.package,
            source.revision,
        )
        if same_entry and found is not None and found == (override or (known.size, known.mtime_ns)):
            if override:
                plan.stats[name] = found
            return
        digest = source.digest()
        if same_entry and digest == known.sha256:
            if found is not None:
                plan.stats[name] = found
            return
    else:
        digest = source.digest()
    entry = IndexedFile(
        name, source.module, source.package, source.revision, *(found or (0, 0)), digest, 0, 0
    )
    plan.changed.append(Change(source, entry))
