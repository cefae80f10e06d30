"""Hold generated reference sequences against the true ones, beside the three oracles (section 6.1, Table 8).

python -m retriever naturalproofs-generation CORPUS.json [--part valid|test|both] [--seed N] [--whole]
    [--predictions FILE.jsonl ...] [--plain] [--json FILE]

The corpus is a file as `naturalproofs-build` writes it, or as the authors released it; examples are
those of the file's own split, or of one made here from the leaves of the reference graph. A predictions file
has a line for every example:

    {"example": [id of the theorem, number of its proof], "references": [id, ...]}

and its name is that of its row. Figures are percent (Len: a ratio) with a 95% bootstrap interval
over examples; the orders that the oracles draw are those of --seed.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from lean_extract.common.verbs import add_json_option, write_json
from retriever.documents.schema import Example, Splits
from retriever.metrics.bootstrap import Interval
from retriever.metrics.tables import table
from retriever.naturalproofs.evaluation.oracles import oracle_sequences
from retriever.naturalproofs.evaluation.predictions import read_predictions
from retriever.naturalproofs.evaluation.sequences import COLUMNS, intervals
from retriever.naturalproofs.splits import add_split_arguments, open_splits
from retriever.naturalproofs.task import PARTS, Part, References, ReferenceTask, build_task


@dataclass(frozen=True, slots=True)
class GenerationRow:
    """One model, or one oracle."""

    model: str
    examples: int
    figures: dict[str, Interval]
    """`sequences.COLUMNS`."""


def rows_of(
    task: ReferenceTask, predicted: Mapping[str, Sequence[References]], seed: int = 0
) -> list[GenerationRow]:
    """The oracles' rows, then those of `predicted` (by name, one sequence a query of the task).

    `seed` is for the oracles' random orders and the bootstrap. Raises ValueError when there is not one
    sequence a query.
    """
    true = [query.references for query in task.queries]
    return [
        GenerationRow(name, len(true), intervals(sequences, true, seed))
        for name, sequences in (*oracle_sequences(true, seed).items(), *predicted.items())
    ]


def report(rows: Sequence[GenerationRow], *, plain: bool = False) -> str:
    """Table 8 in Markdown."""
    lines = [[row.model, *(_cell(row.figures[name], plain=plain) for name in COLUMNS)] for row in rows]
    return table(["", *COLUMNS], lines)


def examples_of_part(splits: Splits, part: Part) -> tuple[Example, ...]:
    """The examples of a part, in the order of the queries of its task."""
    chosen = {"valid": [splits.valid], "test": [splits.test], "both": [splits.valid, splits.test]}[part]
    return tuple(example for split in chosen for example in split.examples)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("corpus", type=Path, help="a corpus file (JSON)")
    parser.add_argument("--part", choices=PARTS, default="valid", help="default: valid, the one to tune on")
    parser.add_argument(
        "--predictions",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE.jsonl",
        help="generated sequences, a row a file",
    )
    parser.add_argument("--plain", action="store_true", help="print no intervals")
    add_json_option(parser)
    add_split_arguments(parser)


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    corpus, splits, origin = open_splits(options)
    task = build_task(corpus, splits, options.part)
    examples = examples_of_part(splits, options.part)
    candidates = {statement.id for statement in task.candidates}
    predicted = {
        name: read_predictions(path, examples, candidates)
        for name, path in _named(options.predictions).items()
    }
    digest = hashlib.sha256(options.corpus.read_bytes()).hexdigest()
    rows = rows_of(task, predicted, options.seed or 0)
    print(f"{options.part}: {len(examples):,} examples; {origin}; corpus sha256 {digest[:12]}\n")
    print(report(rows, plain=options.plain))
    about = {"part": options.part, "split": origin, "corpus_sha256": digest}
    write_json(options.json, {**about, "rows": [asdict(row) for row in rows]})


def _named(paths: Sequence[Path]) -> dict[str, Path]:
    """Files by their name alone where no two have the same."""
    short = len({path.name for path in paths}) == len(paths)
    return {path.name if short else str(path): path for path in paths}


def _cell(interval: Interval, *, plain: bool) -> str:
    """Two decimals as in the paper: a length ratio is near 1."""
    if plain:
        return f"{interval.mean:.2f}"
    return f"{interval.mean:.2f} [{interval.low:.2f}, {interval.high:.2f}]"
