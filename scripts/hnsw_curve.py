"""HNSW against exact search on real embeddings: recall@10 and milliseconds a query, over ef.

    python scripts/hnsw_curve.py DATASET [--model FOLDER] [--cache FOLDER] [--queries N]
        [--m 16 32] [--ef 16 32 ... 800] [--svg FILE] [--json FILE]

DATASET is a folder of `python -m retriever dataset`; its corpus is embedded once (kept in --cache),
its valid statements ask. Both searches see the same int8 vectors, so what is measured is the graph alone.
One row a width, and which is the smallest that reaches the goal; `retriever.search.index.hnsw`'s default is marked.
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

import numpy as np
from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).resolve().parent))

from hnsw_svg import curve_svg
from real_vectors import Floats, real_vectors

from lean_extract.errors import PremiseSuggestError
from lean_extract.telling import pip_install
from retriever.lean.index import bundled
from retriever.models.quantise import quantise
from retriever.search.index import hnsw
from retriever.search.index.exact import ExactSearch
from retriever.search.index.neighbours import NearestNeighbours

WIDTHS = (16, 32, 64, 100, 150, 200, 300, 400, 600, 800)
GOAL = 0.99
K = 10
_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class Point:
    """One width of one graph."""

    m: int
    ef: int
    recall: float
    """Share of the ten nearest that are found; one as near as the tenth counts (equal statements tie)."""
    milliseconds: float
    """Median of a query, on one thread."""


def curve(
    vectors: Floats, states: Floats, links: Sequence[int], widths: Sequence[int]
) -> tuple[list[Point], float]:
    """The points of every graph, and exact search's median milliseconds."""
    stored, scales = quantise(vectors)
    exact, milliseconds = ask(ExactSearch([(stored, scales)]), states)
    points = []
    for m in links:
        parameters = hnsw.HnswParameters(m=m)
        with tempfile.TemporaryDirectory() as folder, tqdm(total=len(stored), desc=f"M {m}") as bar:

            def tell(done: int, bar: tqdm = bar) -> bool:
                bar.update(done - bar.n)
                return True

            hnsw.build_graph(Path(folder), stored, scales, parameters, tell)
            for ef in widths:
                found, median = ask(hnsw.open_search([(Path(folder), stored, scales)], ef), states)
                points.append(Point(m, ef, recall(found, exact), median))
    return points, milliseconds


def ask(search: NearestNeighbours, states: Floats) -> tuple[list[Floats], float]:
    """The scores of every state's K nearest, and the median milliseconds of a search."""
    found, times = [], []
    for state in states:
        started = time.perf_counter()
        query = search.query(state)
        ids = query.top(K)
        times.append(1000 * (time.perf_counter() - started))
        found.append(query.scores(ids))
    return found, statistics.median(times)


def recall(found: Sequence[Floats], exact: Sequence[Floats]) -> float:
    """The mean share of the K places that hold something as near as the K-th nearest is."""
    hits = [
        np.count_nonzero(scores >= best.min() - _ROUNDING) for scores, best in zip(found, exact, strict=True)
    ]
    return float(np.mean(hits)) / K


def table(points: Sequence[Point], exact: float) -> str:
    """The curve as Markdown."""
    default = hnsw.HnswParameters()
    lines = ["| M | ef | recall@10 | ms a query | |", "|---|---|---|---|---|"]
    for point in points:
        mark = "the default" if (point.m, point.ef) == (default.m, default.ef) else ""
        lines.append(f"| {point.m} | {point.ef} | {point.recall:.4f} | {point.milliseconds:.2f} | {mark} |")
    return "\n".join([*lines, f"| | exact | 1 | {exact:.2f} | |"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--model", type=Path, default=bundled.DATA.parent / "encoder")
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--m", type=int, nargs="+", default=[hnsw.HnswParameters().m, 32])
    parser.add_argument("--ef", type=int, nargs="+", default=list(WIDTHS))
    parser.add_argument("--svg", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if not hnsw.available():
        print(f"error: hnswlib is not installed.\nhint: {pip_install('hnsw')}", file=sys.stderr)
        return 1
    try:
        real = real_vectors(options.model, options.dataset, options.cache, limit=options.queries)
    except PremiseSuggestError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    points, exact = curve(real.premises, real.states, options.m, options.ef)
    n, d = real.premises.shape
    title = f"{n:,} premises, {d} dimensions, {len(real.states):,} states"
    print(f"{title}; dataset {real.dataset.manifest.digest[:16]}\n\n{table(points, exact)}\n")
    for m in options.m:
        good = [point.ef for point in points if point.m == m and point.recall >= GOAL]
        print(f"M {m}: " + (f"ef {min(good)} is the first to reach {GOAL}" if good else f"never {GOAL}"))
    if options.svg:
        options.svg.write_text(
            curve_svg([(p.m, p.ef, p.recall) for p in points], GOAL, title), encoding="utf-8"
        )
    if options.json:
        document = {"title": title, "exact_ms": exact, "points": [asdict(point) for point in points]}
        options.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
