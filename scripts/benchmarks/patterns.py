"""Times pattern search on an index that has statements.

INDEX is the folder of an index, such as one below `packages/` in the cache. Medians of whole searches, 16 premises
listed; the memory is that of the columns of trees, which are mapped files, read whole by each search.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from retriever.lean.pattern_search import pattern_search
from retriever.lean.service import PremiseService
from retriever.search.index.store import IndexStore
from scripts.benchmarks.harness import ENCODER, Row, Stopwatch, add_json, add_timing, show

PATTERNS = (
    "?a * _ ≤ ?b * _",
    "_ * _ ≤ _ * _",
    "?a + ?b = ?b + ?a",
    "0 ≤ ?a → ?b ≤ ?c → ?a * ?b ≤ ?a * ?c",
    "?f (_ + _) = ?f _ + ?f _",
    "∑ i ∈ _, ?f i * ?g i",
    "deriv (fun x => _ * _)",
    "‖_ + _‖ ≤ _",
    'Real.sin, "add"',
    "_ = _",
    "_ → _ = _",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("index", type=Path)
    add_timing(parser, 20)
    add_json(parser)


def run(options: argparse.Namespace) -> None:
    watch = Stopwatch.of(options)
    service = PremiseService.open([IndexStore(options.index)], ENCODER)
    segments = service.snapshot().view.segments
    trees = [segment.tables.trees for segment in segments if segment.tables.trees is not None]
    size = sum(array.nbytes for one in trees for array in (one.starts, one.heads, one.sizes))
    rows: list[Row] = [
        ("statements", float(sum(len(one) for one in trees)), ""),
        ("symbols", float(sum(len(one.heads) for one in trees)), ""),
        ("columns", size / 1e6, "MB"),
    ]
    for pattern in PATTERNS:
        search = partial(pattern_search, service, pattern, k=16)
        search()
        rows.append((pattern, watch.median_ms(search), "ms"))
    show(rows, options.json)
