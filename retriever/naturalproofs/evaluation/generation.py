"""Compare generated reference sequences and the three oracles with the true sequences (section 6.1, Table 8).

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
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from lean_extract.common.errors import BadRecords
from lean_extract.common.files.atomic import replacing
from lean_extract.common.files.json_text import parse_json
from lean_extract.common.files.reading import open_regular
from lean_extract.common.typed import read_typed
from lean_extract.common.verbs import add_json_option, write_json
from retriever.documents.schema import Example
from retriever.metrics.bootstrap import Interval, table
from retriever.naturalproofs.backend import digest_of, example_of
from retriever.naturalproofs.evaluation.evaluate import PARTS, task_of_part
from retriever.naturalproofs.evaluation.sequences import COLUMNS, intervals
from retriever.naturalproofs.splits import add_split_arguments, open_splits

References = tuple[int, ...]
"""Ids that a proof refers to, in order, repeated as they are."""
_HINT = 'Each line is one example: {"example": [id, proof], "references": [id, ...]}.'
_OTHER_SPLIT = "Take the corpus file, part and seed that the predictions were made with."


def oracle_sequences(true: Sequence[References], seed: int = 0) -> dict[str, list[References]]:
    """What the oracles of Table 8, which know part of a true sequence, predict; the same seed gives the same.

    These are the distinct references, and all of them, in random order; and the first half in order, rounded down,
    so nothing of one reference (the paper's row never matches exactly either).
    """

    def shuffled(sequences: Sequence[Sequence[int]]) -> list[References]:
        rng = np.random.default_rng(seed)
        return [tuple(ids[index] for index in rng.permutation(len(ids))) for ids in sequences]

    return {
        "*-set": shuffled([sorted(set(sequence)) for sequence in true]),
        "*-multiset": shuffled(true),
        "*-halfseq": [sequence[: len(sequence) // 2] for sequence in true],
    }


@dataclass(frozen=True, slots=True)
class _Prediction:
    example: tuple[int, ...]
    """A pair, whose length is not checked by its type."""
    references: tuple[int, ...]


def read_predictions(
    path: Path, examples: Sequence[Example], candidates: Collection[int]
) -> tuple[References, ...]:
    """The sequences of a file in the order of `examples`; lines of other examples are passed over.

    Args:
        path: the file.
        examples: those to be evaluated.
        candidates: the ids that a sequence may hold; a set is best.

    Raises BadRecords when the file cannot be read, a line is not as above, an example is there twice, a
    sequence holds something else than candidates, or one of `examples` is missing.
    """
    read: dict[Example, References] = {}
    wanted = set(examples)
    try:
        with open_regular(path) as stream:
            for number, line in enumerate(stream, start=1):
                location = f"{path}:{number}"
                example, references = _read_line(line, location)
                if example in read:
                    raise BadRecords(
                        f"{location}: the example {list(example)} is there a second time.", _HINT
                    )
                unknown = next((id for id in references if id not in candidates), None)
                if example in wanted and unknown is not None:
                    raise BadRecords(
                        f"{location}: the split does not rank statement {unknown}.", _OTHER_SPLIT
                    )
                read[example] = references
    except OSError as error:
        raise BadRecords(f"{path} cannot be read: {error.strerror}.", "Check the path.") from error
    missing = [example for example in examples if example not in read]
    if missing:
        lacks = f"{path} has no line for {len(missing):,} of {len(examples):,} examples"
        raise BadRecords(f"{lacks}, the first of them {list(missing[0])}.", _OTHER_SPLIT)
    return tuple(read[example] for example in examples)


def _read_line(line: bytes, location: str) -> tuple[Example, References]:
    try:
        prediction: _Prediction = read_typed(_Prediction, parse_json(line))
    except (ValueError, TypeError) as error:
        raise BadRecords(f"{location}: {error}.", _HINT) from error
    if len(prediction.example) != 2:
        raise BadRecords(f"{location}: example: {list(prediction.example)} is not a pair.", _HINT)
    return prediction.example, prediction.references


def write_predictions(path: Path, predicted: Mapping[Example, References]) -> None:
    """Write such a file; it appears whole. Raises OSError."""
    with replacing(path) as stream:
        for example, references in predicted.items():
            stream.write(json.dumps(asdict(_Prediction(example, references))) + "\n")


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
    digest = digest_of(options.corpus)
    task = task_of_part(corpus, splits, options.part, digest)
    ids = [int(document.key) for document in task.collection.documents]
    questions = [task.collection.questions[number] for number in task.questions.tolist()]
    examples = [example_of(question) for question in questions]
    true = [tuple(ids[document] for document in question.references) for question in questions]
    candidates = {ids[number] for number in task.documents.tolist()}
    seed = options.seed or 0
    sequences: dict[str, Sequence[References]] = {
        **oracle_sequences(true, seed),
        **{name: read_predictions(path, examples, candidates) for name, path in _named(options.predictions)},
    }
    rows = {name: intervals(predicted, true, seed) for name, predicted in sequences.items()}
    print(f"{options.part}: {len(examples):,} examples; {origin}; corpus sha256 {digest[:12]}\n")
    lines = [
        [name, *(_cell(figures[column], plain=options.plain) for column in COLUMNS)]
        for name, figures in rows.items()
    ]
    print(table(["", *COLUMNS], lines))
    plain = [
        {
            "model": name,
            "examples": len(examples),
            "figures": {column: asdict(interval) for column, interval in figures.items()},
        }
        for name, figures in rows.items()
    ]
    write_json(options.json, {"part": options.part, "split": origin, "corpus_sha256": digest, "rows": plain})


def _named(paths: Sequence[Path]) -> list[tuple[str, Path]]:
    """Files by their name alone where no two have the same."""
    short = len({path.name for path in paths}) == len(paths)
    return [(path.name if short else str(path), path) for path in paths]


def _cell(interval: Interval, *, plain: bool) -> str:
    """Two decimals as in the paper: a length ratio is near 1."""
    if plain:
        return f"{interval.mean:.2f}"
    return f"{interval.mean:.2f} [{interval.low:.2f}, {interval.high:.2f}]"
