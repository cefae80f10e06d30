"""Hold trained runs against each other on a collection (NaturalProofs, Tables 5, 7 and 17).

python -m retriever evaluate-collection DATASET [RUN ...] [--backend NAME]
    [--part valid|test|both|all] [--lexical] [--fuse] [--encodings RUN] [--plain] [--seed N] [--json FILE]

DATASET is what the backend reads. It may be another than a run was trained on (Table 7: zero-shot); --part
all takes every question, and every document as a candidate. Three protocols are printed. In the paper's a
theorem is among its own candidates; in ours it is not. The paper's joint and autoregressive models rank only
what the proofs of training, validation and test refer to (their output vocabulary is made of these), which no
other row of the paper does: the third is that. Below each is mAP by kind of reference (Table 17).

--lexical adds BM25, and what the training questions that it finds nearest use. --fuse adds the weighted sum
of all rows, each scaled to mean 0 and to 1 at rank 10 of a question's ranking; the weights are found on the
valid part.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from lean_extract.common.arrays import Floats, Int64s
from lean_extract.common.errors import BadSettings, BadSource
from lean_extract.common.nearest import path_meant
from lean_extract.common.verbs import add_json_option, write_json
from retriever.evaluation.rows import (
    PARTS,
    PROTOCOLS,
    CollectionRow,
    Protocol,
    RankerTable,
    RankingTask,
    ranks_in,
    rows_of,
    task_of,
)
from retriever.evaluation.trained_rankers import lexical, trained
from retriever.metrics.bootstrap import cell, table
from retriever.metrics.ranks import mean_average_precision
from retriever.search.backends import find_backend
from retriever.search.collections.measure import search_weights
from retriever.search.collections.rankers import levelled
from retriever.training.running.kinds import add_backend_argument

_HEADINGS: Mapping[Protocol, str] = {
    "among": "the question itself among the candidates (the paper's protocol)",
    "excluded": "the question itself excluded (ours)",
    "cited": "only what some proof of any split refers to (the paper's joint and autoregressive rows)",
}


def _fused(rankers: Sequence[RankerTable], valid: RankingTask) -> tuple[RankerTable, dict[str, float]]:
    """The sum, and the weight of each ranker by name, as do best on the questions of `valid`, themselves
    excluded."""
    summed = tuple(rankers)
    tables = [levelled(ranker.table(valid.questions, valid.documents)) for ranker in summed]
    weights = best_weights(tables, valid)

    def table(questions: Int64s, documents: Int64s) -> Floats:
        return _sum([levelled(ranker.table(questions, documents)) for ranker in summed], weights)

    named = {ranker.name: weight for ranker, weight in zip(summed, weights, strict=True)}
    return RankerTable("weighted sum", table), named


def best_weights(tables: Sequence[Floats], valid: RankingTask) -> tuple[float, ...]:
    """One weight a table, those with which mAP is highest."""
    return search_weights(len(tables), lambda weights: _figure(tables, weights, valid))


def _figure(tables: Sequence[Floats], weights: Sequence[float], valid: RankingTask) -> float:
    scores = _sum(tables, weights)
    found = (
        ranks_in(valid, number, row, "excluded")[0]
        for number, row in zip(valid.questions.tolist(), scores, strict=True)
    )
    return mean_average_precision(one for one in found if one)


def _sum(tables: Sequence[Floats], weights: Sequence[float]) -> Floats:
    total = sum(np.float32(weight) * table for weight, table in zip(weights, tables, strict=True))
    return np.asarray(total, dtype=np.float32)


def _report(rows: Sequence[CollectionRow], *, intervals: bool = True) -> str:
    """The tables in Markdown."""
    parts = []
    for protocol in PROTOCOLS:
        chosen = [row for row in rows if row.protocol == protocol]
        if not chosen:
            continue
        columns = list(chosen[0].figures)
        kinds = list(dict.fromkeys(kind for row in chosen for kind in row.by_kind))
        lines = [
            [row.model, *(cell(row.figures[name], intervals=intervals) for name in columns)] for row in chosen
        ]
        by_kind = [
            [
                row.model,
                *(
                    cell(row.by_kind[kind], intervals=intervals) if kind in row.by_kind else "-"
                    for kind in kinds
                ),
            ]
            for row in chosen
        ]
        parts.append(
            f"{_HEADINGS[protocol]}, {chosen[0].questions:,} questions:\n\n{table(['', *columns], lines)}"
        )
        parts.append(f"mAP by kind of reference:\n\n{table(['', *kinds], by_kind)}")
    return "\n\n".join(parts)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("dataset", type=Path, help="what the backend reads")
    parser.add_argument("runs", type=Path, nargs="*", help="run folders")
    add_backend_argument(parser, "evaluation")
    parser.add_argument("--part", choices=PARTS, default="valid", help="default: valid, the one to tune on")
    parser.add_argument("--lexical", action="store_true", help="rows of models without training, too")
    parser.add_argument("--fuse", action="store_true", help="a row of the weighted sum of all")
    parser.add_argument(
        "--encodings",
        type=Path,
        metavar="RUN",
        help="the pairwise run that encodes another corpus's documents",
    )
    parser.add_argument("--plain", action="store_true", help="print no intervals")
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap; default: 0")
    add_json_option(parser)


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    rows, task, weights = _evaluate(options)
    collection = task.collection
    sizes = f"{options.part}: {len(task.questions):,} questions, {len(task.documents):,} documents"
    print(f"{sizes}; data sha256 {collection.digest[:12]}\n")
    print(_report(rows, intervals=not options.plain))
    if weights:
        print("\nweights of the sum: " + ", ".join(f"{name} {value:.2f}" for name, value in weights.items()))
    about = {"part": options.part, "data_sha256": collection.digest, "weights": weights}
    write_json(options.json, {**about, "rows": [asdict(row) for row in rows]})


def _evaluate(chosen: argparse.Namespace) -> tuple[list[CollectionRow], RankingTask, dict[str, float]]:
    backend = find_backend(chosen.backend)
    if not chosen.dataset.exists():
        raise BadSource(
            f"There is no file or folder {chosen.dataset}.", path_meant(chosen.dataset) or "Check the path."
        )
    collection = backend.read(chosen.dataset)
    task = task_of(collection, chosen.part)
    rankers: list[RankerTable] = lexical(backend, collection) if chosen.lexical else []
    rankers += [trained(run, collection, encodings=chosen.encodings) for run in chosen.runs]
    if not rankers:
        raise BadSettings("There is nothing to evaluate.", "Name runs, or give --lexical.")
    weights: dict[str, float] = {}
    if chosen.fuse:
        total, weights = _fused(rankers, task_of(collection, "valid"))
        rankers.append(total)
    return [row for ranker in rankers for row in rows_of(backend, ranker, task, chosen.seed)], task, weights
