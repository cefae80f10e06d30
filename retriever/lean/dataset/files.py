"""Reading a dataset folder back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lean_extract.common.errors import BadRecords
from lean_extract.common.files.json_text import parse_json, read_json
from lean_extract.common.files.reading import open_regular
from lean_extract.common.terminal_text import reason
from lean_extract.common.typed import read_typed
from lean_extract.records import Module, Premise
from retriever.lean.dataset.dataset import VERSION, DatasetManifest, DatasetQuery
from retriever.search.splits import family_roots


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
            told = [tuple([renumbered[one] for one in part if one in renumbered]) for part in parts[1:]]
            same = (gold, *told) == parts
            queries.append(query if same else replace(query, gold=gold, later=told[0], earlier=told[1]))
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
