"""Several segments merged into one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from retriever.search.index.segment import Segment
from retriever.search.index.segment_content import SegmentContent, SegmentTables, numbered
from retriever.search.index.table import Kept


def merge(parts: Sequence[tuple[Segment, frozenset[int]]]) -> SegmentContent:
    """The columns of one segment that replaces several, without their dead files.

    Raises ValueError where the segments have different columns.
    """
    segments = [segment for segment, _ in parts]
    chosen = [(segment, _kept(segment, dead)) for segment, dead in parts]
    rows = [(segment, i) for segment, kept in chosen for i in kept.documents.tolist()]

    def column(get: Callable[[Segment], npt.NDArray[Any]]) -> npt.NDArray[Any]:
        return np.concatenate([get(segment)[kept.documents] for segment, kept in chosen])

    files = [segment.files[number] for segment, kept in chosen for number in kept.files]
    has_records = all(segment.has_records for segment in segments)
    return SegmentContent(
        files=numbered((file, file.stop - file.start) for file in files),
        names=[segment.names[i] for segment, i in rows],
        kinds=[segment.kind(i) for segment, i in rows],
        vectors=column(lambda segment: segment.vectors),
        scales=column(lambda segment: segment.scales),
        tables=SegmentTables.merged([(segment.tables, kept) for segment, kept in chosen]),
        records=[segment.raw_record(i) for segment, i in rows] if has_records else None,
        columns={name: column(lambda segment: segment.columns[name]) for name in _names(segments)},  # noqa: B023
        aliases=_moved([(segment.aliases, kept) for segment, kept in chosen]),
    )


def _kept(segment: Segment, dead: frozenset[int]) -> Kept:
    live = list(segment.live_files(dead))
    runs = [np.arange(file.start, file.stop) for _, file in live]
    documents = np.concatenate([np.zeros(0, dtype=np.int64), *runs])
    return Kept(
        documents, [number for number, _ in live], len(segment), len(segment.files), segment.dimension
    )


def _names(segments: Sequence[Segment]) -> list[str]:
    """The names of the backend's own columns. Raises ValueError where they differ."""
    names = {tuple(segment.columns) for segment in segments}
    if len(names) > 1:
        raise ValueError("the segments have different columns")
    return [*names.pop()]


def _moved(parts: Sequence[tuple[Mapping[int, str], Kept]]) -> dict[int, str]:
    """The aliases by their documents' new positions."""
    moved: dict[int, str] = {}
    base = 0
    for aliases, kept in parts:
        if aliases:
            kept_now = enumerate(kept.documents.tolist(), base)
            moved |= {new: aliases[old] for new, old in kept_now if old in aliases}
        base += len(kept.documents)
    return moved
