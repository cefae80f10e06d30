"""Exact search by inner product over stored vectors: the reference, and what answers under any filter.

Vectors stay memory-mapped. Those in int8 are widened block by block within the processor's cache, which is as fast
as a float32 matrix in memory and takes none of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from retriever.models.quantise import StoredVectors
from retriever.search.index.neighbours import Bools, Floats, Ids, NeighbourQuery
from retriever.search.top import top

_BLOCK = 2048


def inner_products(vectors: StoredVectors, scales: Floats, query: Floats) -> Floats:
    """float32[n]: the products of vectors, in rows [n, d] and scales float32[n], with float32[d]."""
    result = np.empty(len(vectors), dtype=np.float32)
    buffer = np.empty((min(_BLOCK, len(vectors)), vectors.shape[1]), dtype=np.float32)
    for start in range(0, len(vectors), _BLOCK):
        stop = min(start + _BLOCK, len(vectors))
        block = buffer[: stop - start]
        np.copyto(block, vectors[start:stop], casting="unsafe")
        np.dot(block, query, out=result[start:stop])
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
        """Begin a query with float32[d]; all products are computed when the nearest are first asked for."""
        return _ExactQuery(self._parts, vector)


class _ExactQuery:
    def __init__(self, parts: Sequence[tuple[StoredVectors, Floats]], vector: Floats) -> None:
        self._parts = parts
        self._vector = vector

    @cached_property
    def _all(self) -> KnownProducts:
        found = [inner_products(vectors, scales, self._vector) for vectors, scales in self._parts]
        return KnownProducts(np.concatenate([np.zeros(0, dtype=np.float32), *found]))

    def top(self, k: int, allowed: Bools | None = None) -> Ids:
        return self._all.top(k, allowed)

    def scores(self, ids: Ids) -> Floats:
        return (
            self._all.scores(ids) if "_all" in self.__dict__ else products_of(self._parts, ids, self._vector)
        )


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
