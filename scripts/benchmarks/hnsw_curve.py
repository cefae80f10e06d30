"""HNSW against exact search on real embeddings: recall@k and milliseconds a query, over ef.

The corpus of DATASET is embedded once (kept in --cache); its valid statements ask. Both searches see the same int8
vectors, so what is measured is the graph alone. One row a width, and which is the smallest that reaches the goal;
`retriever.search.index.hnsw`'s default is marked. Times are CPU time on one thread. With ef at most 1.5 k,
`HnswSearch` searches exactly.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lean_extract.common.arrays import Floats, Int8s
from lean_extract.common.terminal_text import import_extra
from retriever.metrics.charts import LinePanel, PlotLine, line_chart, require_charts
from retriever.models.quantise import quantise
from retriever.search.index import hnsw
from retriever.search.index.exact import ExactSearch, NearestNeighbours
from scripts.benchmarks.harness import write_json
from scripts.benchmarks.vectors import add_vector_arguments, real_vectors

WIDTHS = (16, 32, 64, 100, 150, 200, 300, 400, 600, 800)
GOAL = 0.99
_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class Point:
    """One width of one graph."""

    m: int
    ef: int
    recall: float
    """Share of the k nearest that are found; one as near as the k-th counts (equal statements tie)."""
    milliseconds: float
    """Median CPU time of a query."""


@dataclass(frozen=True, slots=True)
class Found:
    """What exact search finds."""

    k: int
    scores: Sequence[Floats]
    """Of each state's k nearest."""


@dataclass(frozen=True, slots=True)
class Built:
    """A graph, and what it cost."""

    graph: Any
    seconds: float
    """CPU time of building it."""
    megabytes: float
    """Of its file."""


def build(stored: Int8s, scales: Floats, m: int) -> Built:
    """The graph over these vectors."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        started = time.process_time()
        hnsw.build_graph(folder, stored, scales, hnsw.HnswParameters(m=m))
        graph = hnsw.load_graph(folder, *stored.shape)
        return Built(graph, time.process_time() - started, (folder / hnsw.GRAPH).stat().st_size / 1e6)


def curve(
    built: Built, m: int, columns: tuple[Int8s, Floats], states: Floats, widths: Sequence[int], best: Found
) -> list[Point]:
    """A graph's points; `best` is what exact search finds for the same states."""
    points = []
    for ef in widths:
        found, median = ask(hnsw.HnswSearch([(*columns, built.graph)], ef), states, best.k)
        points.append(Point(m, ef, recall(found, best.scores, best.k), median))
    return points


def ask(search: NearestNeighbours, states: Floats, k: int) -> tuple[list[Floats], float]:
    """The scores of every state's k nearest, and the median milliseconds of a search."""
    found, times = [], []
    for state in states:
        started = time.process_time()
        query = search.query(state)
        ids = query.top(k)
        times.append(1000 * (time.process_time() - started))
        found.append(query.scores(ids))
    return found, statistics.median(times)


def recall(found: Sequence[Floats], exact: Sequence[Floats], k: int) -> float:
    """The mean share of the k positions that hold something as near as the k-th nearest is."""
    hits = [
        np.count_nonzero(scores >= best.min() - _ROUNDING) for scores, best in zip(found, exact, strict=True)
    ]
    return float(np.mean(hits)) / k


def table(points: Sequence[Point], exact: float, k: int) -> str:
    """The curve as Markdown."""
    default = hnsw.HnswParameters()
    lines = [f"| M | ef | recall@{k} | ms a query | |", "|---|---|---|---|---|"]
    for point in points:
        mark = "the default" if (point.m, point.ef) == (default.m, default.ef) else ""
        lines.append(f"| {point.m} | {point.ef} | {point.recall:.4f} | {point.milliseconds:.2f} | {mark} |")
    return "\n".join([*lines, f"| | exact | 1 | {exact:.2f} | |"])


def picture(points: Sequence[Point], k: int, title: str) -> str:
    """Recall over ef, a line a graph, as SVG."""
    lines = [
        PlotLine(f"M = {m}", sorted((float(point.ef), point.recall) for point in points if point.m == m))
        for m in sorted({point.m for point in points})
    ]
    ticks = sorted({float(point.ef) for point in points})
    axes = ("ef (width of the search)", f"recall@{k}", ticks)
    return line_chart([LinePanel(title, lines, *axes, is_log=True, starts_at_zero=False, goal=GOAL)])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_vector_arguments(parser)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--m", type=int, nargs="+", default=[hnsw.HnswParameters().m, 32])
    parser.add_argument("--ef", type=int, nargs="+", default=list(WIDTHS))
    parser.add_argument("--svg", type=Path, metavar="FILE")


def run(options: argparse.Namespace) -> None:
    import_extra("hnswlib", "hnsw", "A graph")
    if options.svg:
        require_charts()
    real = real_vectors(options)
    columns = quantise(real.premises)
    scores, exact = ask(ExactSearch([columns]), real.states, options.k)
    points = []
    for m in options.m:
        built = build(*columns, m)
        print(f"M {m}: hnswlib, {built.seconds:.0f} s to build, {built.megabytes:.1f} MB")
        points += curve(built, m, columns, real.states, options.ef, Found(options.k, scores))
    n, d = real.premises.shape
    title = f"{n:,} premises, {d} dimensions, {len(real.states):,} states"
    print(f"{title}; dataset {real.dataset.manifest.digest[:16]}\n\n{table(points, exact, options.k)}\n")
    for m in options.m:
        good = [point.ef for point in points if point.m == m and point.recall >= GOAL]
        print(f"M {m}: " + (f"ef {min(good)} is the first to reach {GOAL}" if good else f"never {GOAL}"))
    if options.svg:
        options.svg.write_text(picture(points, options.k, title), encoding="utf-8")
    points_json = [asdict(point) for point in points]
    write_json({"title": title, "exact_ms": exact, "points": points_json}, options.json)
