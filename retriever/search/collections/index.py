"""A collection indexed, and asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tqdm import tqdm

from lean_extract.errors import BadSettings, ModelError
from retriever.models.reranker import DEPTH
from retriever.models.towers import Towers
from retriever.search.backend import Backend, Collection, Document, Question
from retriever.search.bm25 import Bm25, build_postings
from retriever.search.collections.files import VERSION, CollectionManifest, Floats, KnownProofs, Stored
from retriever.search.collections.measure import Bools, best
from retriever.search.collections.rankers import DENSE, Dense, Fused, Lexical, Neighbours, Ranker
from retriever.search.collections.rereading import RerankedRanker
from retriever.search.splits import split_of
from retriever.search.votes import ProofGraph

DEFAULT_WEIGHTS: Mapping[str, float] = {"BM25": 1.0, "neighbours": 0.2}
"""Without a model. Fitted on Stacks: python -m retriever evaluate-collection FILE --lexical --fuse."""
_PIECE = 256


@dataclass(frozen=True, slots=True)
class Hit:
    """One document that was found."""

    document: Document
    score: float
    """The higher the better; comparable within one answer only."""


class IndexingStopped(Exception):
    """Indexing was told to stop; nothing was written."""


def index_collection(
    backend: Backend,
    collection: Collection,
    name: str,
    source: Path,
    towers: Towers | None = None,
    *,
    called: str = "",
    model: str = "",
    quiet: bool = True,
    should_stop: Callable[[], bool] = lambda: False,
) -> Stored:
    """A collection made ready to be searched.

    `called` is what the backend was asked for by, where that is not its name: a package.
    Raises ModelError when the model was trained for another backend, BadSettings without documents, and
    IndexingStopped where it was told to stop.
    """
    if towers is not None and towers.backend != backend.name:
        message = f"The model was trained for the backend {towers.backend}, not {backend.name}."
        raise ModelError(message, "Name another model, or leave --model out.")
    if not collection.documents:
        raise BadSettings(f"There is no document in {source}.", "Give another source.")
    terms: list[list[str]] = []
    for document in tqdm(collection.documents, desc="Reading", unit=" documents", disable=quiet):
        if should_stop():
            raise IndexingStopped
        terms.append(backend.terms(document.text))
    vectors: list[Floats] = []
    texts = [document.text for document in collection.documents]
    starts = range(0, len(texts) if towers else 0, _PIECE)
    for start in tqdm(starts, desc="Embedding", unit_scale=_PIECE, unit=" documents", disable=quiet):
        if should_stop():
            raise IndexingStopped
        if towers is not None:
            vectors.append(towers.documents(texts[start : start + _PIECE]))
    fingerprint = towers.fingerprint if towers and vectors else ""
    return Stored(
        CollectionManifest(
            version=VERSION,
            name=name,
            backend=called or backend.name,
            source=str(source.resolve()),
            digest=collection.digest,
            documents=len(texts),
            model=model if fingerprint else "",
            fingerprint=fingerprint,
        ),
        collection.documents,
        build_postings(terms),
        known_proofs(collection.questions),
        np.concatenate(vectors) if vectors else None,
    )


def known_proofs(questions: tuple[Question, ...]) -> KnownProofs:
    """The questions that are documents themselves; one that is answered by itself is no help to it."""
    rows = [
        (one.own, [gold for gold in one.gold if gold != one.own]) for one in questions if one.own is not None
    ]
    rows = [(own, gold) for own, gold in rows if gold]
    offsets = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum([len(gold) for _, gold in rows], out=offsets[1:])
    return KnownProofs(
        np.array([own for own, _ in rows], dtype=np.int64),
        np.array([number for _, gold in rows for number in gold], dtype=np.int64),
        offsets,
    )


class CollectionIndex:
    """A collection that answers queries."""

    def __init__(
        self, backend: Backend, stored: Stored, towers: Towers | None = None, *, rerank: int = DEPTH
    ) -> None:
        """`rerank`: how many documents the model's re-ranker reads again, if it has one; 0: none.

        Raises ModelError when the vectors are another model's, BadSettings of an empty collection.
        """
        if not stored.documents:
            raise BadSettings(f"The collection {stored.manifest.name} is empty.", "Index another source.")
        if stored.vectors is not None and (
            towers is None or towers.fingerprint != stored.manifest.fingerprint
        ):
            known = stored.manifest
            hint = f"Index it again: premise-suggest index --backend {known.backend} {known.source}"
            raise ModelError(f"The vectors of {known.name} were made by another model.", hint)
        self.backend, self.stored = backend, stored
        self._fused = fused_of(backend, stored, towers)
        self._reread = reread_of(self._fused, stored.documents, towers, rerank)

    def search(self, typed: str, k: int) -> list[Hit]:
        """The `k` best documents for a query that a person typed, best first.

        What is below the mean, and shares no term with the query and has no vote, is left out.

        Raises UserError when it is no query.
        """
        text = self.backend.query_text(typed)
        lists = self._fused.lists(text)
        scores = self._fused.sum(lists)
        fits = scores > 0
        for name, listed in lists.items():
            if name != DENSE:
                fits |= listed > 0
        scores = np.where(fits, scores, -np.inf).astype(np.float32)
        if self._reread is not None:
            scores = self._reread.again(text, scores)
        chosen = [number for number in best(scores, k) if np.isfinite(scores[number])]
        return [Hit(self.stored.documents[number], float(scores[number])) for number in chosen]


def fused_of(backend: Backend, stored: Stored, towers: Towers | None = None) -> Fused:
    """The lists that a collection is asked by, and what each weighs."""
    lexical = Lexical(backend, Bm25([stored.postings]))
    rankers: list[Ranker] = [lexical]
    if towers is not None and stored.vectors is not None:
        rankers.append(Dense(towers, stored.vectors))
    if len(stored.proofs.own):
        rankers.append(Neighbours(lexical, graph_of(stored)))
    return Fused(tuple(rankers), towers.weights if towers is not None else DEFAULT_WEIGHTS)


def graph_of(stored: Stored) -> ProofGraph:
    """What the known proofs of a collection use."""
    proofs = stored.proofs
    return ProofGraph(proofs.offsets, proofs.flat.astype(np.int32), len(stored.documents), proofs.own)


def reread_of(
    fused: Fused,
    documents: Sequence[Document],
    towers: Towers | None,
    first: int = DEPTH,
    outside: Bools | None = None,
) -> RerankedRanker | None:
    """The same with its first documents read again, of those not `outside` (bool[documents]).

    None without a re-ranker, or where none is asked for.
    """
    if towers is None or towers.reranker is None or not first:
        return None
    return RerankedRanker(fused, towers.reranker, documents, first, outside)


def fused_for_evaluation(
    backend: Backend, collection: Collection, towers: Towers | None = None, *, quiet: bool = True
) -> Fused:
    """The same over a collection as it is read. Of its proofs those of the training split alone vote, without
    those of theorems that the hash split holds out (`retriever.search.splits`)."""
    voters = tuple(one for one in collection.of("train") if not one.name or split_of(one.name) == "train")
    known = Collection(collection.documents, voters, collection.pools, collection.digest)
    return fused_of(backend, index_collection(backend, known, "", Path(), towers, quiet=quiet), towers)
