"""The released JSON files (section 3, appendix D): read, checked, written.

    python -m retriever naturalproofs-check FILE

prints everything that is wrong with a file, with its location, and exits with 1 where something is.

    {"dataset": {"theorems": [...], "definitions": [...], "others": [...], "retrieval_examples": [id, ...]},
     "splits": {"train": {"ref_ids": [id, ...], "examples": [[id, number of the proof], ...]}, ...}}
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lean_extract.common.errors import BadRecords
from lean_extract.common.files.atomic import replacing
from lean_extract.common.files.json_text import read_json
from lean_extract.limits import MAX_CORPUS_BYTES
from retriever.documents.layout import LISTS, PARTS, LayoutProblem, LayoutReader
from retriever.documents.schema import Corpus, Splits, Statement

_LAYOUT = (
    "Expected the JSON of June 2021 (zenodo.org/record/4902289), or what "
    "`python -m retriever naturalproofs-build` writes."
)
_KEYS = ("id", "type", "label", "categories", "title", "contents", "refs", "ref_ids")
_SHOWN = 3


def read_corpus(path: Path, complaints: list[str] | None = None) -> tuple[Corpus, Splits | None]:
    """The statements of a file, and its splits where it has any.

    With `complaints`, what is wrong in single statements is described there and left out. Raises BadRecords
    when the file cannot be read, is of another layout, or, without `complaints`, has anything wrong in it
    (keys that are not known are passed over).
    """
    corpus, splits, problems = _read(path)
    if complaints is not None:
        complaints.extend(f"{path}: {problem}" for problem in problems)
        return corpus, splits
    check_sound(path, [str(problem) for problem in problems if not problem.harmless], "naturalproofs-check")
    return corpus, splits


def check_sound(path: Path, problems: list[str], verb: str) -> None:
    """Raises BadRecords with the first problems of a file, where there are any, and the verb that lists all."""
    if problems:
        more = f"; and {len(problems) - _SHOWN:,} more" if len(problems) > _SHOWN else ""
        raise BadRecords(
            f"{path} is damaged: {'; '.join(problems[:_SHOWN])}{more}.",
            f"`python -m retriever {verb} {path}` lists all; get the file again, or build it.",
        )


def problems_of(path: Path) -> tuple[LayoutProblem, ...]:
    """Everything wrong in a file. Raises BadRecords when it cannot be read or is of another layout."""
    return tuple(_read(path)[2])


def write_corpus(path: Path, corpus: Corpus, splits: Splits | None = None) -> None:
    """Write a file of the released layout, one statement a line; it appears whole. Raises OSError."""
    with replacing(path) as stream:
        stream.write('{"dataset": {\n')
        for key, statements in zip(LISTS, (corpus.theorems, corpus.definitions, corpus.others), strict=True):
            stream.write(f'"{key}": [')
            for number, statement in enumerate(statements):
                stream.write(",\n" if number else "\n")
                stream.write(json.dumps(_to_plain(statement), ensure_ascii=False))
            stream.write("],\n")
        stream.write(f'"retrieval_examples": {json.dumps(retrieval_examples(corpus))}\n}}')
        if splits is not None:
            plain = {
                name: {"ref_ids": split.ref_ids, "examples": split.examples}
                for name, split in zip(PARTS, (splits.train, splits.valid, splits.test), strict=True)
            }
            stream.write(f',\n"splits": {json.dumps(plain)}')
        stream.write("}\n")


def retrieval_examples(corpus: Corpus) -> list[int]:
    """Section 4: the theorems of which a proof has a reference."""
    return [theorem.id for theorem in corpus.theorems if any(proof.ref_ids for proof in theorem.proofs)]


def _to_plain(statement: Statement) -> dict[str, Any]:
    plain = {key: getattr(statement, key) for key in _KEYS}
    plain["proofs"] = [asdict(proof) for proof in statement.proofs]
    further = {key: getattr(statement, key) for key in ("toplevel_categories", "recursive_categories")}
    return plain | {key: value for key, value in further.items() if value}


def _read(path: Path) -> tuple[Corpus, Splits | None, list[LayoutProblem]]:
    whole = _load(path)
    dataset, splits = whole.get("dataset"), whole.get("splits")
    if not isinstance(dataset, dict) or not all(isinstance(dataset.get(key), list) for key in LISTS):
        found = dataset if isinstance(dataset, dict) else whole
        keys = ", ".join(sorted(found)[:8]) or "none"
        raise BadRecords(f"{path} is of another layout: its keys are {keys}.", _LAYOUT)
    reader = LayoutReader()
    corpus = reader.corpus(dataset)
    if splits is None:
        return corpus, None, reader.problems
    if not isinstance(splits, dict) or not all(_is_split(splits.get(name)) for name in PARTS):
        raise BadRecords(f"{path} has splits of another layout.", _LAYOUT)
    return corpus, reader.splits(splits, corpus), reader.problems


def _is_split(plain: object) -> bool:
    return isinstance(plain, dict) and {"ref_ids", "examples"} <= plain.keys()


def _load(path: Path) -> dict[str, Any]:
    try:
        whole = read_json(path, MAX_CORPUS_BYTES)
    except OSError as error:
        raise BadRecords(f"{path} cannot be read: {error.strerror}.", "Name the JSON of a corpus.") from error
    except json.JSONDecodeError as error:
        other = error.msg == "Extra data" or not error.doc.lstrip().startswith("{")
        hint = _LAYOUT if other else "The file may be cut off: get it again."
        raise BadRecords(f"{path}, line {error.lineno}, is not JSON: {error.msg}.", hint) from error
    except ValueError as error:
        raise BadRecords(f"{path} is not JSON: {error}.", _LAYOUT) from error
    if not isinstance(whole, dict):
        raise BadRecords(f"{path} is of another layout: it is not a JSON object.", _LAYOUT)
    return whole


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("file", type=Path, help="a file of the released layout")


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    problems = problems_of(options.file)
    for problem in problems:
        print(f"{options.file}: {problem}")
    return int(any(not problem.harmless for problem in problems))
