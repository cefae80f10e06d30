"""What PostgreSQL would rank: full text search and a table of postings beside our BM25, uses beside our votes.

    python scripts/bench_sql_ranking.py PROJECT STATES [--count 100] [--store ADDRESS]

PROJECT has been indexed with `premise-suggest index`. STATES is a file of traced steps (JSON lines with
`state_before`). Tables are made for the time, in the schema `sql_ranking`, from the index's own columns: full text
search reads the very tokens that BM25 reads, each written as a word of its own.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from bench_postgres import address_of, goals_of

from lean_extract.records import Goal
from lsp_server.engine.stores import model_folder, project_store
from retriever.lean.index.proofs import NEIGHBOURS
from retriever.lean.service import PremiseService
from retriever.lean.snapshot import Snapshot
from retriever.lean.tokens import goal_tokens
from retriever.search.bm25 import Bm25
from retriever.search.top import top
from retriever.search.votes import by_rank

SCHEMA = "sql_ranking"
FIRST = 100
"""How many premises a list has."""
_WORK_MEM = "256MB"


def tables_of(connection: Any, snapshot: Snapshot, weights: Bm25Weights) -> None:
    """Make the tables of texts, postings and uses."""
    connection.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
    connection.execute(f"CREATE SCHEMA {SCHEMA}")
    connection.execute(f"CREATE TABLE {SCHEMA}.texts (document int, words tsvector)")
    with connection.cursor().copy(f"COPY {SCHEMA}.texts FROM STDIN") as copy:
        for document, words in enumerate(weights.texts()):
            copy.write_row((document, words))
    connection.execute(f"CREATE INDEX ON {SCHEMA}.texts USING gin (words)")
    connection.execute(f"CREATE TABLE {SCHEMA}.postings (term int, document int, weight real)")
    with connection.cursor().copy(f"COPY {SCHEMA}.postings FROM STDIN") as copy:
        for term, number in weights.terms.items():
            for document, weight in weights.of(term):
                copy.write_row((number, document, weight))
    connection.execute(f"CREATE INDEX ON {SCHEMA}.postings (term) INCLUDE (document, weight)")
    connection.execute(f"CREATE TABLE {SCHEMA}.uses (proof int, used int, share real)")
    graph = snapshot.proofs
    counts = np.diff(graph.starts)
    proofs = np.repeat(np.arange(len(graph)), counts)
    shares = np.repeat(1 / np.sqrt(np.maximum(counts, 1)), counts)
    with connection.cursor().copy(f"COPY {SCHEMA}.uses FROM STDIN") as copy:
        for row in zip(proofs.tolist(), graph.uses.tolist(), shares.tolist(), strict=True):
            copy.write_row(row)
    connection.execute(f"CREATE INDEX ON {SCHEMA}.uses (proof) INCLUDE (used, share)")
    connection.execute("VACUUM ANALYZE")


class Bm25Weights:
    """What a table of postings holds: for each term the documents, and what each adds to a score."""

    def __init__(self, bm25: Bm25) -> None:
        self._bm25 = bm25
        found = sorted({term for segment in bm25.segments for term in segment.terms})
        self.terms = {term: number for number, term in enumerate(found)}

    def _find(self, term: str) -> Iterator[tuple[int, int]]:
        """(document, frequency) of a term in all segments."""
        base = 0
        for segment in self._bm25.segments:
            documents, frequencies = segment.find(term)
            yield from zip((documents + base).tolist(), frequencies.tolist(), strict=True)
            base += len(segment.lengths)

    def of(self, term: str) -> list[tuple[int, float]]:
        """(document, weight) of a term."""
        scores = self._bm25.scores([term])
        return [(document, float(scores[document])) for document, _ in self._find(term)]

    def texts(self) -> list[str]:
        """The text of each document, as PostgreSQL writes one: `'t17':1,2 't4':3`."""
        words: list[list[str]] = [[] for _ in range(len(self._bm25))]
        lengths = [0] * len(words)
        for term, number in self.terms.items():
            for document, times in self._find(term):
                first = lengths[document] + 1
                lengths[document] += times
                places = range(first, first + min(times, 255))
                words[document].append(f"'t{number}':{','.join(str(min(one, 16383)) for one in places)}")
        return [" ".join(one) for one in words]


class Compared:
    """Lists of ours and of PostgreSQL's, and the time of each."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.shared: list[float] = []
        self.first: list[float] = []
        self.ours: list[float] = []
        self.theirs: list[float] = []

    def add(self, ours: Callable[[], list[int]], theirs: Callable[[], list[int]]) -> None:
        """Ask both."""
        (one, took), (other, took_there) = timed(ours), timed(theirs)
        if not one:
            return
        self.ours.append(took)
        self.theirs.append(took_there)
        self.shared.append(len({*one} & {*other}) / len(one))
        self.first.append(len({*one[:10]} & {*other[:10]}) / len(one[:10]))

    def show(self) -> None:
        """Print a row."""
        print(
            f"{self.name:<28} {100 * statistics.mean(self.first):>7.1f}% {100 * statistics.mean(self.shared):>8.1f}% "
            f"{statistics.median(self.ours):>9.1f} ms {statistics.median(self.theirs):>9.1f} ms "
            f"{statistics.quantiles(self.theirs, n=20)[-1]:>9.1f} ms"
        )


def timed(work: Callable[[], list[int]]) -> tuple[list[int], float]:
    """A list, and its milliseconds."""
    began = time.perf_counter()
    found = work()
    return found, 1000 * (time.perf_counter() - began)


def column(connection: Any, query: str, *values: Any) -> list[int]:
    """The first column of a query's rows."""
    return [row[0] for row in connection.cursor(binary=True).execute(query, values).fetchall()]


def compare(connection: Any, service: PremiseService, goals: list[Goal]) -> None:
    """Ask everything both ways."""
    snapshot = service.snapshot()
    weights = Bm25Weights(snapshot.bm25)
    began = time.perf_counter()
    tables_of(connection, snapshot, weights)
    print(f"tables made in {time.perf_counter() - began:.0f} s")
    for table in ("texts", "postings", "uses"):
        query = "SELECT count(*), pg_total_relation_size(%s::regclass) FROM "
        rows, size = connection.execute(f"{query}{SCHEMA}.{table}", (f"{SCHEMA}.{table}",)).fetchone()
        print(f"{table}: {rows:,} rows, {size / 1e6:.0f} MB")
    connection.execute(f"SET work_mem = '{_WORK_MEM}'")
    names = ("full text search, ts_rank", "postings, the first", "postings, all scores", "uses, the first")
    rows = [Compared(name) for name in names]
    for goal in goals:
        ask(connection, service, weights, goal, rows)
    print(f"{'':<28} {'first 10':>8} {'first 100':>9} {'ours':>12} {'PostgreSQL':>12} {'95th pct.':>12}")
    for one in rows:
        one.show()
    connection.execute(f"DROP SCHEMA {SCHEMA} CASCADE")


def ask(
    connection: Any, service: PremiseService, weights: Bm25Weights, goal: Goal, rows: list[Compared]
) -> None:
    """Ask everything of one goal both ways."""
    snapshot = service.snapshot()
    tokens = sorted(set(goal_tokens(goal)))
    asked = [weights.terms[token] for token in tokens if token in weights.terms]
    words = " | ".join(f"t{term}" for term in asked)
    nearest = snapshot.search.query(service.encoder.encode_state(goal)).top(NEIGHBOURS, snapshot.proofs.known)
    given = by_rank(len(nearest))

    def bm25(k: int = FIRST) -> list[int]:
        scores = snapshot.bm25.scores(tokens)
        return [int(one) for one in top(scores, k, scores > 0)]

    def voted() -> list[int]:
        scores = snapshot.proofs.votes(nearest, given)
        return [int(one) for one in top(scores, FIRST, scores > 0)]

    full_text = (
        f"SELECT document FROM {SCHEMA}.texts WHERE words @@ %s::tsquery "
        f"ORDER BY ts_rank(words, %s::tsquery, 1) DESC, document LIMIT {FIRST}"
    )
    summed = (
        f"SELECT document FROM {SCHEMA}.postings WHERE term = ANY(%s) GROUP BY document "
        "ORDER BY sum(weight) DESC, document"
    )
    votes = (
        f"SELECT used FROM {SCHEMA}.uses JOIN unnest(%s::int[], %s::float8[]) AS voter (proof, weight) "
        f"USING (proof) GROUP BY used ORDER BY sum(share * weight) DESC, used LIMIT {FIRST}"
    )
    text, postings, everything, uses = rows
    text.add(bm25, partial(column, connection, full_text, words, words))
    postings.add(bm25, partial(column, connection, f"{summed} LIMIT {FIRST}", asked))
    everything.add(partial(bm25, len(snapshot.view)), partial(column, connection, summed, asked))
    uses.add(voted, partial(column, connection, votes, nearest.tolist(), given.tolist()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("project", type=Path)
    parser.add_argument("states", type=Path)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--store", default="")
    options = parser.parse_args()
    import psycopg

    folder = model_folder("")
    service = PremiseService.open([project_store(options.project.resolve())], folder)
    with (
        address_of(options.store) as address,
        psycopg.connect(address, autocommit=True) as connection,
    ):
        compare(connection, service, goals_of(options.states, options.count))
    return 0


if __name__ == "__main__":
    sys.exit(main())
