"""A revision's premises in the table: their records, and their neighbours by pgvector's HNSW graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from lean_extract.common.arrays import Bools, Floats, Ids
from lean_extract.common.errors import StoreUnavailable
from lean_extract.common.lru import Cache
from retriever.limits import CACHED_RECORDS, MAX_EF_SEARCH
from retriever.search.index.exact import ExactSearch, NeighbourQuery
from retriever.search.postgres.database import SCHEMA, Database
from retriever.search.postgres.publishing import embedding
from retriever.search.top import top

_NARROWEST = 200
_MORE = 1.2
"""How many times more neighbours are fetched than a filter leaves on average."""


class PremiseTable:
    """The premises of one revision in the table. Safe to use from several threads. All raise StoreUnavailable."""

    def __init__(self, database: Database, revision: int, dimension: int) -> None:
        self._database, self._revision = database, revision
        self.dimension = dimension
        self._records: Cache[bytes] = Cache(CACHED_RECORDS)

    def record(self, document: int) -> bytes:
        """The record of a premise, as JSON."""
        known = self._records.get(document)
        return self._fetched([document])[document] if known is None else known

    def prefetch(self, documents: Iterable[int]) -> None:
        """Fetch the records of premises that are needed next, in one query."""
        if missing := [one for one in dict.fromkeys(documents) if self._records.get(one) is None]:
            self._fetched(missing)

    def _fetched(self, documents: Sequence[int]) -> dict[int, bytes]:
        with self._database.connected() as connection:
            rows = connection.cursor(binary=True).execute(
                f"SELECT document, record FROM {SCHEMA}.premises "
                "WHERE revision_id = %s AND document = ANY(%s) AND record IS NOT NULL",
                (self._revision, list(documents)),
            )
            found = {int(document): bytes(record) for document, record in rows.fetchall()}
        if len(found) < len(documents):
            raise StoreUnavailable(
                "The revision that was read is no longer in the database.",
                "Try again: the newest one is read.",
            )
        for document, record in found.items():
            self._records.put(document, record)
        return found

    def near(self, vector: Floats, k: int) -> Ids:
        """int64[<= k]: the nearest premises by the graph; k is at most `MAX_EF_SEARCH`."""
        literal = "[" + ",".join(f"{value:.6g}" for value in (*vector.tolist(), 0.0)) + "]"
        with self._database.connected() as connection:
            connection.execute(f"SET LOCAL hnsw.ef_search = {max(_NARROWEST, k)}")
            found = (
                connection.cursor(binary=True)
                .execute(
                    f"SELECT document FROM {SCHEMA}.premises WHERE revision_id = {self._revision} "
                    f"ORDER BY {embedding(self.dimension)} <#> %s::halfvec({self.dimension + 1}) "
                    f"LIMIT {int(k)}",
                    (literal,),
                )
                .fetchall()
            )
        return np.array([document for (document,) in found], dtype=np.int64)


class GraphSearch:
    """`NearestNeighbours` over a revision's premises, by the graph in the database.

    What the graph gives is scored by the vectors on this machine. Where a filter leaves it too few, all of these are
    looked at: a graph that is searched further finds less and takes longer (`scripts/benchmarks/databases.py`).

    Args:
        table: the premises.
        exact: the search over the same premises' vectors.
    """

    def __init__(self, table: PremiseTable, exact: ExactSearch) -> None:
        self.table, self.exact = table, exact

    def __len__(self) -> int:
        return len(self.exact)

    def query(self, vector: Floats) -> NeighbourQuery:
        """Begin a query with float32[d]."""
        return _GraphQuery(self, vector)

    def queries(self, vectors: Floats) -> list[NeighbourQuery]:
        """Begin queries with float32[m, d]; a walk through the graph is each query's own."""
        return [self.query(vector) for vector in vectors]


class _GraphQuery:
    def __init__(self, search: GraphSearch, vector: Floats) -> None:
        self._search, self._vector = search, vector

    @cached_property
    def _exact(self) -> NeighbourQuery:
        return self._search.exact.query(self._vector)

    def top(self, k: int, allowed: Bools | None = None) -> Ids:
        count = len(self._search)
        share = 1.0 if allowed is None else np.count_nonzero(allowed) / max(count, 1)
        wanted = min(count, int(_MORE * k / share) + 1) if share else 0
        if 0 < wanted <= MAX_EF_SEARCH:
            ids = self._search.table.near(self._vector, wanted)
            ids = ids if allowed is None else ids[allowed[ids]]
            if len(ids) >= k:
                ids.sort()
                return np.asarray(ids[top(self.scores(ids), k)])
        return self._exact.top(k, allowed)

    def scores(self, ids: Ids) -> Floats:
        return self._exact.scores(ids)
