"""Extract the records of a project from its text, and print the counts.

python -m lean_extract extract ROOT OUT [--states] [--workers N]
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from tqdm import tqdm

from lean_extract.common.errors import BadSource
from lean_extract.common.files.reading import is_folder
from lean_extract.source.extract import ExtractionCounts, extract_project


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("root", type=Path, help="the project's folder")
    parser.add_argument("out", type=Path, help="the records file to write (JSONL)")
    parser.add_argument(
        "--workers",
        type=int,
        default=min(4, os.cpu_count() or 1),
        help="processes that read files (one per core is best)",
    )
    parser.add_argument(
        "--states",
        action="store_true",
        help="also extract the proof states that the text determines, for training the generator",
    )


def run(options: argparse.Namespace) -> None:
    """Run the command. Raises BadSource if the folder does not exist."""
    if not is_folder(options.root):
        raise BadSource(f"There is no folder {options.root}.", "Check the path.")
    with tqdm(unit=" files", disable=None) as bar:

        def show(phase: str, done: int, total: int) -> None:
            bar.total = total
            bar.set_description(phase, refresh=False)
            bar.update(done - bar.n)

        counts = extract_project(options.root, options.out, show, options.workers, states=options.states)
    for notice in counts.notices:
        print(f"note: {notice}", file=sys.stderr)
    print(table(counts))


def table(counts: ExtractionCounts) -> str:
    """The counts as lines of text."""
    rows = [
        ("files", f"{counts.files:,}"),
        ("theorem + lemma", f"{counts.theorems:,}"),
        ("pool with definitions, instances, generated names", f"{counts.pool:,}"),
        ("names that only to_additive (to_dual) makes", f"{counts.only_additive:,} ({counts.only_dual:,})"),
        ("theorems with a proof / whose proof has `by`", f"{counts.proofs:,} / {counts.tactic_proofs:,}"),
        ("theorems with at least one premise resolved", f"{counts.with_premises:,}"),
        ("tactic steps", f"{counts.steps:,}"),
        *((f"  state known from `{name}`", f"{count:,}") for name, count in counts.origins.most_common()),
        *([("goals that a term proves", f"{counts.terms:,}")] if counts.terms else []),
        ("goals stated inside proofs", f"{counts.inner_goals:,}"),
        ("problems", f"{counts.problems:,}"),
        ("seconds", f"{counts.seconds:.1f}"),
        ("peak memory (MB)", f"{counts.peak_megabytes:.0f}"),
        ("sha256 of the records", counts.data_hash),
    ]
    width = max(len(label) for label, _ in rows)
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in counts.kinds.most_common())
    return "\n".join([*(f"{label:<{width}}  {value}" for label, value in rows), f"by kind: {kinds}"])
