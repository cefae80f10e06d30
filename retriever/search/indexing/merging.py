"""Several segments merged into one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Ids
from retriever.search.bm25 import Postings, sorted_postings
from retriever.search.index.mention_columns import MentionColumns
from retriever.search.index.proof_columns import merged
from retriever.search.index.segment import Segment
from retriever.search.index.segment_content import SegmentContent, numbered
from retriever.search.index.step_columns import StepColumns
from retriever.search.index.structure_columns import StructureColumns
from retriever.search.index.tree_columns import TreeColumns


def merge(parts: Sequence[tuple[Segment, frozenset[int]]]) -> SegmentContent:
    """The columns of one segment that replaces several, without their dead files.

    Raises ValueError where the segments have different columns.
    """
    keep = [_kept(segment, dead) for segment, dead in parts]
    segments = [segment for segment, _ in parts]
    chosen = list(zip(segments, keep, strict=True))

    def column(get: Callable[[Segment], npt.NDArray[Any]]) -> npt.NDArray[Any]:
        return np.concatenate([get(segment)[kept] for segment, kept in chosen])

    records: list[bytes] | None = None
    if all(segment.has_records for segment in segments):
        records = [segment.raw_record(int(i)) for segment, kept in chosen for i in kept]
    return SegmentContent(
        files=numbered(
            (file, file.stop - file.start)
            for segment, dead in parts
            for index, file in enumerate(segment.files)
            if index not in dead
        ),
        names=[segment.names[int(i)] for segment, kept in chosen for i in kept],
        kinds=[segment.kind(int(i)) for segment, kept in chosen for i in kept],
        vectors=column(lambda segment: segment.vectors),
        scales=column(lambda segment: segment.scales),
        postings=_merged_postings(chosen),
        proofs=merged([(segment.proofs, kept) for segment, kept in chosen]),
        records=records,
        columns={name: column(lambda segment: segment.columns[name]) for name in _names(segments)},  # noqa: B023
        structure=_merged_structure(chosen),
        aliases=_moved([(segment.aliases, kept) for segment, kept in chosen]),
        steps=_merged_steps(parts, keep),
        mentions=MentionColumns.joined(
            [segment.mentions and segment.mentions.of_chosen(kept, len(segment)) for segment, kept in chosen],
            [len(kept) for kept in keep],
        ),
        trees=_merged_trees(chosen),
    )


def _names(segments: Sequence[Segment]) -> list[str]:
    """The names of the backend's own columns. Raises ValueError where they differ."""
    names = {tuple(segment.columns) for segment in segments}
    if len(names) > 1:
        raise ValueError("the segments have different columns")
    return [*names.pop()]


def _merged_structure(chosen: Sequence[tuple[Segment, Ids]]) -> StructureColumns | None:
    parts = [(segment.structure, kept) for segment, kept in chosen if segment.structure is not None]
    if not parts:
        return None
    if len(parts) < len(chosen):
        raise ValueError("the segments have different columns")
    return StructureColumns.merged(parts)


def _merged_trees(chosen: Sequence[tuple[Segment, Ids]]) -> TreeColumns | None:
    """The trees of what is kept; documents of an older version's segments have none."""
    if all(segment.trees is None for segment, _ in chosen):
        return None
    return TreeColumns.merged(
        [(segment.trees or TreeColumns.nothing(len(segment)), kept) for segment, kept in chosen]
    )


def _merged_steps(parts: Sequence[tuple[Segment, frozenset[int]]], keep: Sequence[Ids]) -> StepColumns | None:
    """The steps of what is kept; of an older version's segments they stay unread."""
    if all(segment.steps is None for segment, _ in parts):
        return None
    found = []
    for (segment, dead), kept in zip(parts, keep, strict=True):
        steps = segment.steps
        if steps is None:
            steps = StepColumns.unread(len(segment.files), segment.dimension)
        files = [index for index in range(len(segment.files)) if index not in dead]
        found.append(steps.of_chosen(kept, files, len(segment)))
    return StepColumns.joined(found, [len(kept) for kept in keep])


def _moved(parts: Sequence[tuple[Mapping[int, str], Ids]]) -> dict[int, str]:
    """The aliases by their documents' new positions."""
    moved: dict[int, str] = {}
    base = 0
    for aliases, kept in parts:
        if aliases:
            moved |= {base + new: aliases[old] for new, old in enumerate(kept.tolist()) if old in aliases}
        base += len(kept)
    return moved


def _kept(segment: Segment, dead: frozenset[int]) -> Ids:
    runs = [np.arange(f.start, f.stop) for index, f in enumerate(segment.files) if index not in dead]
    return np.concatenate([np.zeros(0, dtype=np.int64), *runs])


def _merged_postings(chosen: Sequence[tuple[Segment, Ids]]) -> Postings:
    terms = sorted({term for segment, _ in chosen for term in segment.postings.terms})
    numbers = {term: index for index, term in enumerate(terms)}
    rows, documents, frequencies, lengths = [], [], [], []
    base = 0
    for segment, kept in chosen:
        postings = segment.postings
        position = np.full(len(segment), -1, dtype=np.int64)
        position[kept] = base + np.arange(len(kept))
        moved = position[postings.documents]
        here = moved >= 0
        number = np.array([numbers[term] for term in segment.postings.terms], dtype=np.int64)
        rows.append(np.repeat(number, np.diff(postings.starts))[here])
        documents.append(moved[here].astype(np.int32))
        frequencies.append(postings.frequencies[here])
        lengths.append(postings.lengths[kept])
        base += len(kept)
    used = np.unique(np.concatenate(rows)) if base else np.zeros(0, dtype=np.int64)
    return sorted_postings(
        [terms[int(index)] for index in used],
        np.searchsorted(used, np.concatenate(rows)),
        np.concatenate(documents),
        np.concatenate(frequencies),
        np.concatenate(lengths),
    )
