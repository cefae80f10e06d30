"""A dataset with the definitions of its records: they are offered, voted for and counted as an index has them.

The corpus of a dataset holds theorems, for these are what the encoder is trained on. The premises of other kinds
come behind them, from the records that the dataset was made of, and what the proofs of the dataset's statements
use of them becomes gold.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lean_extract.common.errors import BadRecords
from lean_extract.records import Premise, read_header, to_json
from retriever.lean.dataset.dataset import DatasetQuery, load_records
from retriever.lean.dataset.files import Dataset
from retriever.lean.theorems import is_theorem


def with_definitions(dataset: Dataset, records: Path) -> Dataset:
    """The dataset with a larger corpus, and a digest of its own. Raises BadRecords."""
    revision = read_header(records).revision
    if revision != dataset.manifest.revision:
        raise BadRecords(
            f"{records} is of revision {revision}, the dataset of {dataset.manifest.revision}.",
            "Name the records that the dataset was made of.",
        )
    read = load_records(records)
    further = definitions_of(read.premises, dataset.corpus)
    numbers = {one.name: number for number, one in enumerate(further, start=len(dataset.corpus))}
    used: dict[str, frozenset[int]] = {}
    for proof in read.proofs:
        found = frozenset(numbers[name] for name in proof.premises if name in numbers)
        used[proof.theorem] = used.get(proof.theorem, frozenset()) | found
    digest = hashlib.sha256(dataset.manifest.digest.encode())
    for one in further:
        digest.update(json.dumps(to_json(one), sort_keys=True).encode())
    return replace(
        dataset,
        corpus=(*dataset.corpus, *further),
        queries=tuple(_with_gold(query, used) for query in dataset.queries),
        manifest=replace(dataset.manifest, digest=digest.hexdigest()),
    )


def definitions_of(premises: Sequence[Premise], corpus: Sequence[Premise]) -> list[Premise]:
    """The premises that are no theorems, by name; the first of a name counts."""
    known = {premise.name for premise in corpus}
    found: dict[str, Premise] = {}
    for premise in premises:
        if not premise.is_private and not is_theorem(premise) and premise.name not in known:
            found.setdefault(premise.name, premise)
    return [found[name] for name in sorted(found)]


def _with_gold(query: DatasetQuery, used: dict[str, frozenset[int]]) -> DatasetQuery:
    if query.origin != "statement" or not used.get(query.theorem):
        return query
    return replace(query, gold=(*query.gold, *sorted(used[query.theorem])))
