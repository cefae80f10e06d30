"""A segment: an immutable folder with the premises of some source files.

    meta.json          format, version, fingerprint, dimension, counts, kinds; sizes and hashes of the rest
    checked            which state of the files was last read and found to be what was written
    files.json         the source files (IndexedFile), each with its run of premises
    names.txt/.npy     full names, in the order of the files
    kinds.npy          uint8[n]   index into meta's list of kinds
    flags.npy          uint8[n]   Flag
    lines.npy          int32[n]   line of the declaration from 0, -1 where not known
    uses.npy           int32[n]   how many training proofs use it, 0 where not known
    name_hashes.npy    uint64[n]; proof_starts.npy int32[n + 1], proof_uses.npy int32, proof_names.npy uint64:
                       what each proof uses, where that is known: see `retriever.search.index.proof_columns`
    vectors.npy        int8[n, d], scales.npy  float32[n]: embedding = vector * scale
    terms.txt/.npy     sorted vocabulary; posting_starts.npy int64[m + 1], posting_documents.npy int32,
                       posting_frequencies.npy uint16, lengths.npy int32[n]: see `retriever.search.lexical.Postings`
    structure_hashes.npy uint32[s], structure_starts.npy int64[s + 1], structure_documents.npy int32;
    structure_row_starts.npy int64[n + 1], structure_rows.npy uint32:
                       what statements say, see `retriever.search.index.structure_columns`
    records.txt/.npy   each premise's record as JSON; absent where no source text is shipped
    exported.json      [[position, name], ...]: the names that `export` gives premises too; absent where it
                       gives none

A premise is known by its position in the segment. What a later write replaces is named by the store's
manifest, never marked here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntFlag
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lean_extract.errors import IndexDamaged, PremiseSuggestError
from lean_extract.records import Import, Premise, from_json
from retriever.search.index import hnsw
from retriever.search.index.files import (
    StringTable,
    damaged,
    read_array,
    read_json,
    unreadable,
    write_array,
    write_json,
    write_strings,
)
from retriever.search.index.meta import Meta, read_checked
from retriever.search.index.proof_columns import ProofColumns
from retriever.search.index.structure_columns import StructureColumns
from retriever.search.index.sums import GoOn, always, sums_of, verify
from retriever.search.lexical import Postings

EXPORTED = "exported.json"


class Flag(IntFlag):
    """What a premise is, one bit each."""

    PRIVATE = 1
    PROTECTED = 2
    THEOREM = 4
    GENERATED = 8
    SORRY = 16
    """Its own text has a `sorry`; never set in segments that were written before there was this bit."""


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A source file as it was when it was read, and its premises `start:stop`."""

    path: str
    """Relative to the indexed folder where it lies inside, else absolute."""
    module: str
    package: str
    revision: str
    size: int
    mtime_ns: int
    sha256: str
    start: int
    stop: int
    imports: tuple[Import, ...] = ()
    in_module_system: bool = False

    def to_json(self) -> list[Any]:
        """A plain list; imports as [module, flags]."""
        imports = [[i.module, i.is_public + 2 * i.is_meta + 4 * i.is_all] for i in self.imports]
        head = [self.path, self.module, self.package, self.revision, self.size, self.mtime_ns, self.sha256]
        return [*head, self.start, self.stop, imports, int(self.in_module_system)]

    @classmethod
    def from_json(cls, row: Sequence[Any]) -> IndexedFile:
        """The inverse of `to_json`. Raises ValueError or TypeError."""
        *head, imports, modern = row
        path, module, package, revision, size, mtime_ns, sha256, start, stop = head
        found = tuple(Import(name, bool(f & 1), bool(f & 2), bool(f & 4)) for name, f in imports)
        text = (str(path), str(module), str(package), str(revision))
        status, run = (int(size), int(mtime_ns)), (int(start), int(stop))
        return cls(*text, *status, str(sha256), *run, found, bool(modern))


@dataclass(frozen=True, slots=True)
class SegmentContent:
    """Everything that goes into a segment, columns over n premises."""

    files: Sequence[IndexedFile]
    names: Sequence[str]
    kinds: Sequence[str]
    flags: npt.NDArray[np.uint8]
    lines: npt.NDArray[np.int32]
    uses: npt.NDArray[np.int32]
    vectors: npt.NDArray[np.int8]
    scales: npt.NDArray[np.float32]
    postings: Postings
    proofs: ProofColumns
    structure: StructureColumns
    records: Sequence[bytes] | None
    exported: Mapping[int, str] = field(default_factory=dict)
    """Of a few premises: the name that `export` gives them too."""

    def __len__(self) -> int:
        return len(self.names)


def write_segment(folder: Path, content: SegmentContent, fingerprint: str) -> None:
    """Write a segment into an empty folder; meta.json comes last. Raises OSError."""
    kinds = sorted(set(content.kinds))
    numbers = {kind: index for index, kind in enumerate(kinds)}
    write_json(folder / "files.json", [file.to_json() for file in content.files])
    write_strings(folder, "names", content.names)
    write_array(folder / "kinds.npy", np.array([numbers[kind] for kind in content.kinds], dtype=np.uint8))
    write_array(folder / "flags.npy", content.flags)
    write_array(folder / "lines.npy", content.lines)
    write_array(folder / "uses.npy", content.uses)
    write_array(folder / "vectors.npy", content.vectors)
    write_array(folder / "scales.npy", content.scales)
    postings = content.postings
    write_strings(folder, "terms", postings.terms)
    write_array(folder / "posting_starts.npy", postings.starts)
    write_array(folder / "posting_documents.npy", postings.documents)
    write_array(folder / "posting_frequencies.npy", postings.frequencies)
    write_array(folder / "lengths.npy", postings.lengths)
    write_array(folder / "name_hashes.npy", content.proofs.hashes)
    write_array(folder / "proof_starts.npy", content.proofs.starts)
    write_array(folder / "proof_uses.npy", content.proofs.uses)
    write_array(folder / "proof_names.npy", content.proofs.names)
    write_array(folder / "structure_hashes.npy", content.structure.hashes)
    write_array(folder / "structure_starts.npy", content.structure.starts)
    write_array(folder / "structure_documents.npy", content.structure.documents)
    write_array(folder / "structure_row_starts.npy", content.structure.row_starts)
    write_array(folder / "structure_rows.npy", content.structure.rows)
    if content.records is not None:
        write_strings(folder, "records", content.records)
    if content.exported:
        write_json(folder / EXPORTED, sorted(content.exported.items()))
    _write_meta(folder, content, kinds, fingerprint)


def _write_meta(folder: Path, content: SegmentContent, kinds: list[str], fingerprint: str) -> None:
    paths = sorted(path for path in folder.iterdir() if path.is_file())
    shape = len(content), int(content.vectors.shape[1])
    Meta(fingerprint, *shape, tuple(kinds), content.records is not None, sums_of(paths)).write(folder)


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
        self.count = meta.premises
        self.dimension = meta.dimension
        self.kind_names = meta.kinds
        self.sums = meta.sums
        self.files = [IndexedFile.from_json(row) for row in read_json(folder / "files.json")]
        self.names = StringTable(folder, "names")
        self.kinds = read_array(folder / "kinds.npy")
        self.flags = read_array(folder / "flags.npy")
        self.lines = read_array(folder / "lines.npy")
        self.uses = read_array(folder / "uses.npy")
        self.vectors = read_array(folder / "vectors.npy")
        self.scales = read_array(folder / "scales.npy")
        self.postings = Postings(
            StringTable(folder, "terms"),
            read_array(folder / "posting_starts.npy"),
            read_array(folder / "posting_documents.npy"),
            read_array(folder / "posting_frequencies.npy"),
            read_array(folder / "lengths.npy"),
        )
        self.proofs = ProofColumns(
            read_array(folder / "name_hashes.npy"),
            read_array(folder / "proof_starts.npy"),
            read_array(folder / "proof_uses.npy"),
            read_array(folder / "proof_names.npy"),
        )
        self.structure = StructureColumns(
            read_array(folder / "structure_hashes.npy"),
            read_array(folder / "structure_starts.npy"),
            read_array(folder / "structure_documents.npy"),
            read_array(folder / "structure_row_starts.npy"),
            read_array(folder / "structure_rows.npy"),
        )
        self.has_records = meta.has_records
        self._records = StringTable(folder, "records") if self.has_records else None
        rows = read_json(folder / EXPORTED) if EXPORTED in meta.sums else []
        self.exported: dict[int, str] = {int(place): str(name) for place, name in rows}
        self._check_counts()

    def _check_counts(self) -> None:
        columns = (self.names, self.kinds, self.flags, self.lines, self.uses, self.vectors, self.scales)
        records = (self._records,) if self._records is not None else ()
        if any(len(column) != self.count for column in (*columns, *records, self.postings.lengths)):
            raise ValueError("the columns differ in length")
        bounds = [0, *(file.stop for file in self.files)]
        if [file.start for file in self.files] != bounds[:-1] or bounds[-1] != self.count:
            raise ValueError("the premises of the files do not follow on each other")
        if any(not 0 <= place < self.count for place in self.exported):
            raise ValueError("an exported name is of no premise")
        proofs = self.proofs
        if len(proofs.hashes) != self.count or len(proofs.starts) != self.count + 1:
            raise ValueError("the columns of proofs differ in length from the others")
        structure = self.structure
        if len(structure.starts) != len(structure.hashes) + 1 or len(structure) != self.count:
            raise ValueError("the columns of structure differ in length")
        if self.vectors.shape != (self.count, self.dimension):
            raise ValueError(f"vectors of shape {self.vectors.shape}")

    def __len__(self) -> int:
        return self.count

    def file_numbers(self) -> npt.NDArray[np.int32]:
        """int32[n]: the position in `files` of each premise's file."""
        counts = [file.stop - file.start for file in self.files]
        return np.repeat(np.arange(len(self.files), dtype=np.int32), counts)

    def raw_record(self, index: int) -> bytes:
        """A premise's record as JSON. Raises KeyError where the segment has no records."""
        if self._records is None:
            raise KeyError(f"{self.folder} holds no records")
        return self._records.raw(index)

    def premise(self, index: int, file: IndexedFile) -> Premise:
        """A premise's record; where there are none, what the columns say (no statement)."""
        if self._records is None:
            flags = int(self.flags[index])
            return Premise(
                self.names[index],
                self.kind_names[int(self.kinds[index])],
                file.module,
                is_private=bool(flags & Flag.PRIVATE),
                is_protected=bool(flags & Flag.PROTECTED),
                exported_as=self.exported.get(index),
            )
        try:
            premise = from_json(Premise, json.loads(self._records.raw(index)))
        except (ValueError, TypeError, KeyError) as error:
            raise damaged(self.folder / "records.txt", f"record {index}: {error}") from error
        if not isinstance(premise, Premise) or premise.name != self.names[index]:
            raise damaged(self.folder / "records.txt", f"record {index} is another premise's")
        return premise

    def verify(self, go_on: GoOn = always) -> list[str]:
        """Read every file and compare hashes; what is wrong, in words."""
        return verify_segment(self.folder, go_on)


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
