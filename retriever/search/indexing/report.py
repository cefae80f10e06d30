"""How an update of an index is done, and what it did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from lean_extract.common.devices import Place
from lean_extract.records import FileProblem
from retriever.search.index import hnsw

Progress = Callable[[str, int, int], None]
"""Called with (stage, done, total); the stages are `wait`, `scan`, `embed`, `merge` and `graph`."""


@dataclass(frozen=True, slots=True)
class UpdateOptions:
    """How an update is done."""

    progress: Progress = field(default=lambda stage, done, total: None)
    should_stop: Callable[[], bool] = field(default=lambda: False)
    graphs: hnsw.HnswParameters | None = field(default_factory=hnsw.HnswParameters)
    """None: no HNSW graphs, even where hnswlib is installed."""
    keeps_partial: bool = True
    """Whether what is read is committed now and then, so that a run that was stopped can be continued. False:
    the index changes at the end, and not at all where the run is stopped."""


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What an update did."""

    files: int
    """Source files in the index now."""
    documents: int
    """Documents in the index now."""
    files_read: int = 0
    files_removed: int = 0
    documents_embedded: int = 0
    documents_reused: int = 0
    """Documents of changed files whose vectors were kept, their text being the same."""
    embedding_seconds: float = 0.0
    """What embedding the documents took; their proofs' steps not counted."""
    place: Place = "cpu"
    """Where they were embedded."""
    stopped: bool = False
    problems: tuple[FileProblem, ...] = ()
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    """What was left out, and why, in sentences."""

    def __add__(self, other: IndexReport) -> IndexReport:
        return IndexReport(
            self.files + other.files,
            self.documents + other.documents,
            self.files_read + other.files_read,
            self.files_removed + other.files_removed,
            self.documents_embedded + other.documents_embedded,
            self.documents_reused + other.documents_reused,
            self.embedding_seconds + other.embedding_seconds,
            self.place,
            self.stopped or other.stopped,
            self.problems + other.problems,
            self.seconds + other.seconds,
            self.notes + other.notes,
        )
