"""Reading a dataset folder back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lean_extract.errors import BadRecords
from lean_extract.records import Goal, Module, Premise, from_json
from retriever.training.dataset import VERSION, Manifest, Query
from retriever.training.splits import root_name


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset folder in memory: the corpus by number, all queries, the modules."""

    manifest: Manifest
    corpus: tuple[Premise, ...]
    queries: tuple[Query, ...]
    modules: tuple[Module, ...]

    def families(self) -> NDArray[np.int64]:
        """[corpus] A number that a declaration and its generated twins share."""
        numbers: dict[str, int] = {}
        roots = (root_name(premise) for premise in self.corpus)
        return np.array([numbers.setdefault(root, len(numbers)) for root in roots], dtype=np.int64)

    def use_counts(self) -> NDArray[np.int64]:
        """[corpus] In how many proofs of the training split each premise is used; none of the held out."""
        counts = np.zeros(len(self.corpus), dtype=np.int64)
        for query in self.queries:
            if query.split == "train" and query.origin == "statement":
                counts[list(query.gold)] += 1
        return counts


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a dataset folder. Raises BadRecords when there is none, or one of another version."""
    try:
        values = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        manifest = Manifest(**values)
    except (OSError, ValueError, TypeError) as error:
        hint = "Build it with `python -m retriever.training.dataset RECORDS OUT`."
        raise BadRecords(f"{folder} is not a finished dataset folder.", hint) from error
    if manifest.version != VERSION:
        raise BadRecords(
            f"{folder} is a dataset of version {manifest.version}, not {VERSION}.", "Build it again."
        )
    return manifest


def load_dataset(folder: Path) -> Dataset:
    """The whole folder. Raises BadRecords."""
    return Dataset(
        read_manifest(folder),
        tuple(from_json(Premise, line) for line in _lines(folder / "corpus.jsonl")),
        tuple(_query(line) for line in _lines(folder / "queries.jsonl")),
        tuple(from_json(Module, line) for line in _lines(folder / "modules.jsonl")),
    )


def _query(values: dict[str, Any]) -> Query:
    return Query(
        values["theorem"],
        values["module"],
        values["line"],
        values["split"],
        values["origin"],
        from_json(Goal, values["goal"]),
        tuple(values["gold"]),
    )


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line)
