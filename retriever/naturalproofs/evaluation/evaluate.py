"""Hold the models that need no training against each other on one corpus (Tables 5 and 17).

python -m retriever naturalproofs-evaluate CORPUS.json [--part valid|test|both] [--seed N] [--whole]
    [--plain] [--json FILE]

The corpus is a file as `naturalproofs-build` writes it, or as the authors released it. Both protocols
are printed: in the paper's a theorem is among its own candidates (and usually comes first, which is never
right); in ours it is not. Figures are percent with a 95% bootstrap interval over examples. Examples and
candidates are those of the file's own split, or of one made here from the leaves of the reference graph. The
authors' draw of validation and test theorems from Stacks' leaves cannot be repeated; --part both does not
depend on it, and is to be held against the mean of their rows for both (Table 5 and the one of appendix C).
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from lean_extract.common.verbs import add_json_option, write_json
from retriever.metrics.references import COLUMNS
from retriever.metrics.tables import cell, table
from retriever.naturalproofs.evaluation.baselines import baselines, paper_frequency
from retriever.naturalproofs.evaluation.measure import PROTOCOLS, TYPES, ReferenceRow, rows_of
from retriever.naturalproofs.splits import add_split_arguments, leaks, open_splits
from retriever.naturalproofs.task import PARTS, ReferenceTask, build_task


def evaluate(task: ReferenceTask, seed: int = 0) -> list[ReferenceRow]:
    """All rows of the models without training; `seed` is for the random order and the bootstrap."""
    rows = [row for model in baselines(task, seed) for row in rows_of(model, task, seed)]
    return rows + rows_of(paper_frequency(task), task, seed, ["among"])


def report(rows: Sequence[ReferenceRow], *, intervals: bool = True) -> str:
    """Tables 5 and 17 in Markdown, each under both protocols."""
    parts = []
    for protocol, heading in PROTOCOLS.items():
        chosen = [row for row in rows if row.protocol == protocol]
        if not chosen:
            continue
        lines = [
            [row.model, *(cell(row.figures[name], intervals=intervals) for name in COLUMNS)] for row in chosen
        ]
        by_type = [
            [
                row.model,
                cell(row.figures["mAP"], intervals=intervals),
                *(
                    cell(row.by_type[kind], intervals=intervals) if kind in row.by_type else "-"
                    for kind in TYPES
                ),
            ]
            for row in chosen
        ]
        parts.append(f"{heading}, {chosen[0].examples:,} examples:\n\n{table(['', *COLUMNS], lines)}")
        parts.append(f"mAP by type of reference:\n\n{table(['', 'all', *TYPES], by_type)}")
    return "\n\n".join(parts)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("corpus", type=Path, help="a corpus file (JSON)")
    parser.add_argument("--part", choices=PARTS, default="valid", help="default: valid, the one to tune on")
    parser.add_argument("--plain", action="store_true", help="print no intervals")
    add_json_option(parser)
    add_split_arguments(parser)


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    corpus, splits, origin = open_splits(options)
    task = build_task(corpus, splits, options.part)
    if leaked := leaks(corpus, splits):
        print(
            f"warning: training proofs refer to evaluation theorems {len(leaked):,} times.",
            file=sys.stderr,
        )
    digest = hashlib.sha256(options.corpus.read_bytes()).hexdigest()
    title = f"{options.part}: {len(task.queries):,} examples, {len(task.candidates):,} candidates; {origin}"
    print(f"{title}; corpus sha256 {digest[:12]}\n")
    rows = evaluate(task, options.seed or 0)
    print(report(rows, intervals=not options.plain))
    about = {"part": options.part, "split": origin, "corpus_sha256": digest}
    counts = {"examples": len(task.queries), "candidates": len(task.candidates)}
    write_json(options.json, {**about, **counts, "rows": [asdict(row) for row in rows]})
