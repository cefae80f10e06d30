"""The tables of a segment. Their columns are declared once, and by that written, read, checked and merged.

A table is a dataclass whose fields are columns. Its rows belong to documents: row i to the document `owners[i]`, or to
document i in a table without owners. A row may have several values:

    @dataclass(frozen=True, slots=True)
    class MentionColumns(Table):
        prefix, about = "mention_", "mentions"
        owners: Int32s = column(Axis.OWNERS, np.int32)      # mention_owners.npy
        starts: Int32s = column(Axis.STARTS, np.int32)      # row i has names[starts[i]:starts[i + 1]]
        names: UInt64s = column(Axis.VALUES, np.uint64)

A table whose columns cannot be concatenated says in `spread` and `gathered` in which form they can be.
`retriever.search.index.segment_content.SegmentTables` lists the tables of a segment.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from enum import Enum, auto
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Ids
from retriever.search.index.files import RawStrings, StringTable, read_array, write_array, write_strings


class Vocabulary(Protocol):
    """A sorted list of strings."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> str: ...
    def __iter__(self) -> Iterator[str]: ...


class Axis(Enum):
    """What an entry of a column is of."""

    DOCUMENTS = auto()
    FILES = auto()
    """A file of the segment."""
    ROWS = auto()
    OWNERS = auto()
    """A row: the column holds its document, ascending."""
    STARTS = auto()
    """A row, or the end: the column holds where the row's values begin."""
    VALUES = auto()
    """A value of a row."""
    KEYS = auto()
    """A key; all differ and ascend."""
    KEY_STARTS = auto()
    """A key, or the end: the column holds where the key's entries begin."""
    ENTRIES = auto()
    """An entry of a key."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table, as it was declared."""

    axis: Axis
    dtype: Any = None
    """Of its array; None for strings."""
    file: str = ""
    """The name of its file without extension, if that is not the table's prefix and `name`."""
    is_optional: bool = False
    is_vectors: bool = False
    """Whether an entry is a vector; these may be of another type than `dtype`."""
    name: str = ""
    """The field's."""

    def read(self, folder: Path) -> Any:
        """Its values, memory-mapped. Raises OSError, ValueError."""
        if self.dtype is not None:
            return read_array(folder / f"{self.file}.npy")
        return (StringTable if self.axis is Axis.KEYS else RawStrings)(folder, self.file)

    def joined(self, parts: Sequence[Any]) -> Any:
        """The values of several parts, one after another; of starts, what the parts have is lengths."""
        if self.dtype is None:
            return [value for part in parts for value in part]
        found = np.concatenate(parts)
        if self.axis is Axis.STARTS:
            found = starts_of(found)
        return found if self.is_vectors else found.astype(self.dtype, copy=False)


def column(
    axis: Axis, dtype: Any = None, *, file: str = "", is_optional: bool = False, is_vectors: bool = False
) -> Any:
    """A field of a table; see `Column`."""
    declared = Column(axis, dtype, file, is_optional, is_vectors)
    default: Any = None if is_optional else MISSING
    return field(default=default, metadata={"column": declared})


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of a segment when it is merged."""

    documents: Ids
    """int64, ascending."""
    files: Sequence[int]
    count: int
    """How many documents the segment has."""
    file_count: int
    dimension: int = 0
    """Of its vectors."""

    @classmethod
    def of_file(cls, count: int, documents: Ids | None = None) -> Kept:
        """These of the `count` documents of a single file; None: all."""
        return cls(np.arange(count) if documents is None else documents, (0,), count, 1)


class Table:
    """Columns that belong together."""

    __slots__ = ()
    prefix: ClassVar[str] = ""
    """What the names of its files begin with."""
    about: ClassVar[str] = ""
    """What its rows are, for messages."""
    may_be_missing: ClassVar[bool] = True
    """Whether a segment without it can be merged with one that has it: an older version wrote none."""

    @classmethod
    @cache
    def columns(cls) -> tuple[Column, ...]:
        """As they were declared."""
        found = [(item.name, item.metadata["column"]) for item in fields(cls)]  # type: ignore[arg-type]
        return tuple(replace(one, name=name, file=one.file or f"{cls.prefix}{name}") for name, one in found)

    @classmethod
    def is_among(cls, files: Container[str]) -> bool:
        """Whether a segment with these files has this table."""
        return any(f"{one.file}.npy" in files for one in cls.columns())

    @classmethod
    def load(cls, folder: Path, files: Container[str]) -> Self:
        """The table of a segment with these files. Raises OSError, ValueError."""
        there = [one for one in cls.columns() if not one.is_optional or f"{one.file}.npy" in files]
        return cls(**{one.name: one.read(folder) for one in there})

    def save(self, folder: Path) -> None:
        """Write its files. Raises OSError."""
        for one in self.columns():
            values = getattr(self, one.name)
            if values is not None and one.dtype is None:
                write_strings(folder, one.file, values)
            elif values is not None:
                write_array(folder / f"{one.file}.npy", values)

    @classmethod
    def empty(cls, documents: int, files: int = 0, dimension: int = 0) -> Self:
        """That of a segment of which nothing of the kind was read."""
        rows = 0 if any(one.axis is Axis.OWNERS for one in cls.columns()) else documents
        sizes = {Axis.FILES: files, Axis.DOCUMENTS: documents, Axis.ROWS: rows, Axis.STARTS: rows + 1}
        found: dict[str, Any] = {}
        for one in cls.columns():
            shape = (sizes.get(one.axis, 0), *((dimension,) if one.is_vectors else ()))
            found[one.name] = [] if one.dtype is None else np.zeros(shape, dtype=one.dtype)
        return cls(**found)

    def on(self, axis: Axis) -> Any:
        """The first column on an axis, None without one."""
        return next((getattr(self, one.name) for one in self.columns() if one.axis is axis), None)

    def check(self, documents: int, files: int, dimension: int) -> None:
        """Compare the columns with each other and with what the segment has. Raises ValueError."""
        owners, starts = self.on(Axis.OWNERS), self.on(Axis.STARTS)
        rows = documents if owners is None else len(owners)
        keys = 0 if (found := self.on(Axis.KEYS)) is None else len(found)
        sizes = {
            Axis.DOCUMENTS: documents,
            Axis.FILES: files,
            Axis.ROWS: rows,
            Axis.OWNERS: rows,
            Axis.STARTS: rows + 1,
            Axis.VALUES: _end(starts),
            Axis.KEYS: keys,
            Axis.KEY_STARTS: keys + 1,
            Axis.ENTRIES: _end(self.on(Axis.KEY_STARTS)),
        }
        for one in self.columns():
            values = getattr(self, one.name)
            if values is None:
                continue
            if len(values) != sizes[one.axis] or (one.is_vectors and values.shape[1:] != (dimension,)):
                raise ValueError(f"the columns of {self.about} differ in length")
        if owners is not None and len(owners) and not (owners[0] >= 0 and owners[-1] < documents):
            raise ValueError(f"the columns of {self.about} name a document that is not there")

    def spread(self, keys: dict[str, int]) -> Any:
        """The table in a form in which columns of several segments can be concatenated.

        Args:
            keys: a number for each key of these segments so far; new ones are added.
        """
        return self

    @classmethod
    def gathered(cls, spread: Any, keys: Sequence[str]) -> Self:
        """The inverse of `spread` for what was concatenated. Columns over keys are empty in it."""
        return spread  # type: ignore[no-any-return]

    @classmethod
    def merged(cls, parts: Sequence[tuple[Self | None, Kept]]) -> Self | None:
        """What is kept of the tables of several segments, as one; None if no segment has one. Raises ValueError."""
        missing = [table is None for table, _ in parts]
        if all(missing):
            return None
        if any(missing) and not cls.may_be_missing:
            raise ValueError("the segments have different columns")
        keys: dict[str, int] = {}
        spread: list[tuple[Table, Kept]] = []
        for table, kept in parts:
            if table is None:
                table = cls.empty(kept.count, kept.file_count, kept.dimension)
            spread.append((table.spread(keys), kept))
        return cls.gathered(_concatenated(spread), list(keys))


def _concatenated(parts: Sequence[tuple[Table, Kept]]) -> Table:
    """What is kept of tables of one kind, one after another."""
    bases = np.cumsum([0, *(len(kept.documents) for _, kept in parts)])
    chosen = [_chosen(table, kept, int(base)) for (table, kept), base in zip(parts, bases[:-1], strict=True)]
    kind = type(parts[0][0])
    found = {one.name: one.joined([columns[one.name] for columns in chosen]) for one in kind.columns()}
    if all(table.on(Axis.OWNERS) is None for table, _ in parts):
        found |= {one.name: None for one in kind.columns() if one.axis is Axis.OWNERS}
    return kind(**found)


def _chosen(table: Table, kept: Kept, base: int) -> dict[str, Any]:
    """The columns of what is kept, whose first document becomes `base`; instead of starts there are lengths."""
    position = np.full(kept.count, -1, dtype=np.int64)
    position[kept.documents] = base + np.arange(len(kept.documents))
    owners, starts = table.on(Axis.OWNERS), table.on(Axis.STARTS)
    of_rows = position if owners is None else position[owners]
    rows = np.flatnonzero(of_rows >= 0)
    places = {
        Axis.DOCUMENTS: kept.documents,
        Axis.FILES: np.array(kept.files, dtype=np.int64),
        Axis.ROWS: rows,
    }
    if starts is not None:
        lengths = np.diff(starts).astype(np.int64)[rows]
        places[Axis.VALUES] = rows_of(starts[rows].astype(np.int64), lengths)
    found: dict[str, Any] = {}
    for one in table.columns():
        values = getattr(table, one.name)
        if one.axis is Axis.OWNERS:
            found[one.name] = of_rows[rows]
        elif one.axis is Axis.STARTS:
            found[one.name] = lengths
        elif one.dtype is None:
            found[one.name] = [values[place] for place in places.get(one.axis, ())]
        else:
            found[one.name] = values[places[one.axis]]
    return found


def _end(starts: Any) -> int:
    """Where the last run ends; -1 where no start is known."""
    return int(starts[-1]) if starts is not None and len(starts) else -1


def sorted_keys(keys: Sequence[str], used: npt.NDArray[Any]) -> tuple[list[str], Ids]:
    """(those keys whose numbers are `used`, sorted; int64[len(keys)]: where each of them is among these)."""
    occurs = np.bincount(used[used >= 0], minlength=len(keys)) > 0
    order = sorted(np.flatnonzero(occurs).tolist(), key=keys.__getitem__)
    position = np.zeros(len(keys), dtype=np.int64)
    position[order] = np.arange(len(order))
    return [keys[number] for number in order], position


def rows_of(starts: Ids, lengths: Ids) -> Ids:
    """The positions of rows in compressed sparse rows, row after row."""
    before = np.cumsum(lengths) - lengths
    return np.asarray(np.repeat(starts - before, lengths) + np.arange(int(lengths.sum())), dtype=np.int64)


def starts_of(lengths: Ids) -> Ids:
    """int64[n + 1]: where each row of these lengths begins."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)])
