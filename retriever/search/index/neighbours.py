"""The one Protocol behind which exact and approximate nearest-neighbour search stand."""

from __future__ import annotations

from typing import Protocol

from lean_extract.common.arrays import Bools, Floats, Ids


class NeighbourQuery(Protocol):
    """One query at work; asked several times, it computes what is shared only once."""

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
