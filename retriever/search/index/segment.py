"""A segment: an immutable folder with the documents of some source files, written once.

    meta.json          format, version, fingerprint, dimension, counts, kinds; sizes and hashes of the rest
    checked            which state of the files was last read and found to be what was written
    files.json         the source files (IndexedFile), each with its run of documents
    names.txt/.npy     full names, in the order of the files
    kinds.npy          uint8[n] or uint32[n]   index into meta's list of kinds
    vectors.npy        int8[n, d] or float32[n, d], scales.npy  float32[n]: embedding = vector * scale;
                       d is 0 without a model
    records.txt/.npy   each document's record as JSON; absent where no source text is shipped
    exported.json      [[position, name], ...]: the aliases of documents; absent where there are none
    NAME.npy           integer[n]: a further column of the backend (Lean: flags, lines, uses)

and the files of its tables (`retriever.search.index.segment_content.SegmentTables`), each column as its table declares
it: `posting_starts.npy` is the column `starts` of `Postings`; strings are a .txt and a .npy.

A document is known by its position in the segment. What a later write replaces is named by the store's
manifest, never marked here.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Bools, Floats, Ids
from lean_extract.common.errors import IndexDamaged, PremiseSuggestError
from retriever.search.index import hnsw
from retriever.search.index.exact import NearestNeighbours, NeighbourQuery
from retriever.search.index.files import (
    StringTable,
    damaged,
    read_array,
    read_json,
    unreadable,
)
from retriever.search.index.meta import GoOn, IndexedFile, Meta, always, read_checked, verify
from retriever.search.index.proof_columns import READ
from retriever.search.index.segment_content import (
    ALIASES,
    SegmentContent,
    SegmentTables,
    further_columns,
    numbered,
)
from retriever.search.index.table import Kept
from retriever.search.top import top


class Segment:
    """A segment opened for reading; arrays are memory-mapped.

    Raises IndexDamaged when a file is missing, is not what was written, or is of an unknown version.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        meta = read_checked(folder)
        try:
            self._open(folder, meta)
        except PremiseSuggestError:
            raise
        except OSError as error:
            raise unreadable(error, folder) from error
        except Exception as error:  # what numpy, mmap and our own columns raise is of many kinds
            raise damaged(folder, error) from error

    def _open(self, folder: Path, meta: Meta) -> None:
        self.fingerprint = meta.fingerprint
        self.count = meta.documents
        self.dimension = meta.dimension
        self.kind_names = meta.kinds
        self.sums = meta.sums
        self.files = [IndexedFile.from_json(row) for row in read_json(folder / "files.json")]
        self.names = StringTable(folder, "names")
        self.kinds = read_array(folder / "kinds.npy")
        self.vectors = read_array(folder / "vectors.npy")
        self.scales = read_array(folder / "scales.npy")
        self.tables = SegmentTables.load(folder, meta.sums)
        self.columns: Mapping[str, npt.NDArray[Any]] = {
            name: read_array(folder / f"{name}.npy") for name in further_columns(meta.sums)
        }
        self.has_records = meta.has_records
        self._records = self._read_records(folder) if self.has_records else None
        rows = read_json(folder / ALIASES) if ALIASES in meta.sums else []
        self.aliases: dict[int, str] = {int(position): str(name) for position, name in rows}
        self._check_counts()

    was_read_here = True
    """Whether its files were read on this machine, if it is not the bundled one."""

    @property
    def searched_with(self) -> object:
        """Segments of which this is the same are searched together, by `search_over` of their class."""
        return Segment

    @classmethod
    def search_over(cls, segments: Sequence[Segment]) -> NearestNeighbours:
        """The search for neighbours among the documents of these segments."""
        return hnsw.open_search([(one.folder, one.vectors, one.scales) for one in segments])

    @classmethod
    def prefetch(cls, chosen: Iterable[tuple[Segment, int]]) -> None:
        """Prefetch records that are about to be read, each by its segment of this class and its position.

        Files need none of that.
        """

    def _read_records(self, folder: Path) -> StringTable:
        return StringTable(folder, "records")

    def _check_counts(self) -> None:
        columns = (self.names, self.kinds, self.vectors, self.scales, *self.columns.values())
        records = (self._records,) if self._records is not None else ()
        if any(len(column) != self.count for column in (*columns, *records)):
            raise ValueError("the columns differ in length")
        bounds = [0, *(file.stop for file in self.files)]
        if [file.start for file in self.files] != bounds[:-1] or bounds[-1] != self.count:
            raise ValueError("the documents of the files do not follow on each other")
        if any(not 0 <= position < self.count for position in self.aliases):
            raise ValueError("an alias is of no document")
        for table in self.tables:
            table.check(self.count, len(self.files), self.dimension)
        if self.vectors.shape != (self.count, self.dimension):
            raise ValueError(f"vectors of shape {self.vectors.shape}")

    def __len__(self) -> int:
        return self.count

    def file_numbers(self) -> npt.NDArray[np.int32]:
        """int32[n]: the position in `files` of each document's file."""
        counts = [file.stop - file.start for file in self.files]
        return np.repeat(np.arange(len(self.files), dtype=np.int32), counts)

    def live_files(self, dead: Container[int]) -> Iterator[tuple[int, IndexedFile]]:
        """The files that are not dead, each with its position in `files`."""
        return ((number, file) for number, file in enumerate(self.files) if number not in dead)

    def kind(self, index: int) -> str:
        """A document's kind."""
        return self.kind_names[int(self.kinds[index])]

    def lacks_steps(self, file: int) -> bool:
        """Whether steps, mentions, trees or doc strings of a file were not read: an older version indexed it."""
        steps = self.tables.steps
        return steps is None or bool(steps.read[file] < READ)

    def lacks_graph(self, parameters: hnsw.HnswParameters) -> bool:
        """Whether a graph is to be built."""
        is_large = len(self) >= parameters.threshold
        return is_large and hnsw.available() and not hnsw.has_graph(self.folder, len(self))

    def raw_record(self, index: int) -> bytes:
        """A document's record as JSON. Raises KeyError where the segment has no records."""
        if self._records is None:
            raise KeyError(f"{self.folder} holds no records")
        return self._records.raw(index)

    def damaged_record(self, index: int, what: object) -> IndexDamaged:
        """The error for a record that is not what it should be."""
        return damaged(self.folder / "records.txt", f"record {index}: {what}")

    def verify(self, go_on: GoOn = always) -> list[str]:
        """Read every file and compare hashes; what is wrong, in words."""
        return verify_segment(self.folder, go_on)


def search_over(segments: Sequence[Segment]) -> NearestNeighbours:
    """The search over segments, numbered through."""
    groups = [list(those) for _, those in groupby(segments, key=lambda one: one.searched_with)]
    found = [those[0].search_over(those) for those in groups]
    if len(found) == 1:
        return found[0]
    return JoinedSearch(found) if found else Segment.search_over(())


class JoinedSearch:
    """`NearestNeighbours` over several, ids counted on from one to the next."""

    def __init__(self, parts: Sequence[NearestNeighbours]) -> None:
        self.parts = parts
        self.bounds = np.cumsum([0, *map(len, parts)]).tolist()

    def __len__(self) -> int:
        return int(self.bounds[-1])

    def query(self, vector: Floats) -> NeighbourQuery:
        """Begin a query with float32[d]."""
        return _JoinedQuery([part.query(vector) for part in self.parts], self.bounds)

    def queries(self, vectors: Floats) -> list[NeighbourQuery]:
        """Begin queries with float32[m, d]."""
        of_parts = [part.queries(vectors) for part in self.parts]
        return [_JoinedQuery(list(those), self.bounds) for those in zip(*of_parts, strict=True)]


class _JoinedQuery:
    def __init__(self, parts: Sequence[NeighbourQuery], bounds: Sequence[int]) -> None:
        self._parts, self._bounds = parts, bounds

    def top(self, k: int, allowed: Bools | None = None) -> Ids:
        found: list[Ids] = [np.zeros(0, dtype=np.int64)]
        for part, start, stop in zip(self._parts, self._bounds, self._bounds[1:], strict=False):
            found.append(part.top(k, None if allowed is None else allowed[start:stop]) + start)
        ids = np.sort(np.concatenate(found))
        return np.asarray(ids[top(self.scores(ids), k)])

    def scores(self, ids: Ids) -> Floats:
        result = np.empty(len(ids), dtype=np.float32)
        for part, start, stop in zip(self._parts, self._bounds, self._bounds[1:], strict=False):
            here = (ids >= start) & (ids < stop)
            result[here] = part.scores(ids[here] - start)
        return result


def verify_segment(folder: Path, go_on: GoOn = always) -> list[str]:
    """Read every file of a segment, its graph's too, and compare hashes; what is wrong, in words."""
    return [*verify_columns(folder, go_on), *hnsw.verify_graph(folder, go_on)]


def verify_columns(folder: Path, go_on: GoOn = always) -> list[str]:
    """The same but for the graph, without which the answers are the same."""
    try:
        meta = Meta.read(folder)
    except IndexDamaged as error:
        return [error.message]
    except OSError as error:
        return [unreadable(error, folder).message]
    return verify(folder, meta.sums, go_on=go_on)


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
