"""Queries of an indexed collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lean_extract.common.arrays import Bools
from lean_extract.common.errors import BadSettings, ModelError
from retriever.models.reranker import DEPTH
from retriever.models.towers import Towers
from retriever.search.backend import Backend, Collection, Document
from retriever.search.collections.columns import CollectionColumns, read_columns, stored_columns
from retriever.search.collections.manifest import CollectionManifest, collection_of, named_errors
from retriever.search.collections.rankers import (
    DENSE,
    Dense,
    Fused,
    Lexical,
    Neighbours,
    Ranker,
    RerankedRanker,
    best,
)
from retriever.search.index.store import IndexStore
from retriever.search.index.view import IndexView, OpenStores, open_stores
from retriever.search.reading import SnapshotReader
from retriever.search.splits import split_of

_DEFAULT_WEIGHTS: Mapping[str, float] = {"BM25": 1.0, "neighbours": 0.2}
"""Without a model. Fitted on Stacks: python -m retriever evaluate-collection FILE --lexical --fuse."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One document that was found."""

    document: Document
    score: float
    """The higher the better; comparable within one answer only."""


class _CollectionSnapshot:
    """One state of a collection's store, opened for asking.

    Raises ModelError when the vectors are of another model, BadSettings of an empty collection.
    """

    def __init__(self, folder: Path, opened: OpenStores, backend: Backend, towers: Towers | None) -> None:
        self._opened = opened
        self.manifest = collection_of(folder, opened.manifests[0])
        self.view = IndexView(opened.parts)
        known = self.manifest
        if known.fingerprint and (towers is None or towers.fingerprint != known.fingerprint):
            message = f"The vectors of {known.name} were made by another model."
            raise ModelError(message, f"Index it again: {known.command}")
        self.columns = stored_columns(self.view)
        if not len(self.columns):
            raise BadSettings(f"The collection {known.name} is empty.", "Index another source.")
        self.fused = fused_of(backend, self.columns, towers)

    def is_current(self) -> bool:
        """Whether the store is still what was opened."""
        return self._opened.is_current()


class CollectionIndex:
    """A collection that answers queries; safe to use from several threads.

    Args:
        folder: where it is kept.
        backend: what it is of.
        towers: the model that made its vectors.
        rerank: how many documents the model's re-ranker reads, if it has one; 0: none.

    Raises IndexMissing, IndexDamaged, ModelError when the vectors are another model's, BadSettings of an empty
    collection.
    """

    def __init__(
        self, folder: Path, backend: Backend, towers: Towers | None = None, *, rerank: int = DEPTH
    ) -> None:
        self._folder, self.backend = folder, backend
        self._towers, self._rerank = towers, rerank
        self._reader = SnapshotReader(self._open)
        with named_errors(folder):
            self._reader.current()

    def _open(self) -> _CollectionSnapshot:
        opened = open_stores([IndexStore(self._folder)], None)
        return _CollectionSnapshot(self._folder, opened, self.backend, self._towers)

    @property
    def manifest(self) -> CollectionManifest:
        """What it is of. Raises IndexMissing, IndexDamaged, ModelError."""
        with named_errors(self._folder):
            return self._reader.current().manifest

    def search(self, typed: str, k: int) -> list[Hit]:
        """The `k` best documents for a query that a person typed, best first.

        What is below the mean, and shares no term with the query and has no vote, is left out.

        Raises UserError when it is not a query, IndexDamaged, and what opening it raises when it was replaced.
        """
        text = self.backend.query_text(typed)
        with named_errors(self._folder), self._reader.reading() as snapshot:
            return self._found(snapshot, text, k)

    def _found(self, snapshot: _CollectionSnapshot, text: str, k: int) -> list[Hit]:
        documents, fused = snapshot.columns.documents, snapshot.fused
        lists = fused.lists(text)
        scores = fused.sum(lists)
        fits = scores > 0
        for name, listed in lists.items():
            if name != DENSE:
                fits |= listed > 0
        scores = np.where(fits, scores, -np.inf).astype(np.float32)
        reranked = reranked_of(fused, documents, self._towers, self._rerank)
        if reranked is not None:
            scores = reranked.again(text, scores)
        chosen = [number for number in best(scores, k) if np.isfinite(scores[number])]
        return [Hit(documents[number], float(scores[number])) for number in chosen]


def fused_of(backend: Backend, columns: CollectionColumns, towers: Towers | None = None) -> Fused:
    """The lists that rank a collection, and the weight of each."""
    lexical = Lexical(backend, columns)
    rankers: list[Ranker] = [lexical]
    if towers is not None and columns.search is not None:
        rankers.append(Dense(towers, columns))
    if len(columns.proofs):
        rankers.append(Neighbours(lexical, columns.proofs))
    return Fused(tuple(rankers), towers.weights if towers is not None else _DEFAULT_WEIGHTS)


def reranked_of(
    fused: Fused,
    documents: Sequence[Document],
    towers: Towers | None,
    first: int = DEPTH,
    outside: Bools | None = None,
) -> RerankedRanker | None:
    """The same with its first documents re-ranked, of those not `outside` (bool[documents]).

    None without a re-ranker, or where none is wanted.
    """
    if towers is None or towers.reranker is None or not first:
        return None
    return RerankedRanker(fused, towers.reranker, documents, first, outside)


def fused_for_evaluation(backend: Backend, collection: Collection, towers: Towers | None = None) -> Fused:
    """The same over a collection as it is read.

    Of its proofs only those of the training split vote, without those of theorems that the hash split holds out
    (`retriever.search.splits`).
    """
    voters = tuple(one for one in collection.of("train") if not one.name or split_of(one.name) == "train")
    known = Collection(collection.documents, voters, collection.pools, collection.digest)
    return fused_of(backend, read_columns(backend, known, towers), towers)
