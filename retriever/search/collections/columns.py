"""The documents of a collection as columns that are ranked, from a store or straight from a corpus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Bools, Floats, Ids
from retriever.models.quantise import StoredVectors
from retriever.models.towers import Towers
from retriever.search.backend import Backend, Collection, Document
from retriever.search.bm25 import Bm25
from retriever.search.collections.corpus import DocumentCorpus, document_of
from retriever.search.index.exact import ExactSearch, NearestNeighbours
from retriever.search.index.meta import IndexedFile
from retriever.search.index.proof_columns import ProofColumns
from retriever.search.index.segment import Segment
from retriever.search.index.table import rows_of
from retriever.search.index.view import IndexView, LiveNames
from retriever.search.indexing.corpus import EmbeddedSource
from retriever.search.votes import ProofGraph


@dataclass(frozen=True, slots=True)
class CollectionColumns:
    """m documents that are ranked, numbered from 0, of the n that some segments hold."""

    documents: Sequence[Document]
    """[m]"""
    live: Ids
    """int64[m], ascending: which of the n each is."""
    bm25: Bm25
    """Over all n; the others count nowhere."""
    search: NearestNeighbours | None
    """Over all n; None without vectors."""
    mean: Floats
    """float32[d]: the mean vector of the m."""
    proofs: ProofGraph
    """What the known proofs of the m use."""

    def __len__(self) -> int:
        return len(self.live)


def stored_columns(view: IndexView) -> CollectionColumns:
    """The live documents of a view."""
    segments = view.segments
    live = np.flatnonzero(view.alive)
    vectors = [(segment.vectors, segment.scales) for segment in segments]
    has_vectors = any(segment.dimension for segment in segments)
    return CollectionColumns(
        _StoredDocuments(view, live),
        live,
        Bm25([segment.tables.postings for segment in segments], alive=view.alive),
        Segment.search_over(segments) if has_vectors else None,
        _mean(vectors, view.alive),
        _proof_graph([segment.tables.proofs for segment in segments], view.alive),
    )


def read_columns(backend: Backend, collection: Collection, towers: Towers | None = None) -> CollectionColumns:
    """A collection as it was read, in its own order, without a store; the same columns as a store's."""
    corpus = DocumentCorpus(backend, collection, towers)
    vectors, scales = corpus.compressed(corpus.encode(collection.documents))
    sources, start = [], 0
    for part in corpus.parts:
        run = slice(start, start + len(part.documents))
        entry = IndexedFile(part.name, part.name, "", "", 0, 0, "", 0, 0)
        sources.append(EmbeddedSource(entry, part.documents, vectors[run], scales[run]))
        start = run.stop
    content = corpus.content(sources)
    alive = np.ones(len(content), dtype=np.bool_)
    columns = [(content.vectors, content.scales)]
    return CollectionColumns(
        collection.documents,
        np.arange(len(content)),
        Bm25([content.tables.postings]),
        ExactSearch(columns) if corpus.dimension else None,
        _mean(columns, alive),
        _proof_graph([content.tables.proofs], alive),
    )


class _StoredDocuments(Sequence[Document]):
    """The documents of a view, each read from its segment when it is needed. Raises IndexDamaged."""

    def __init__(self, view: IndexView, live: Ids) -> None:
        self._view, self._live = view, live

    def __len__(self) -> int:
        return len(self._live)

    @overload
    def __getitem__(self, index: int) -> Document: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Document]: ...
    def __getitem__(self, index: int | slice) -> Any:
        """One document, or some."""
        if isinstance(index, slice):
            return [self[number] for number in range(len(self))[index]]
        return document_of(*self._view.locate(int(self._live[index])))

    def __iter__(self) -> Iterator[Document]:
        return (self[number] for number in range(len(self)))


def _mean(parts: Sequence[tuple[StoredVectors, Floats]], alive: Bools) -> Floats:
    """float32[d]: the mean of the live vectors."""
    total: npt.NDArray[np.float64] = np.zeros(parts[0][0].shape[1] if parts else 0)
    start = 0
    for vectors, scales in parts:
        weights = np.where(alive[start : start + len(scales)], scales, np.float32(0))
        total += weights.astype(np.float32) @ vectors
        start += len(scales)
    return np.asarray(total / max(int(alive.sum()), 1), dtype=np.float32)


def _proof_graph(parts: Sequence[ProofColumns], alive: Bools) -> ProofGraph:
    """What the proofs of live documents use, over the live ones; uses of deleted documents are left out."""
    names = LiveNames([columns.hashes for columns in parts], alive)
    number = np.cumsum(alive) - 1
    owners, lengths, uses = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)], []
    base = 0
    for columns in parts:
        rows = np.arange(len(columns.hashes)) if columns.owners is None else columns.owners.astype(np.int64)
        kept = np.flatnonzero(alive[base + rows])
        counts = np.diff(columns.starts).astype(np.int64)[kept]
        used = names.find(columns.used()[rows_of(columns.starts[kept].astype(np.int64), counts)])
        row = np.repeat(np.arange(len(kept)), counts)[used >= 0]
        owners.append(number[base + rows[kept]])
        lengths.append(np.bincount(row, minlength=len(kept)))
        uses.append(number[used[used >= 0]])
        base += len(columns.hashes)
    starts = np.append(0, np.cumsum(np.concatenate(lengths))).astype(np.int64)
    flat = np.concatenate([np.zeros(0, dtype=np.int32), *(one.astype(np.int32) for one in uses)])
    return ProofGraph(starts, flat, int(alive.sum()), np.concatenate(owners))
