"""One search over segments that are searched in different ways: files here, a revision in a database."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from lean_extract.common.arrays import Bools, Floats, Ids
from retriever.search.index.neighbours import NearestNeighbours, NeighbourQuery
from retriever.search.index.segment import Segment
from retriever.search.top import top


def search_over(segments: Sequence[Segment]) -> NearestNeighbours:
    """The search over segments, numbered through."""
    groups = [list(those) for _, those in groupby(segments, key=lambda one: one.searched_with)]
    found = [those[0].search_over(those) for those in groups]
    if len(found) == 1:
        return found[0]
    return JoinedSearch(found) if found else Segment.search_over(())


class JoinedSearch:
    """`NearestNeighbours` over several, ids counted on from one to the next."""

    def __init__(self, parts: Sequence[NearestNeighbours]) -> None:
        self.parts = parts
        self.bounds = np.cumsum([0, *map(len, parts)]).tolist()

    def __len__(self) -> int:
        return int(self.bounds[-1])

    def query(self, vector: Floats) -> NeighbourQuery:
        """Begin a query with float32[d]."""
        return _JoinedQuery([part.query(vector) for part in self.parts], self.bounds)

    def queries(self, vectors: Floats) -> list[NeighbourQuery]:
        """Begin queries with float32[m, d]."""
        of_parts = [part.queries(vectors) for part in self.parts]
        return [_JoinedQuery(list(those), self.bounds) for those in zip(*of_parts, strict=True)]


class _JoinedQuery:
    def __init__(self, parts: Sequence[NeighbourQuery], bounds: Sequence[int]) -> None:
        self._parts, self._bounds = parts, bounds

    def top(self, k: int, allowed: Bools | None = None) -> Ids:
        found: list[Ids] = [np.zeros(0, dtype=np.int64)]
        for part, start, stop in zip(self._parts, self._bounds, self._bounds[1:], strict=False):
            found.append(part.top(k, None if allowed is None else allowed[start:stop]) + start)
        ids = np.sort(np.concatenate(found))
        return np.asarray(ids[top(self.scores(ids), k)])

    def scores(self, ids: Ids) -> Floats:
        result = np.empty(len(ids), dtype=np.float32)
        for part, start, stop in zip(self._parts, self._bounds, self._bounds[1:], strict=False):
            here = (ids >= start) & (ids < stop)
            result[here] = part.scores(ids[here] - start)
        return result
