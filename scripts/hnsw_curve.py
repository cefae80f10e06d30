"""HNSW against exact search on real embeddings: recall@k and milliseconds a query, over ef.

    python scripts/hnsw_curve.py DATASET [--model FOLDER] [--cache FOLDER] [--queries N] [--library usearch]
        [--k 10] [--m 16 32] [--ef 16 32 ... 800] [--svg FILE] [--json FILE]

DATASET is a folder of `python -m retriever dataset`; its corpus is embedded once (kept in --cache),
its valid statements ask. Both searches see the same int8 vectors, so what is measured is the graph alone.
One row a width, and which is the smallest that reaches the goal; `retriever.search.index.hnsw`'s default is marked.
Times are CPU time on one thread. With ef at most 1.5 k, `HnswSearch` searches exactly.
`--library` measures usearch instead of hnswlib, with float32 or int8 vectors.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

# Before usearch: in the other order the process ends by a segmentation fault (usearch 2.26, onnxruntime 1.32).
import onnxruntime  # noqa: F401

from lean_extract.common.arrays import Int8s

sys.path.insert(0, str(Path(__file__).resolve().parent))

from real_vectors import Floats, real_vectors
from usearch_graph import UsearchGraph

from lean_extract.common.errors import PremiseSuggestError
from lean_extract.common.extras import import_extra
from retriever.lean.index import bundled
from retriever.metrics.charts import LinePanel, PlotLine, line_chart, require_charts
from retriever.models.quantise import quantise
from retriever.search.index import hnsw
from retriever.search.index.exact import ExactSearch
from retriever.search.index.neighbours import NearestNeighbours

WIDTHS = (16, 32, 64, 100, 150, 200, 300, 400, 600, 800)
GOAL = 0.99
LIBRARIES = ("hnswlib", "usearch", "usearch-i8")
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


def build(library: str, stored: Int8s, scales: Floats, m: int) -> Built:
    """A library's graph over these vectors."""
    parameters = hnsw.HnswParameters(m=m)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        started = time.process_time()
        if library == "hnswlib":
            hnsw.build_graph(folder, stored, scales, parameters)
            graph: Any = hnsw.load_graph(folder, *stored.shape)
        else:
            graph = UsearchGraph.build(stored, scales, parameters, "i8" if library == "usearch-i8" else "f32")
            graph.save(folder / hnsw.GRAPH)
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--model", type=Path, default=bundled.DATA.parent / "encoder")
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--library", choices=LIBRARIES, default=LIBRARIES[0])
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--m", type=int, nargs="+", default=[hnsw.HnswParameters().m, 32])
    parser.add_argument("--ef", type=int, nargs="+", default=list(WIDTHS))
    parser.add_argument("--svg", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    try:
        extra = "hnsw" if options.library == "hnswlib" else "bench"
        import_extra(options.library.partition("-")[0], extra, "A graph")
        if options.svg:
            require_charts()
        real = real_vectors(options.model, options.dataset, options.cache, limit=options.queries)
    except PremiseSuggestError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    columns = quantise(real.premises)
    scores, exact = ask(ExactSearch([columns]), real.states, options.k)
    points = []
    for m in options.m:
        built = build(options.library, *columns, m)
        print(f"M {m}: {options.library}, {built.seconds:.0f} s to build, {built.megabytes:.1f} MB")
        points += curve(built, m, columns, real.states, options.ef, Found(options.k, scores))
    n, d = real.premises.shape
    title = f"{n:,} premises, {d} dimensions, {len(real.states):,} states"
    print(f"{title}; dataset {real.dataset.manifest.digest[:16]}\n\n{table(points, exact, options.k)}\n")
    for m in options.m:
        good = [point.ef for point in points if point.m == m and point.recall >= GOAL]
        print(f"M {m}: " + (f"ef {min(good)} is the first to reach {GOAL}" if good else f"never {GOAL}"))
    if options.svg:
        options.svg.write_text(picture(points, options.k, title), encoding="utf-8")
    if options.json:
        document = {"title": title, "exact_ms": exact, "points": [asdict(point) for point in points]}
        options.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
