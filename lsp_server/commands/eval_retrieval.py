"""`premise-suggest eval retrieval`: measures how well each ranking, and their fusion, finds documents."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path

from lean_extract.common.errors import BadSource, UserError
from lean_extract.common.files.reading import is_there
from lean_extract.common.nearest import path_meant
from lsp_server.commands.common import named, print_json
from lsp_server.engine.collections import towers_for
from retriever.metrics.bootstrap import Interval
from retriever.models.reranker import DEPTH
from retriever.search.backend import Collection
from retriever.search.backends import find_backend
from retriever.search.collections.index import fused_for_evaluation, reranked_of
from retriever.search.collections.measure import measure, outside_of, questions_of


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    backend = find_backend(options.backend)
    source: Path = options.data
    if not is_there(source):
        raise BadSource(
            f"There is no file or folder {named(source)}.", path_meant(source) or "Check the path."
        )
    _, towers = towers_for(backend.name, options.model, download=options.download)
    collection = backend.read(source)
    quiet = options.quiet or not sys.stderr.isatty()
    fused = fused_for_evaluation(backend, collection, towers)
    first = DEPTH if options.rerank is None else options.rerank
    reranked = reranked_of(fused, collection.documents, towers, first, outside_of(collection, options.part))
    if options.rerank and reranked is None:
        raise UserError("The model has no re-ranker.", "Leave --rerank out, or give another --model.")
    rows = {
        ranker.name: measure(backend, collection, ranker, options.part, seed=options.seed, quiet=quiet)
        for ranker in (*fused.rankers, fused, *([reranked] if reranked else []))
    }
    questions = len(questions_of(collection, options.part))
    if options.json:
        print_json(_to_json(rows, collection, options.part, questions))
    else:
        print(f"{source.name} ({backend.name}), data {collection.digest[:12]}")
        print(f"{options.part}: {questions:,} questions, {len(collection.pools[options.part]):,} documents")
        print(_table(rows))
    return 0


def _table(rows: dict[str, dict[str, Interval]]) -> str:
    columns = list(next(iter(rows.values())))
    width = max(map(len, rows))
    lines = [" " * width + "".join(f"{column:>22}" for column in columns)]
    for name, figures in rows.items():
        cells = [f"{figures[column].mean:.1f}" for column in columns]
        ranges = [f"({figures[column].low:.1f}–{figures[column].high:.1f})" for column in columns]
        lines.append(
            name.ljust(width) + "".join(f"{c:>8} {r:>13}" for c, r in zip(cells, ranges, strict=True))
        )
    return "\n".join(lines)


def _to_json(
    rows: dict[str, dict[str, Interval]], collection: Collection, part: str, questions: int
) -> dict[str, object]:
    return {
        "data": collection.digest,
        "part": part,
        "questions": questions,
        "rows": {
            name: {column: asdict(interval) for column, interval in figures.items()}
            for name, figures in rows.items()
        },
    }
