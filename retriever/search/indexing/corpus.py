"""What a corpus gives the index: its sources, their records, and the columns of these."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from lean_extract.common.arrays import Floats
from lean_extract.records import FileProblem
from retriever.models.quantise import StoredVectors
from retriever.search.index.meta import IndexedFile
from retriever.search.index.proof_columns import MentionColumns, ReadStep, StepColumns
from retriever.search.index.segment import Segment
from retriever.search.index.segment_content import SegmentContent

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class ReadSource(Generic[Record]):
    """A source as it was read."""

    records: Sequence[Record]
    more: tuple[object, ...] = ()
    """What the index keeps of the source in addition to them (`IndexedFile.more`), as JSON values."""
    problems: tuple[FileProblem, ...] = ()
    steps: Sequence[ReadStep] = ()
    """Those of the records, in the order of their owners."""
    mentions: MentionColumns | None = None
    """What the proofs of its records mention, where these are to vote."""


class IndexSource(Protocol[Record]):
    """A file, or another part of a corpus that is read and replaced as a whole."""

    @property
    def name(self) -> str:
        """What the index calls it; unique in its corpus. Of a file the path, relative to the indexed folder."""

    @property
    def module(self) -> str:
        """The name by which its corpus knows it."""

    @property
    def package(self) -> str:
        """The package that it belongs to, empty where there is none."""

    @property
    def revision(self) -> str:
        """The package's pinned revision, empty where it is not pinned."""

    @property
    def location(self) -> str:
        """Where it is, for messages."""

    def status(self) -> tuple[int, int] | None:
        """(size, mtime_ns); while these stay the same, so does the source. None: its digest must be compared.

        Raises OSError.
        """

    def digest(self) -> str:
        """SHA-256 of what it holds, in hexadecimal. Raises OSError."""

    def read(self) -> ReadSource[Record]:
        """Its records. Raises BadSource, Cancelled."""


@dataclass(frozen=True, slots=True)
class EmbeddedSource(Generic[Record]):
    """A source's entry (its run of documents still to be set), its records and their vectors."""

    file: IndexedFile
    records: Sequence[Record]
    vectors: StoredVectors
    scales: Floats
    steps: StepColumns | None = None
    """The steps of its records, of a corpus that has steps."""
    mentions: MentionColumns | None = None


class IndexCorpus(Protocol[Record]):
    """What an index needs to know of the records of a corpus."""

    @property
    def fingerprint(self) -> str:
        """Of the model and whatever else decides vectors: equal fingerprints, equal vectors."""

    @property
    def dimension(self) -> int:
        """Length of a vector; 0 without a model."""

    def text(self, record: Record) -> Hashable:
        """What the vector of a record is made of."""

    def encode(self, records: Sequence[Record]) -> Floats:
        """float32[n, dimension]. Raises Cancelled."""

    @property
    def has_steps(self) -> bool:
        """Whether its records have steps, which the index keeps, too."""

    def encode_steps(self, steps: Sequence[ReadStep]) -> Floats:
        """float32[n, dimension]: the vectors of steps. Raises Cancelled."""

    def compressed(self, vectors: Floats) -> tuple[StoredVectors, Floats]:
        """(rows [n, dimension], scales float32[n]) in which vectors are stored: each is its row by its scale."""

    def content(self, sources: Sequence[EmbeddedSource[Record]]) -> SegmentContent:
        """The columns of a segment of at least one source."""

    def record(self, segment: Segment, index: int, file: IndexedFile) -> Record:
        """A record that this corpus put into a segment which has records. Raises IndexDamaged."""
