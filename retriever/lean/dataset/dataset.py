"""Records in, a training set out: corpus, queries with their gold premises, splits, and a hash over all.

    python -m retriever dataset RECORDS OUT [--without NAMES] [--more RECORDS ...]

The folder holds `corpus.jsonl` (one premise a line), `queries.jsonl`, `modules.jsonl` and `manifest.json`.
The same records give the same bytes, wherever the sources lay. Proofs of the further records (--more) give
training queries only: see `further`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lean_extract.common.errors import BadRecords, BadSettings
from lean_extract.common.files.atomic import replacing
from lean_extract.common.files.json_text import parse_json, read_json
from lean_extract.common.files.reading import open_regular
from lean_extract.common.terminal_text import complaints_printed, reason
from lean_extract.common.typed import read_typed
from lean_extract.records import Module, Premise, Proof, read_header, read_records, to_json
from retriever.lean.dataset.queries import DatasetQuery, HeldOut, further_queries, queries_of_proof
from retriever.lean.theorems import is_theorem
from retriever.search.splits import SPLITS, family_roots, root_name, split_of

VERSION = 1


@dataclass(frozen=True, slots=True)
class DatasetManifest:
    """What a dataset was made of. `digest` is a hash over the three data files.

    What is below it is left out of the file where it is not set: `more` by `dataset --more`, the others by
    `resplit`.
    """

    version: int
    source: str
    revision: str
    corpus: int = 0
    queries: dict[str, int] = field(default_factory=dict)
    digest: str = ""
    more: dict[str, dict[str, int]] | None = None
    """Further records by their revision: how many training queries of each origin are theirs."""
    strategy: str = "hash"
    """How theorems are held out: by the hash of their name, or one of `strategies.STRATEGIES`."""
    seed: int | None = None
    made_from: str = ""
    """The digest of the dataset that was split anew."""
    older: str = ""
    """The revision (of records) or digest (of a dataset) of the older library, for the split by time."""
    left_out: dict[str, int] | None = None
    """What that dataset has and this one has not, by kind."""


@dataclass(frozen=True, slots=True)
class Records:
    """The parts of a records file that training looks at."""

    premises: tuple[Premise, ...]
    proofs: tuple[Proof, ...]
    modules: tuple[Module, ...]


def load_records(path: Path, complaints: list[str] | None = None) -> Records:
    """The records of a file; malformed lines are described in `complaints` and passed over."""
    premises: list[Premise] = []
    proofs: list[Proof] = []
    modules: list[Module] = []
    for record in read_records(path, complaints):
        if isinstance(record, Premise):
            premises.append(record)
        elif isinstance(record, Proof):
            proofs.append(record)
        elif isinstance(record, Module):
            modules.append(record)
    return Records(tuple(premises), tuple(proofs), tuple(modules))


def corpus_of(premises: Iterable[Premise]) -> list[Premise]:
    """The theorems that a proof elsewhere may use, by name; the first of a name counts."""
    by_name: dict[str, Premise] = {}
    for premise in premises:
        if is_theorem(premise) and not premise.is_private:
            by_name.setdefault(premise.name, premise)
    return [by_name[name] for name in sorted(by_name)]


def _queries_of(records: Records, number: Mapping[str, int], held_out: HeldOut) -> Iterator[DatasetQuery]:
    """Every state with gold premises in the corpus, by theorem name, then in the order of the proof.

    Proofs of theorems that are held out by name, and of their twins, are left out of the training split.
    `number` gives a corpus premise's number by its name.
    """
    statements = {premise.name: premise for premise in records.premises}
    for proof in sorted(records.proofs, key=lambda proof: (proof.theorem, proof.module)):
        theorem = statements.get(proof.theorem)
        if theorem is None or not is_theorem(theorem) or not theorem.conclusion:
            continue
        split = split_of(root_name(theorem))
        if split == "train" and held_out.names(theorem.name):
            continue
        yield from queries_of_proof(theorem, proof, split, number)


def build_dataset(
    records_path: Path,
    out: Path,
    complaints: list[str] | None = None,
    without: frozenset[str] = frozenset(),
    more: Sequence[Path] = (),
) -> DatasetManifest:
    """Write the dataset folder `out`; its manifest comes last, so a folder without one is unfinished.

    Proofs of the theorems `without` are no training queries (those of another benchmark, say). Goals inside the
    proofs of the records `more` are training queries, too.
    Raises BadRecords when the records are of another format or no proof in them uses a known theorem.
    """
    header = read_header(records_path)
    records = load_records(records_path, complaints)
    corpus = corpus_of(records.premises)
    number = {premise.name: index for index, premise in enumerate(corpus)}
    others = [(read_header(path), load_records(path, complaints)) for path in more]
    held_out = HeldOut.of([one.premises for one in (records, *(other for _, other in others))], without)
    queries = list(_queries_of(records, number, held_out))
    if not queries:
        raise BadRecords(
            f"No proof in {records_path} uses a theorem that it also states.",
            "Extract a whole library, such as Mathlib, and try again.",
        )
    manifest = DatasetManifest(VERSION, header.source, header.revision)
    known = {(query.theorem, query.goal.target) for query in queries}
    for place, (other, found) in enumerate(others):
        new = list(further_queries(found.premises, found.proofs, number, held_out, known))
        queries += new
        counted = dict(sorted(Counter(query.origin for query in new).items()))
        manifest = replace(
            manifest, more={**(manifest.more or {}), other.revision or str(more[place]): counted}
        )
    return write_dataset(out, corpus, queries, records.modules, manifest)


def write_dataset(
    out: Path,
    corpus: Sequence[Premise],
    queries: Sequence[DatasetQuery],
    modules: Iterable[Module],
    manifest: DatasetManifest,
) -> DatasetManifest:
    """Write a dataset folder; the manifest gets its figures and its digest, and comes last."""
    (out / "manifest.json").unlink(missing_ok=True)
    digest = hashlib.sha256()
    write_lines(out / "corpus.jsonl", map(to_json, corpus), digest)
    write_lines(out / "queries.jsonl", map(_query_to_plain, queries), digest)
    placed = [replace(module, path="") for module in sorted(modules, key=lambda module: module.name)]
    write_lines(out / "modules.jsonl", map(to_json, placed), digest)
    counts = {f"{split}/{origin}": 0 for split in SPLITS for origin in ("statement", "inner", "step")}
    for query in queries:
        key = f"{query.split}/{query.origin}"
        counts[key] = counts.get(key, 0) + 1
    manifest = replace(manifest, corpus=len(corpus), queries=counts, digest=digest.hexdigest())
    with replacing(out / "manifest.json") as stream:
        stream.write(json.dumps(to_json(manifest), indent=2) + "\n")
    return manifest


def _query_to_plain(query: DatasetQuery) -> dict[str, object]:
    further = {"later": list(query.later), "earlier": list(query.earlier)}
    return {name: numbers for name, numbers in further.items() if numbers} | {
        "theorem": query.theorem,
        "module": query.module,
        "line": query.line,
        "split": query.split,
        "origin": query.origin,
        "goal": to_json(query.goal),
        "gold": list(query.gold),
    }


def write_lines(path: Path, items: Iterable[dict[str, object]], digest: hashlib._Hash) -> None:
    """Write a JSON object a line, and feed the lines to the digest. Raises OSError."""
    with replacing(path) as stream:
        for item in items:
            line = json.dumps(item, ensure_ascii=False, sort_keys=True) + "\n"
            digest.update(line.encode())
            stream.write(line)


def names_in(path: Path | None) -> frozenset[str]:
    """The names of a file, one a line; none without a file. Raises BadSettings."""
    if path is None:
        return frozenset()
    try:
        return frozenset(path.read_text(encoding="utf-8").split())
    except (OSError, ValueError) as error:
        raise BadSettings(
            f"{path} cannot be read as a list of names: {error}.", "Name a text file, one name a line."
        ) from error


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("records", type=Path, help="a records file (JSONL)")
    parser.add_argument("out", type=Path, help="the folder to write")
    parser.add_argument("--without", type=Path, help="a file of theorem names never to train on, one a line")
    parser.add_argument(
        "--more", type=Path, nargs="+", default=[], help="further records, for training queries only"
    )


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    with complaints_printed() as complaints:
        without = names_in(options.without)
        manifest = build_dataset(options.records, options.out, complaints, without, options.more)
    print(json.dumps(to_json(manifest), indent=2))


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset folder in memory: the corpus by number, all queries, the modules."""

    manifest: DatasetManifest
    corpus: tuple[Premise, ...]
    queries: tuple[DatasetQuery, ...]
    modules: tuple[Module, ...]

    def families(self) -> NDArray[np.int64]:
        """[corpus] A number that a declaration and its generated twins share."""
        numbers: dict[str, int] = {}
        roots = family_roots(self.corpus)
        families = [numbers.setdefault(roots[premise.name], len(numbers)) for premise in self.corpus]
        return np.array(families, dtype=np.int64)

    def use_counts(self) -> NDArray[np.int64]:
        """[corpus] In how many proofs of the training split each premise is used; none of the held out."""
        counts = np.zeros(len(self.corpus), dtype=np.int64)
        for query in self.queries:
            if query.split == "train" and query.origin == "statement":
                counts[list(query.gold)] += 1
        return counts


def read_manifest(folder: Path) -> DatasetManifest:
    """The manifest of a dataset folder. Raises BadRecords when there is none, or one of another version."""
    hint = "Build it with `python -m retriever dataset RECORDS OUT`."
    try:
        values = read_json(folder / "manifest.json")
        if isinstance(values, dict) and values.get("version", VERSION) != VERSION:
            raise BadRecords(f"{folder} is a dataset of version {values['version']}, not {VERSION}.", hint)
        manifest: DatasetManifest = read_typed(DatasetManifest, values)
    except (OSError, ValueError, TypeError) as error:
        raise BadRecords(f"{folder} is not a finished dataset folder: {reason(error)}.", hint) from error
    return manifest


def load_dataset(folder: Path, complaints: list[str] | None = None) -> Dataset:
    """The whole folder.

    Malformed lines are described in `complaints` (file, line number, what is wrong) and passed over: gold
    numbers are counted anew, and a query that loses all of them goes as well. Such a folder is no longer
    what its digest says, so without that list, as in training, BadRecords is raised.
    """
    manifest = read_manifest(folder)
    complain = _Complaints(complaints)
    corpus = dict(_read(folder / "corpus.jsonl", Premise, "premise", complain))
    found = dict(_read(folder / "queries.jsonl", DatasetQuery, "query", complain))
    modules = [module for _, module in _read(folder / "modules.jsonl", Module, "module", complain)]
    renumbered = {number - 1: new for new, number in enumerate(corpus)}
    last = max(corpus, default=0)
    queries: list[DatasetQuery] = []
    for number, query in found.items():
        parts = query.gold, query.later, query.earlier
        if wrong := [gold for part in parts for gold in part if not 0 <= gold < last]:
            complain(folder / "queries.jsonl", number, f"gold: the corpus has no premise {wrong[0]}")
        elif gold := tuple([renumbered[gold] for gold in query.gold if gold in renumbered]):
            others = [tuple([renumbered[one] for one in part if one in renumbered]) for part in parts[1:]]
            same = (gold, *others) == parts
            queries.append(query if same else replace(query, gold=gold, later=others[0], earlier=others[1]))
    _compare(folder / "corpus.jsonl", len(corpus), manifest.corpus, complain)
    _compare(folder / "queries.jsonl", len(queries), sum(manifest.queries.values()), complain)
    return Dataset(manifest, tuple(corpus.values()), tuple(queries), tuple(modules))


@dataclass(frozen=True, slots=True)
class _Complaints:
    """Where complaints go: to a list, or up."""

    collected: list[str] | None

    def __call__(self, path: Path, line: int | None, problem: str) -> None:
        complaint = f"{path}:{line}: {problem}" if line else f"{path}: {problem}"
        if self.collected is None:
            hint = f"Build {path.parent} again; what its digest names is no longer what it holds."
            raise BadRecords(complaint, hint)
        self.collected.append(complaint)


def _read(path: Path, record_type: type[Any], what: str, complain: _Complaints) -> Iterator[tuple[int, Any]]:
    """The records of a file with their line numbers, from 1."""
    try:
        with open_regular(path) as stream:
            for number, line in enumerate(stream, start=1):
                try:
                    record = read_typed(record_type, parse_json(line.rstrip(b"\r\n")))
                except (ValueError, TypeError) as error:
                    complain(path, number, f"not a {what}: {error}")
                    continue
                yield number, record
    except OSError as error:
        raise BadRecords(f"{path} cannot be read: {error.strerror}.", "Build the dataset again.") from error


def _compare(path: Path, found: int, expected: int, complain: _Complaints) -> None:
    if found != expected:
        complain(path, None, f"holds {found:,} sound lines, its manifest says {expected:,}")
