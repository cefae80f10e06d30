"""What goes into a segment, and writing it (`retriever.search.index.segment` has the files)."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy as np
import numpy.typing as npt

from retriever.models.quantise import StoredVectors
from retriever.search.index.files import write_array, write_json, write_strings
from retriever.search.index.meta import IndexedFile, Meta, sums_of
from retriever.search.index.postings import DocPostings, Postings
from retriever.search.index.proof_columns import MentionColumns, ProofColumns, StepColumns
from retriever.search.index.structure_columns import StructureColumns, TreeColumns
from retriever.search.index.table import Kept, Table

ALIASES = "exported.json"
_COMMON = frozenset(("names", "kinds", "vectors", "scales", "records"))
_SMALL = 256
"""As many kinds as a byte can distinguish."""


@dataclass(frozen=True, slots=True)
class SegmentTables:
    """The tables of a segment. One more is a field more: by its declaration it is written, read, checked, merged."""

    postings: Postings
    proofs: ProofColumns
    structure: StructureColumns | None = None
    """Absent where the backend has none."""
    steps: StepColumns | None = None
    """Absent where the backend has none, and where an older version wrote the segment."""
    mentions: MentionColumns | None = None
    """Absent where none was read from text."""
    trees: TreeColumns | None = None
    """Absent where no source text is shipped, and where an older version wrote the segment."""
    docs: DocPostings | None = None
    """Absent where the backend has none, and where an older version wrote the segment."""

    @classmethod
    @cache
    def kinds(cls) -> dict[str, type[Table]]:
        """The class of each table by the field's name."""
        return {name: (*get_args(hint), hint)[0] for name, hint in get_type_hints(cls).items()}

    @classmethod
    def load(cls, folder: Path, files: Container[str]) -> SegmentTables:
        """Those of a segment with these files. Raises OSError, ValueError."""
        needed = {item.name for item in fields(cls) if item.default is not None}
        found: dict[str, Any] = {
            name: table.load(folder, files)
            for name, table in cls.kinds().items()
            if name in needed or table.is_among(files)
        }
        return cls(**found)

    @classmethod
    def merged(cls, parts: Sequence[tuple[SegmentTables, Kept]]) -> SegmentTables:
        """What is kept of several segments' tables. Raises ValueError where they cannot be merged."""
        found: dict[str, Any] = {
            name: table.merged([(getattr(tables, name), kept) for tables, kept in parts])
            for name, table in cls.kinds().items()
        }
        return cls(**found)

    def __iter__(self) -> Iterator[Table]:
        """Those that there are."""
        return (table for name in self.kinds() if (table := getattr(self, name)) is not None)


def further_columns(files: Iterable[str]) -> list[str]:
    """The names of the backend's own columns among a segment's files."""
    tables = SegmentTables.kinds().values()
    common = _COMMON | {column.file for table in tables for column in table.columns()}
    prefixes = tuple(table.prefix for table in tables)
    arrays = (name.removesuffix(".npy") for name in files if name.endswith(".npy"))
    return sorted(name for name in arrays if name not in common and not name.startswith(prefixes))


@dataclass(frozen=True, slots=True)
class SegmentContent:
    """Everything that goes into a segment, columns over n documents."""

    files: Sequence[IndexedFile]
    names: Sequence[str]
    kinds: Sequence[str]
    vectors: StoredVectors
    """int8[n, d] or float32[n, d]"""
    scales: npt.NDArray[np.float32]
    tables: SegmentTables
    records: Sequence[bytes] | None
    columns: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)
    """The backend's own columns of integers, by name."""
    aliases: Mapping[int, str] = field(default_factory=dict)
    """Of a few documents: another name that they have too."""

    def __len__(self) -> int:
        return len(self.names)


def numbered(files: Iterable[tuple[IndexedFile, int]]) -> list[IndexedFile]:
    """Files with so many documents each; their runs are consecutive."""
    result = []
    start = 0
    for file, count in files:
        result.append(replace(file, start=start, stop=start + count))
        start += count
    return result


def write_segment(folder: Path, content: SegmentContent, fingerprint: str) -> None:
    """Write a segment into an empty folder; meta.json comes last. Raises OSError."""
    kinds = sorted(set(content.kinds))
    numbers = {kind: index for index, kind in enumerate(kinds)}
    dtype = np.uint8 if len(kinds) <= _SMALL else np.uint32
    write_json(folder / "files.json", [file.to_json() for file in content.files])
    write_strings(folder, "names", content.names)
    kind_numbers = np.array([numbers[kind] for kind in content.kinds], dtype=dtype)
    own = {"vectors": content.vectors, "scales": content.scales, "kinds": kind_numbers}
    for name, array in {**own, **content.columns}.items():
        write_array(folder / f"{name}.npy", array)
    for table in content.tables:
        table.save(folder)
    if content.records is not None:
        write_strings(folder, "records", content.records)
    if content.aliases:
        write_json(folder / ALIASES, sorted(content.aliases.items()))
    paths = sorted(path for path in folder.iterdir() if path.is_file())
    shape = len(content), int(content.vectors.shape[1])
    Meta(fingerprint, *shape, tuple(kinds), content.records is not None, sums_of(paths)).write(folder)
