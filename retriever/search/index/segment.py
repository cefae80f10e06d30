"""A segment: an immutable folder with the documents of some source files, written once.

    meta.json          format, version, fingerprint, dimension, counts, kinds; sizes and hashes of the rest
    checked            which state of the files was last read and found to be what was written
    files.json         the source files (IndexedFile), each with its run of documents
    names.txt/.npy     full names, in the order of the files
    kinds.npy          uint8[n] or uint32[n]   index into meta's list of kinds
    name_hashes.npy    uint64[n]; proof_starts.npy int32[m + 1], proof_uses.npy int32, proof_names.npy uint64,
                       proof_owners.npy int32[m] (absent where each document has one proof):
                       what proofs use, where that is known: see `retriever.search.index.proof_columns`
    vectors.npy        int8[n, d] or float32[n, d], scales.npy  float32[n]: embedding = vector * scale;
                       d is 0 without a model
    terms.txt/.npy     sorted vocabulary; posting_starts.npy int64[m + 1], posting_documents.npy int32,
                       posting_frequencies.npy uint16, lengths.npy int32[n]: see `retriever.search.bm25.Postings`
    structure_hashes.npy uint32[s], structure_starts.npy int64[s + 1], structure_documents.npy int32;
    structure_row_starts.npy int64[n + 1], structure_rows.npy uint32:
                       further features of documents, absent where the backend has none: see
                       `retriever.search.index.structure_columns`
    step_owners.npy    int32[m], step_vectors.npy int8[m, d] or float32[m, d], step_scales.npy float32[m],
    step_records.txt/.npy, step_read.npy uint8[f]:
                       steps of documents with vectors of their own, absent where the backend has none and where
                       an older version wrote the segment: see `retriever.search.index.step_columns`
    mention_owners.npy int32[m], mention_starts.npy int32[m + 1], mention_names.npy uint64:
                       what proofs mention, absent where none was read from text: see
                       `retriever.search.index.mention_columns`
    tree_symbols.txt/.npy, tree_starts.npy int64[n + 1], tree_heads.npy int32[m], tree_sizes.npy uint16[m]:
                       what documents look like as trees, absent where no source text is shipped and where an older
                       version wrote the segment: see `retriever.search.index.tree_columns`
    records.txt/.npy   each document's record as JSON; absent where no source text is shipped
    exported.json      [[position, name], ...]: the aliases of documents; absent where there are none
    NAME.npy           integer[n]: a further column of the backend (Lean: flags, lines, uses)

A document is known by its position in the segment. What a later write replaces is named by the store's
manifest, never marked here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lean_extract.common.errors import IndexDamaged, PremiseSuggestError
from retriever.search.bm25 import Postings
from retriever.search.index import hnsw
from retriever.search.index.files import (
    RawStrings,
    StringTable,
    damaged,
    read_array,
    read_json,
    unreadable,
)
from retriever.search.index.mention_columns import MentionColumns
from retriever.search.index.meta import Meta, read_checked
from retriever.search.index.neighbours import NearestNeighbours
from retriever.search.index.proof_columns import ProofColumns
from retriever.search.index.segment_content import (
    ALIASES,
    MENTION,
    OWNERS,
    STEP,
    STRUCTURE,
    TREE,
    further_columns,
)
from retriever.search.index.source_file import IndexedFile
from retriever.search.index.step_columns import StepColumns
from retriever.search.index.structure_columns import StructureColumns
from retriever.search.index.sums import GoOn, always, verify
from retriever.search.index.tree_columns import TreeColumns


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
            read_array(folder / OWNERS) if OWNERS in meta.sums else None,
        )
        self.structure = _read_structure(folder) if f"{STRUCTURE}hashes.npy" in meta.sums else None
        self.steps = _read_steps(folder) if f"{STEP}owners.npy" in meta.sums else None
        self.mentions = _read_mentions(folder) if f"{MENTION}owners.npy" in meta.sums else None
        self.trees = _read_trees(folder) if f"{TREE}starts.npy" in meta.sums else None
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
    def read_ahead(cls, chosen: Iterable[tuple[Segment, int]]) -> None:
        """Have records at hand that are about to be read, each by its segment of this class and its position.

        Files need none of that.
        """

    def _read_records(self, folder: Path) -> StringTable:
        return StringTable(folder, "records")

    def _check_counts(self) -> None:
        columns = (self.names, self.kinds, self.vectors, self.scales, *self.columns.values())
        records = (self._records,) if self._records is not None else ()
        if any(len(column) != self.count for column in (*columns, *records, self.postings.lengths)):
            raise ValueError("the columns differ in length")
        bounds = [0, *(file.stop for file in self.files)]
        if [file.start for file in self.files] != bounds[:-1] or bounds[-1] != self.count:
            raise ValueError("the documents of the files do not follow on each other")
        if any(not 0 <= position < self.count for position in self.aliases):
            raise ValueError("an alias is of no document")
        proofs = self.proofs
        rows = self.count if proofs.owners is None else len(proofs.owners)
        if len(proofs.hashes) != self.count or len(proofs.starts) != rows + 1:
            raise ValueError("the columns of proofs differ in length from the others")
        structure = self.structure
        if structure is not None and (
            len(structure.starts) != len(structure.hashes) + 1 or len(structure) != self.count
        ):
            raise ValueError("the columns of structure differ in length")
        if self.steps is not None:
            self._check_steps(self.steps)
        if self.mentions is not None:
            self._check_mentions(self.mentions)
        if self.trees is not None:
            self._check_trees(self.trees)
        if self.vectors.shape != (self.count, self.dimension):
            raise ValueError(f"vectors of shape {self.vectors.shape}")

    def _check_steps(self, steps: StepColumns) -> None:
        count = len(steps)
        is_whole = len(steps.scales) == len(steps.records) == count and len(steps.read) == len(self.files)
        if not is_whole or steps.vectors.shape != (count, self.dimension):
            raise ValueError("the columns of steps differ in length")
        if count and not (steps.owners[0] >= 0 and steps.owners[-1] < self.count):
            raise ValueError("a step is of no document")

    def _check_mentions(self, mentions: MentionColumns) -> None:
        count = len(mentions)
        if len(mentions.starts) != count + 1 or int(mentions.starts[-1]) != len(mentions.names):
            raise ValueError("the columns of mentions differ in length")
        if count and not (mentions.owners[0] >= 0 and mentions.owners[-1] < self.count):
            raise ValueError("a mention is of no document")

    def _check_trees(self, trees: TreeColumns) -> None:
        nodes = int(trees.starts[-1]) if len(trees.starts) else -1
        if len(trees) != self.count or len(trees.heads) != nodes or len(trees.sizes) != nodes:
            raise ValueError("the columns of trees differ in length")

    def __len__(self) -> int:
        return self.count

    def file_numbers(self) -> npt.NDArray[np.int32]:
        """int32[n]: the position in `files` of each document's file."""
        counts = [file.stop - file.start for file in self.files]
        return np.repeat(np.arange(len(self.files), dtype=np.int32), counts)

    def kind(self, index: int) -> str:
        """A document's kind."""
        return self.kind_names[int(self.kinds[index])]

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


def _read_structure(folder: Path) -> StructureColumns:
    return StructureColumns(
        *(
            read_array(folder / f"{STRUCTURE}{name}.npy")
            for name in ("hashes", "starts", "documents", "row_starts", "rows")
        )
    )


def _read_steps(folder: Path) -> StepColumns:
    owners, vectors, scales, read = (
        read_array(folder / f"{STEP}{name}.npy") for name in ("owners", "vectors", "scales", "read")
    )
    return StepColumns(owners, vectors, scales, RawStrings(folder, f"{STEP}records"), read)


def _read_mentions(folder: Path) -> MentionColumns:
    return MentionColumns(
        *(read_array(folder / f"{MENTION}{name}.npy") for name in ("owners", "starts", "names"))
    )


def _read_trees(folder: Path) -> TreeColumns:
    return TreeColumns(
        StringTable(folder, f"{TREE}symbols"),
        *(read_array(folder / f"{TREE}{name}.npy") for name in ("starts", "heads", "sizes")),
    )


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
