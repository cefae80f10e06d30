"""usearch's graph behind the two methods of hnswlib's that `retriever.search.index.hnsw.HnswSearch` calls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lean_extract.common.arrays import Floats, Int8s
from retriever.search.index import hnsw

_BLOCK = 4096


class UsearchGraph:
    """A graph over rows of length 1 (`hnsw.lengthened`), on one thread.

    Args:
        dimension: of the rows.
        parameters: as hnswlib's; usearch has the same ones under other names.
        dtype: what usearch keeps of a number: `f32`, or `i8`.
    """

    def __init__(self, dimension: int, parameters: hnsw.HnswParameters, dtype: str) -> None:
        from usearch.index import Index

        self._index: Any = Index(
            ndim=dimension,
            metric="cos" if dtype == "i8" else "ip",
            dtype=dtype,
            connectivity=parameters.m,
            expansion_add=parameters.ef_construction,
        )

    @classmethod
    def build(
        cls, vectors: Int8s, scales: Floats, parameters: hnsw.HnswParameters, dtype: str
    ) -> UsearchGraph:
        """A graph over a segment's vectors, int8[n, d] with float32[n]."""
        graph = cls(vectors.shape[1] + 1, parameters, dtype)
        for start in range(0, len(vectors), _BLOCK):
            stop = min(start + _BLOCK, len(vectors))
            block = hnsw.lengthened(vectors[start:stop].astype(np.float32) * scales[start:stop, None])
            graph._index.add(np.arange(start, stop), block, threads=1)
        return graph

    def save(self, path: Path) -> None:
        """Write it to a file."""
        self._index.save(str(path))

    def set_ef(self, ef: int) -> None:
        """How wide a search is."""
        self._index.expansion_search = ef

    def knn_query(
        self, queries: Floats, k: int, num_threads: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """(int64[1, k], float32[1, k]): the numbers and distances of the rows nearest to float32[1, d]."""
        found = self._index.search(queries[0], k, threads=num_threads)
        return found.keys.astype(np.int64)[None, :], np.asarray(found.distances, dtype=np.float32)[None, :]
