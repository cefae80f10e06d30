"""Neighbours among a revision's premises, by pgvector's HNSW graph; their vectors and records, by their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from lean_extract.errors import StoreUnavailable
from lean_extract.lru import Cache
from retriever.search.index.exact import inner_products
from retriever.search.index.neighbours import Bools, Floats, Ids, NeighbourQuery
from retriever.search.postgres.database import SCHEMA, Database
from retriever.search.postgres.publishing import embedding
from retriever.search.top import top

_WIDEST = 1000
"""The widest search that pgvector allows (`hnsw.ef_search`); for more it goes on from there."""
_NARROWEST = 200
_MOST_BY_GRAPH = 10_000
"""For more premises than this, all are looked at."""
_MORE = 1.2
"""So many times more are asked for than a filter leaves on average."""
_CACHED = 4

Rows = tuple[npt.NDArray[Any], Floats]
"""Stored vectors [m, d] and their scales, float32[m]."""


class PremiseTable:
    """The premises of one revision in the table. Safe to use from several threads. All raise StoreUnavailable."""

    def __init__(self, database: Database, revision: int, count: int, dimension: int) -> None:
        self._database, self._revision = database, revision
        self.count, self.dimension = count, dimension
        self._fetched: Cache[Rows] = Cache(_CACHED)

    def records(self, documents: Sequence[int]) -> dict[int, bytes]:
        """The records of premises, as JSON."""
        with self._database.connected() as connection:
            found = connection.execute(
                f"SELECT document, record FROM {SCHEMA}.premises "
                "WHERE revision_id = %s AND document = ANY(%s) AND record IS NOT NULL",
                (self._revision, list(documents)),
            ).fetchall()
        if len(found) < len(set(documents)):
            raise self._gone()
        return {int(document): bytes(record) for document, record in found}

    def vectors(self, ids: Ids) -> Rows:
        """The vectors of premises as they are stored, in the order of `ids`."""
        return self._fetched.get_or_make(ids.tobytes(), lambda: self._fetch(ids))

    def _fetch(self, ids: Ids) -> Rows:
        with self._database.connected() as connection:
            cursor = connection.cursor(binary=True)
            found = cursor.execute(
                f"SELECT document, vector, scale FROM {SCHEMA}.premises "
                "WHERE revision_id = %s AND document = ANY(%s)",
                (self._revision, ids.tolist()),
            ).fetchall()
        by_document = {document: (vector, scale) for document, vector, scale in found}
        try:
            chosen = [by_document[document] for document in ids.tolist()]
        except KeyError as error:
            raise self._gone() from error
        scales = np.array([scale for _, scale in chosen], dtype=np.float32)
        size = len(chosen[0][0]) if chosen else self.dimension
        kind: Any = np.int8 if size == self.dimension else np.float32
        rows = np.frombuffer(b"".join(vector for vector, _ in chosen), dtype=kind)
        return rows.reshape(len(chosen), self.dimension), scales

    def _gone(self) -> StoreUnavailable:
        return StoreUnavailable(
            "The revision that was read has gone from the database.", "Ask again: the newest one is read."
        )

    def near(self, vector: Floats, k: int, modules: Sequence[int] | None, *, is_exact: bool) -> Ids:
        """int64[<= k]: the nearest premises, of these modules if they are given; by the graph, or exactly."""
        asked = "[" + ",".join(f"{value:.6g}" for value in (*vector.tolist(), 0.0)) + "]"
        column = embedding(self.dimension)
        where = "" if modules is None else " AND module_number = ANY(%(modules)s)"
        width = min(_WIDEST, max(_NARROWEST, k))
        with self._database.connected() as connection:
            distance = f"{column} <#> %(asked)s::halfvec({self.dimension + 1})"
            if is_exact:
                distance = f"({distance}) + 0"  # which the graph does not order by
            else:
                connection.execute(
                    f"SET LOCAL hnsw.ef_search = {width}; SET LOCAL hnsw.iterative_scan = relaxed_order; "
                    f"SET LOCAL hnsw.max_scan_tuples = {max(20_000, 4 * k)}"
                )
            found = (
                connection.cursor(binary=True)
                .execute(
                    f"SELECT document FROM {SCHEMA}.premises WHERE revision_id = {self._revision}{where} "
                    f"ORDER BY {distance} LIMIT {int(k)}",
                    {"asked": asked, "modules": None if modules is None else list(modules)},
                )
                .fetchall()
            )
        return np.array([document for (document,) in found], dtype=np.int64)


class DatabaseSearch:
    """`NearestNeighbours` over a revision's premises.

    Args:
        table: the premises.
        modules: int32[n], the number of each premise's module.
    """

    def __init__(self, table: PremiseTable, modules: npt.NDArray[np.int32]) -> None:
        self.table, self.modules = table, modules

    def __len__(self) -> int:
        return self.table.count

    def query(self, vector: Floats) -> NeighbourQuery:
        """Begin a query with float32[d]."""
        return _DatabaseQuery(self, vector)

    def queries(self, vectors: Floats) -> list[NeighbourQuery]:
        """Begin queries with float32[m, d]."""
        return [self.query(vector) for vector in vectors]


class _DatabaseQuery:
    def __init__(self, search: DatabaseSearch, vector: Floats) -> None:
        self._search, self._vector = search, vector

    def top(self, k: int, allowed: Bools | None = None) -> Ids:
        table = self._search.table
        share = 1.0 if allowed is None else np.count_nonzero(allowed) / max(table.count, 1)
        if not share:
            return np.zeros(0, dtype=np.int64)
        wanted = min(table.count, int(_MORE * k / share) + 1)
        modules = None
        if wanted > _MOST_BY_GRAPH and allowed is not None:  # what modules leave out need not be fetched
            modules = np.unique(self._search.modules[allowed]).tolist()
            wanted = min(table.count, int(_MORE * k / self._share_within(modules, allowed)) + 1)
        attempts = [(width, False) for width in (wanted, 4 * wanted) if width <= _MOST_BY_GRAPH]
        ids = np.zeros(0, dtype=np.int64)
        for width, is_exact in dict.fromkeys((*attempts, (wanted, True), (table.count, True))):
            ids = table.near(self._vector, width, modules, is_exact=is_exact)
            ids = ids if allowed is None else ids[allowed[ids]]
            if len(ids) >= k:
                break
        ids = np.sort(ids[: 2 * k])  # nearest first, but for the rounding of the database's vectors
        return np.asarray(ids[top(self.scores(ids), k)])

    def _share_within(self, modules: Iterable[int], allowed: Bools) -> float:
        within = np.isin(self._search.modules, list(modules))
        return np.count_nonzero(allowed) / max(int(np.count_nonzero(within)), 1)

    def scores(self, ids: Ids) -> Floats:
        rows, scales = self._search.table.vectors(np.asarray(ids, dtype=np.int64))
        return inner_products(rows, scales, self._vector)
