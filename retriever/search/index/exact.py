"""Exact search by inner product over stored vectors: the reference, and what answers under any filter.

Vectors stay memory-mapped. Those in int8 are widened block by block within the processor's cache, which is as fast
as a float32 matrix in memory and takes none of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

import numpy as np

from lean_extract.common.arrays import Bools, Floats, Ids
from retriever.models.quantise import StoredVectors
from retriever.search.top import top

_BLOCK = 2048


def inner_products(vectors: StoredVectors, scales: Floats, query: Floats) -> Floats:
    """float32[n]: the products of vectors, in rows [n, d] and scales float32[n], with float32[d]."""
    (found,) = _all_inner_products(vectors, scales, query[None])
    return np.asarray(found)


def _all_inner_products(vectors: StoredVectors, scales: Floats, queries: Floats) -> Floats:
    """float32[m, n]: the products with float32[m, d]. Widening costs more than a product, and is done once."""
    result = np.empty((len(queries), len(vectors)), dtype=np.float32)
    buffer = np.empty((min(_BLOCK, len(vectors)), vectors.shape[1]), dtype=np.float32)
    for start in range(0, len(vectors), _BLOCK):
        stop = min(start + _BLOCK, len(vectors))
        block = buffer[: stop - start]
        np.copyto(block, vectors[start:stop], casting="unsafe")
        for row, query in enumerate(queries):
            np.dot(block, query, out=result[row, start:stop])
    result *= scales
    return result


class ExactSearch:
    """Exact search over the vectors of several segments, ids counted on from one to the next."""

    def __init__(self, parts: Sequence[tuple[StoredVectors, Floats]]) -> None:
        self._parts = parts
        self._count = sum(len(scales) for _, scales in parts)

    def __len__(self) -> int:
        return self._count

    def query(self, vector: Floats) -> NeighbourQuery:
        """Begin a query with float32[d]."""
        return self.queries(vector[None])[0]

    def queries(self, vectors: Floats) -> list[NeighbourQuery]:
        """Begin queries with float32[m, d].

        The products of all of them are computed when the nearest of one are first needed.
        """
        batch = _ExactBatch(self._parts, vectors)
        return [_ExactQuery(batch, row) for row in range(len(vectors))]


class _ExactBatch:
    """The products of several queries, float32[m, d], computed in one pass over the vectors."""

    def __init__(self, parts: Sequence[tuple[StoredVectors, Floats]], queries: Floats) -> None:
        self._parts = parts
        self._queries = queries

    @cached_property
    def _all(self) -> Floats:
        found = [_all_inner_products(vectors, scales, self._queries) for vectors, scales in self._parts]
        return np.concatenate([np.zeros((len(self._queries), 0), dtype=np.float32), *found], axis=1)

    def all_of(self, row: int) -> KnownProducts:
        return KnownProducts(self._all[row])

    def scores(self, row: int, ids: Ids) -> Floats:
        if "_all" in self.__dict__:
            return self.all_of(row).scores(ids)
        return products_of(self._parts, ids, self._queries[row])


class _ExactQuery:
    def __init__(self, batch: _ExactBatch, row: int) -> None:
        self._batch = batch
        self._row = row

    def top(self, k: int, allowed: Bools | None = None) -> Ids:
        return self._batch.all_of(self._row).top(k, allowed)

    def scores(self, ids: Ids) -> Floats:
        return self._batch.scores(self._row, ids)


def products_of(parts: Sequence[tuple[StoredVectors, Floats]], ids: Ids, vector: Floats) -> Floats:
    """float32[len(ids)]: the inner products of some vectors alone, ids counted on from one part to the next."""
    result = np.empty(len(ids), dtype=np.float32)
    start = 0
    for vectors, scales in parts:
        here = (ids >= start) & (ids < start + len(scales))
        local = ids[here] - start
        result[here] = inner_products(vectors[local], scales[local], vector)
        start += len(scales)
    return result


class KnownProducts:
    """A query whose inner products with all n vectors are known, float32[n]."""

    def __init__(self, products: Floats) -> None:
        self._products = products

    def top(self, k: int, allowed: Bools | None = None) -> Ids:
        """int64[<= k]: the nearest among `allowed`, best first."""
        return top(self._products, k, allowed)

    def scores(self, ids: Ids) -> Floats:
        """float32[len(ids)]: the products of these."""
        return self._products[ids]


class NeighbourQuery(Protocol):
    """One query at work; what several calls share is computed only once."""

    def top(self, k: int, allowed: Bools | None = None) -> Ids:
        """int64[<= k]: the nearest premises among `allowed` (bool[n]; None: all), best first."""

    def scores(self, ids: Ids) -> Floats:
        """float32[len(ids)]: inner products of these premises' vectors with the query's."""


class NearestNeighbours(Protocol):
    """Search by inner product over n vectors."""

    def __len__(self) -> int: ...

    def query(self, vector: Floats) -> NeighbourQuery:
        """Begin a query with float32[d]."""

    def queries(self, vectors: Floats) -> list[NeighbourQuery]:
        """Begin m queries with float32[m, d] that share what can be computed for all of them at once."""
