"""What scores every document of a collection for a query: terms, known proofs, vectors, and their sum.

Each gives scores of its own scale. `Fused` adds them once they are levelled, so that the weights say what a
list is worth whatever the query's length.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from lean_extract.common.arrays import Bools, Floats
from retriever.models.reranker import DEPTH, Reranker
from retriever.search.backend import Backend, Document
from retriever.search.collections.columns import CollectionColumns
from retriever.search.index.hnsw import HnswSearch
from retriever.search.reranking import reranked
from retriever.search.top import top
from retriever.search.votes import ProofGraph, by_similarity

DENSE = "dense"
"""The name of the list in which every text is a little like every other."""
_VOTERS = 64
"""How many of the most similar known theorems vote."""
_SHARPNESS = 3.0
"""The power of its similarity that a voter's vote counts."""
_SATURATION = 5.0
"""How soon further votes for the same document stop counting."""
_LEVEL = 10
"""The rank, counted from 1, whose score becomes 1 when scores are levelled."""
_NEAREST = 1024
"""How many documents are fetched from a graph."""


class Ranker(Protocol):
    """Anything that scores every document for a query."""

    @property
    def name(self) -> str:
        """For a table."""

    def scores(self, text: str, own: int | None = None) -> Floats:
        """float32[documents], finite, the higher the better.

        Args:
            text: what models read of the query.
            own: the document that the query is; nothing that its proof uses may be looked at.
        """


@dataclass(frozen=True, slots=True)
class Lexical:
    """BM25 over the backend's terms."""

    backend: Backend
    columns: CollectionColumns
    name: str = "BM25"

    def scores(self, text: str, own: int | None = None) -> Floats:
        """The sum over the query's distinct terms."""
        return self.columns.bm25.scores(self.backend.terms(text))[self.columns.live]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """What the proofs of the most similar known theorems use, as `nearest` finds these."""

    nearest: Ranker
    proofs: ProofGraph
    name: str = "neighbours"

    def scores(self, text: str, own: int | None = None) -> Floats:
        """Votes: of each near theorem, for what its proof uses, by how near it is."""
        near = self.nearest.scores(text, own)
        return votes(near, self.proofs, own)


def votes(near: Floats, proofs: ProofGraph, own: int | None = None) -> Floats:
    """float32[documents]: the votes of the nearest known theorems (`retriever.search.votes`), saturated.

    Args:
        near: float32[documents], how near each document is to the query; those at most 0 do not vote.
        proofs: what proofs use.
        own: the document that the query is; its proofs do not vote.
    """
    similar = near[proofs.owners]
    if own is not None:
        similar = np.where(proofs.owners == own, np.float32(0), similar)
    voters = top(similar, _VOTERS, similar > 0)
    voted = proofs.votes(voters, by_similarity(similar[voters], _SHARPNESS))
    saturated: Floats = np.log1p(_SATURATION * voted)
    return saturated


class QueryEncoder(Protocol):
    """The query tower of a trained model, at work."""

    def queries(self, texts: list[str], /) -> Floats:
        """float32[n, d]"""


@dataclass(frozen=True, slots=True)
class Dense:
    """Inner products of a trained model's vectors."""

    encoder: QueryEncoder
    columns: CollectionColumns
    name: str = DENSE

    def scores(self, text: str, own: int | None = None) -> Floats:
        """The product of the query's vector with each document's.

        A graph, where there is one, gives the nearest documents; all others get the mean of their products.
        """
        columns, vector = self.columns, self.encoder.queries([text])[0]
        assert columns.search is not None
        query = columns.search.query(vector)
        if not isinstance(columns.search, HnswSearch) or len(columns) <= _NEAREST:
            return query.scores(columns.live)
        alive = np.zeros(len(columns.search), dtype=np.bool_)
        alive[columns.live] = True
        found = query.top(_NEAREST, alive)
        products = query.scores(found)
        total, rest = float(columns.mean @ vector) * len(columns), len(columns) - len(found)
        scores = np.full(len(columns.search), (total - float(products.sum())) / rest, dtype=np.float32)
        scores[found] = products
        return scores[columns.live]


@dataclass(frozen=True, slots=True)
class Fused:
    """The weighted sum of several."""

    rankers: tuple[Ranker, ...]
    weights: Mapping[str, float]
    """The weight of each ranker, by its name; 0 for others."""
    name: str = "weighted sum"

    def scores(self, text: str, own: int | None = None) -> Floats:
        """Each ranker's scores, levelled, weighted and added."""
        return self.sum(self.lists(text, own))

    def lists(self, text: str, own: int | None = None) -> dict[str, Floats]:
        """Each ranker's scores as they are, by its name."""
        return {ranker.name: ranker.scores(text, own) for ranker in self.rankers}

    def sum(self, lists: Mapping[str, Floats]) -> Floats:
        """float32[documents] The sum of what `lists` gave."""
        weighted = [np.float32(self.weights.get(name, 0)) * levelled(one) for name, one in lists.items()]
        return np.asarray(np.sum(weighted, axis=0), dtype=np.float32)


def levelled(scores: Floats) -> Floats:
    """float32[..., n]: scores with mean 0 over the last axis and 1 at rank `_LEVEL`; 0 where all are equal.

    The first ranks do not decide: the query itself may be there.
    """
    flat = scores.max(axis=-1, keepdims=True) == scores.min(axis=-1, keepdims=True)  # a mean is rounded
    centred = np.where(flat, 0, scores - scores.mean(axis=-1, keepdims=True, dtype=np.float64))
    rank = min(_LEVEL, scores.shape[-1]) - 1
    spread = -np.partition(-centred, rank, axis=-1)[..., rank : rank + 1]
    largest = centred.max(axis=-1, keepdims=True)
    spread = np.where(spread > 0, spread, np.where(largest > 0, largest, 1))
    return np.asarray(centred / spread, dtype=np.float32)


def best(scores: Floats, k: int) -> Sequence[int]:
    """The `k` documents of the highest scores, best first; of two equal ones the first comes first."""
    found: list[int] = np.argsort(-scores, kind="stable")[:k].tolist()
    return found


@dataclass(frozen=True, slots=True)
class RerankedRanker:
    """A ranking whose first documents are read together with the query (section 3.2.2, eqs. (4) and (5))."""

    ranking: Ranker
    reranker: Reranker
    documents: Sequence[Document]
    first: int = DEPTH
    """How many are re-ranked."""
    outside: Bools | None = None
    """bool[documents]: those that are not ranked, and not read."""
    name: str = "re-ranked"

    def scores(self, text: str, own: int | None = None) -> Floats:
        """The ranking's scores, those of its first documents blended with the re-ranker's."""
        return self.again(text, self.ranking.scores(text, own), own)

    def again(self, text: str, scores: Floats, own: int | None = None) -> Floats:
        """float32[documents]: `scores` with the first ones in their new order, still followed by the others.

        Args:
            text: what models read of the query.
            scores: float32[documents], as the ranking gave them.
            own: the document that the query is; it is not read.
        """
        head, floor = self._head(scores, own)
        if not head:
            return scores
        just_above = None if floor is None else float(np.nextafter(floor, np.float32(np.inf)))
        _, mixed = reranked(scores[head], self.logits(text, head), self.reranker.weight, just_above)
        result = scores.copy()
        result[head] = mixed
        return result

    def logits(self, text: str, numbers: Sequence[int]) -> Floats:
        """float32[len(numbers)] The re-ranker's logits alone; NaN for a document without text."""
        return self.reranker.pair_scores(text, [("", self.documents[number].text) for number in numbers])

    def head(self, scores: Floats, own: int | None = None) -> list[int]:
        """The documents that are re-ranked, best first."""
        return self._head(scores, own)[0]

    def _head(self, scores: Floats, own: int | None) -> tuple[list[int], np.float32 | None]:
        """(the first documents, the score of the next one if there is any)."""
        ranked = scores if self.outside is None else np.where(self.outside, -np.inf, scores)
        order = best(ranked, self.first + 2)
        order = [number for number in order if number != own and np.isfinite(ranked[number])]
        rest = order[self.first :]
        return order[: self.first], np.float32(scores[rest[0]]) if rest else None
