"""The released JSON files (section 3, appendix D): read, checked, written.

    python -m retriever naturalproofs-check FILE

prints everything that is wrong with a file, with its location, and exits with 1 where something is.

    {"dataset": {"theorems": [...], "definitions": [...], "others": [...], "retrieval_examples": [id, ...]},
     "splits": {"train": {"ref_ids": [id, ...], "examples": [[id, number of the proof], ...]}, ...}}
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO

from lean_extract.common.errors import BadRecords
from lean_extract.common.files.atomic import replacing
from lean_extract.common.files.json_text import read_json
from lean_extract.common.files.reading import MAX_CORPUS
from retriever.documents.checks import Placed, check_examples, checked_links, without_doubles
from retriever.documents.released import LayoutProblem, pairs, read_statement, whole_numbers
from retriever.documents.schema import Corpus, Example, Split, Splits, Statement, StatementType

_LISTS: tuple[tuple[str, StatementType], ...] = (
    ("theorems", "theorem"),
    ("definitions", "definition"),
    ("others", "other"),
)
_PARTS = ("train", "valid", "test")
_LAYOUT = (
    "Expected the JSON of June 2021 (zenodo.org/record/4902289), or what "
    "`python -m retriever naturalproofs-build` writes."
)
_TOLD = 3


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
    bad = [problem for problem in problems if not problem.harmless]
    if bad:
        shown = "; ".join(map(str, bad[:_TOLD]))
        more = f"; and {len(bad) - _TOLD:,} more" if len(bad) > _TOLD else ""
        raise BadRecords(
            f"{path} is damaged: {shown}{more}.",
            f"`python -m retriever naturalproofs-check {path}` tells all; get the file again, or build it.",
        )
    return corpus, splits


def problems_of(path: Path) -> tuple[LayoutProblem, ...]:
    """Everything wrong in a file. Raises BadRecords when it cannot be read or is of another layout."""
    return tuple(_read(path)[2])


def write_corpus(path: Path, corpus: Corpus, splits: Splits | None = None) -> None:
    """Write a file of the released layout, one statement a line; it appears whole. Raises OSError."""
    with replacing(path) as stream:
        stream.write('{"dataset": {\n')
        for key, statements in zip(("theorems", "definitions", "others"), _lists(corpus), strict=True):
            stream.write(f'"{key}": [')
            _write_lines(stream, statements)
            stream.write("],\n")
        stream.write(f'"retrieval_examples": {json.dumps(retrieval_examples(corpus))}\n}}')
        if splits is not None:
            parts = {name: _split_to_plain(getattr(splits, name)) for name in _PARTS}
            stream.write(f',\n"splits": {json.dumps(parts)}')
        stream.write("}\n")


def retrieval_examples(corpus: Corpus) -> list[int]:
    """Section 4: the theorems of which a proof has a reference."""
    return [theorem.id for theorem in corpus.theorems if any(proof.ref_ids for proof in theorem.proofs)]


def _lists(corpus: Corpus) -> tuple[tuple[Statement, ...], ...]:
    return corpus.theorems, corpus.definitions, corpus.others


def _write_lines(stream: IO[str], statements: Iterable[Statement]) -> None:
    for number, statement in enumerate(statements):
        stream.write(",\n" if number else "\n")
        stream.write(json.dumps(_to_plain(statement), ensure_ascii=False))


def _to_plain(statement: Statement) -> dict[str, object]:
    plain: dict[str, object] = {
        "id": statement.id,
        "type": statement.type,
        "label": statement.label,
        "categories": list(statement.categories),
        "title": statement.title,
        "contents": list(statement.contents),
        "refs": list(statement.refs),
        "ref_ids": list(statement.ref_ids),
        "proofs": [
            {"contents": list(proof.contents), "refs": list(proof.refs), "ref_ids": list(proof.ref_ids)}
            for proof in statement.proofs
        ],
    }
    for key in ("toplevel_categories", "recursive_categories"):
        if getattr(statement, key):
            plain[key] = list(getattr(statement, key))
    return plain


def _split_to_plain(split: Split) -> dict[str, object]:
    return {"ref_ids": list(split.ref_ids), "examples": [list(example) for example in split.examples]}


def _read(path: Path) -> tuple[Corpus, Splits | None, list[LayoutProblem]]:
    whole = _load(path)
    dataset = whole.get("dataset")
    if not isinstance(dataset, dict) or not all(isinstance(dataset.get(key), list) for key, _ in _LISTS):
        found = dataset if isinstance(dataset, dict) else whole
        keys = ", ".join(sorted(found)[:8]) or "none"
        raise BadRecords(f"{path} is of another layout: its keys are {keys}.", _LAYOUT)
    problems: list[LayoutProblem] = []
    read = [_statements(dataset[key], kind, f"dataset.{key}", problems) for key, kind in _LISTS]
    placed = without_doubles([pair for part in read for pair in part], problems)
    linked = checked_links(placed, problems)
    corpus = Corpus(*(tuple(one for one in linked if one.type == kind) for _, kind in _LISTS))
    check_examples(dataset.get("retrieval_examples", []), corpus, problems)
    if whole.get("splits") is None:
        return corpus, None, problems
    return corpus, _splits(whole["splits"], corpus, path, problems), problems


def _load(path: Path) -> dict[str, object]:
    try:
        whole = read_json(path, MAX_CORPUS)
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


def _statements(
    plain: Sequence[object], kind: StatementType, location: str, problems: list[LayoutProblem]
) -> list[Placed]:
    found: list[Placed] = []
    for number, item in enumerate(plain):
        where = f"{location}[{number}]"
        statement = read_statement(item, kind, where, problems)
        if statement is not None:
            found.append((where, statement))
    return found


def _splits(plain: object, corpus: Corpus, path: Path, problems: list[LayoutProblem]) -> Splits:
    if not isinstance(plain, dict) or not all(
        isinstance(plain.get(name), dict) and {"ref_ids", "examples"} <= plain[name].keys() for name in _PARTS
    ):
        raise BadRecords(f"{path} has splits of another layout.", _LAYOUT)
    known = {statement.id for statement in corpus.statements}
    proofs = {theorem.id: theorem.proofs for theorem in corpus.theorems}
    taken: dict[Example, str] = {}

    def has_proof(example: Example) -> bool:
        return 0 <= example[1] < len(proofs.get(example[0], ()))

    def wrong(example: Example, name: str) -> LayoutProblem | None:
        location = f"splits.{name}.examples"
        if not has_proof(example):
            return LayoutProblem(location, f"names {list(example)}, which is not a proof")
        if not proofs[example[0]][example[1]].ref_ids:
            return LayoutProblem(
                location, f"names {list(example)}, a proof without references", harmless=True
            )
        if example in taken:
            return LayoutProblem(location, f"names {list(example)}, which is in {taken[example]}, too")
        taken[example] = name
        return None

    def split(name: str) -> Split:
        location = f"splits.{name}"
        ids = whole_numbers(plain[name]["ref_ids"], f"{location}.ref_ids", problems)
        examples = pairs(plain[name]["examples"], f"{location}.examples", problems)
        for target in ids:
            if target not in known:
                problems.append(LayoutProblem(f"{location}.ref_ids", f"names {target}, the id of nothing"))
        kept = []
        for example in examples:
            found = wrong(example, name)
            if found is None:
                kept.append(example)
            else:
                problems.append(found)
        return Split(tuple(kept), tuple(target for target in ids if target in known))

    return Splits(*map(split, _PARTS))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("file", type=Path, help="a file of the released layout")


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    problems = problems_of(options.file)
    for problem in problems:
        print(f"{options.file}: {problem}")
    return int(any(not problem.harmless for problem in problems))
