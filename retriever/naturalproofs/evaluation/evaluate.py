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
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

from lean_extract.common.errors import BadRecords, BadSettings
from lean_extract.common.verbs import add_json_option, write_json
from retriever.documents.schema import Corpus, Splits
from retriever.evaluation.rows import CollectionRow, Protocol, RankingTask, rows_of, task_of
from retriever.metrics.bootstrap import cell, table
from retriever.metrics.ranks import COLUMNS
from retriever.naturalproofs.backend import BACKEND, collection_of, digest_of, example_of
from retriever.naturalproofs.evaluation.baselines import baselines, paper_frequency
from retriever.naturalproofs.splits import add_split_arguments, leaks, open_splits
from retriever.search.splits import Split

Part = Literal["valid", "test", "both"]
PARTS: tuple[Part, ...] = ("valid", "test", "both")
_HEADINGS: Mapping[Protocol, str] = {
    "among": "the theorem itself among the candidates (the paper's protocol)",
    "excluded": "the theorem itself excluded (ours)",
}
_TYPES = ("theorem", "definition", "other")


def task_of_part(corpus: Corpus, splits: Splits, part: Part, digest: str) -> RankingTask:
    """The examples of a part, and what is ranked for them; `digest` is the corpus file's.

    Raises BadSettings when the part has no examples, BadRecords when one refers to what its split does not rank.
    """
    collection = collection_of(corpus, splits, digest)
    chosen: tuple[Split, ...] = ("valid", "test") if part == "both" else (part,)
    if not any(collection.of(split) for split in chosen):
        raise BadSettings(
            f"The split has no example to evaluate ({part}).",
            "Choose another part, or --whole to take every example.",
        )
    task = task_of(collection, part)
    for question in (collection.questions[number] for number in task.questions.tolist()):
        missing = next((document for document in question.gold if task.columns[document] < 0), None)
        if missing is not None:
            raise BadRecords(
                f"The {part} example {list(example_of(question))} refers to "
                f"{collection.documents[missing].key}, which the split does not rank.",
                "Make the split again: "
                "python -m retriever naturalproofs-split CORPUS.json --seed 0 --out FILE.json",
            )
    return task


def evaluate(task: RankingTask, seed: int = 0) -> list[CollectionRow]:
    """All rows of the models without training; `seed` is for the random order and the bootstrap."""
    rows = [row for model in baselines(task, seed) for row in rows_of(BACKEND, model, task, seed)]
    rows = [row for row in rows if row.protocol in _HEADINGS]
    frequency = rows_of(BACKEND, paper_frequency(task), task, seed)
    return [*rows, *(row for row in frequency if row.protocol == "among")]


def _report(rows: Sequence[CollectionRow], *, intervals: bool = True) -> str:
    """Tables 5 and 17 in Markdown, each under both protocols."""
    parts = []
    for protocol, heading in _HEADINGS.items():
        chosen = [row for row in rows if row.protocol == protocol]
        if not chosen:
            continue
        figures = [
            [row.model, *(cell(row.figures[name], intervals=intervals) for name in COLUMNS)] for row in chosen
        ]
        by_type = [
            [
                row.model,
                cell(row.figures["mAP"], intervals=intervals),
                *(
                    cell(row.by_kind[kind], intervals=intervals) if kind in row.by_kind else "-"
                    for kind in _TYPES
                ),
            ]
            for row in chosen
        ]
        parts.append(f"{heading}, {chosen[0].questions:,} examples:\n\n{table(['', *COLUMNS], figures)}")
        parts.append(f"mAP by type of reference:\n\n{table(['', 'all', *_TYPES], by_type)}")
    return "\n\n".join(parts)


def _plain(row: CollectionRow) -> dict[str, Any]:
    by_kind = asdict(row)["by_kind"]
    return {
        "model": row.model,
        "protocol": row.protocol,
        "examples": row.questions,
        "figures": asdict(row)["figures"],
        "by_type": {kind: by_kind[kind] for kind in _TYPES if kind in by_kind},
    }


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
    digest = digest_of(options.corpus)
    task = task_of_part(corpus, splits, options.part, digest)
    if leaked := leaks(corpus, splits):
        print(
            f"warning: training proofs refer to evaluation theorems {len(leaked):,} times.", file=sys.stderr
        )
    counts = {"examples": len(task.questions), "candidates": len(task.documents)}
    print(
        f"{options.part}: {counts['examples']:,} examples, {counts['candidates']:,} candidates; {origin}; "
        f"corpus sha256 {digest[:12]}\n"
    )
    rows = evaluate(task, options.seed or 0)
    print(_report(rows, intervals=not options.plain))
    about = {"part": options.part, "split": origin, "corpus_sha256": digest}
    write_json(options.json, {**about, **counts, "rows": list(map(_plain, rows))})
