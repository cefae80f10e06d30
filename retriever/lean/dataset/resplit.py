"""A dataset split anew, by one of the strategies of section 4.1.4 or by time.

    python -m retriever resplit DATASET OUT --strategy rd|ri|pl|pf|time
        [--records RECORDS] [--older RECORDS_OR_DATASET] [--without NAMES] [--seed 0] [--size 2000]

rd holds out theorems at random; ri does as well, and strikes every premise of theirs from what training
queries are to find; pl and pf draw them weighted by proof length and premise frequency, which come from
the RECORDS that the dataset was built from; time draws them from what the older library does not have by
name, and leaves the rest of that out. The same arguments give the same bytes. For comparisons only: what is
shipped is trained on the split by hash, and whoever trained on one split knows another's test part.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lean_extract.common.errors import BadRecords, BadSettings
from lean_extract.common.terminal_text import complaints_printed
from lean_extract.records import Premise, read_header, read_records, to_json
from retriever.lean.dataset.dataset import (
    Dataset,
    DatasetManifest,
    load_dataset,
    names_in,
    write_dataset,
)
from retriever.lean.dataset.queries import DatasetQuery
from retriever.lean.dataset.strategies import (
    HELD_OUT,
    STRATEGIES,
    ProofFacts,
    Strategy,
    families_of,
    hold_out,
    isolate,
    read_facts,
)
from retriever.search.splits import SPLITS, family_roots


@dataclass(frozen=True, slots=True)
class SplitPlan:
    """How a dataset is to be split."""

    strategy: Strategy
    seed: int = 0
    size: int = HELD_OUT
    records: Path | None = None
    older: Path | None = None
    without: frozenset[str] = frozenset()
    """Theorems that are no training queries, whatever part they fall into; nor are their twins."""


@dataclass(frozen=True, slots=True)
class Older:
    """The names of an older library, and its revision or digest."""

    names: frozenset[str] = frozenset()
    revision: str = ""


def resplit(source: Path, out: Path, plan: SplitPlan, complaints: list[str] | None = None) -> DatasetManifest:
    """Write the dataset `source`, split by the plan, to the folder `out`.

    Raises BadSettings when the plan lacks a file that its strategy needs, BadRecords when a file does not
    fit or the dataset is too small.
    """
    _check(plan, source, out)
    dataset = load_dataset(source, complaints)
    if dataset.manifest.strategy != "hash":
        hint = "Name the dataset that `python -m retriever dataset` wrote."
        raise BadSettings(f"{source} has been split before, by {dataset.manifest.strategy}.", hint)
    facts = _facts(plan, dataset, complaints)
    older = _older(plan.older, complaints) if plan.strategy == "time" and plan.older else Older()
    queries = _split_queries(dataset, plan, facts, older)
    manifest = replace(
        dataset.manifest,
        strategy=plan.strategy,
        seed=plan.seed,
        made_from=dataset.manifest.digest,
        older=older.revision,
        left_out=_left_out(dataset.queries, queries),
    )
    return write_dataset(out, dataset.corpus, queries, dataset.modules, manifest)


def _split_queries(
    dataset: Dataset, plan: SplitPlan, facts: ProofFacts | None = None, older: Older | None = None
) -> list[DatasetQuery]:
    """The dataset's queries in the parts of the plan, in their order. Raises BadRecords."""
    roots = family_roots((*dataset.corpus, *(facts.premises if facts else ())))
    families = families_of(dataset.queries, roots)
    parts = hold_out(
        plan.strategy,
        families,
        seed=plan.seed,
        size=plan.size,
        sizes=facts.sizes if facts else None,
        older=older.names if older else frozenset(),
    )
    barred = {roots.get(name, name) for name in plan.without}
    queries: list[DatasetQuery] = []
    for query in dataset.queries:
        root = roots.get(query.theorem, query.theorem)
        part = parts[root]
        if part is not None and not (part == "train" and root in barred):
            queries.append(replace(query, split=part))
    queries = isolate(queries) if plan.strategy == "ri" else queries
    if {query.split for query in queries} != set(SPLITS):
        raise BadRecords(
            f"Too few theorems to split by {plan.strategy}: {len(families)} families have queries.",
            "Split a larger library, or hold out by hash.",
        )
    return queries


def _check(plan: SplitPlan, source: Path, out: Path) -> None:
    if out.resolve() == source.resolve():
        raise BadSettings(f"{out} is the dataset to split.", "Name another folder to write.")
    if plan.strategy in ("pl", "pf") and plan.records is None:
        hint = "Name the records that it was built from with --records."
        raise BadSettings(f"A dataset lacks what {plan.strategy} weighs proofs by.", hint)
    if plan.strategy == "time" and plan.older is None:
        hint = "Name the records or the dataset of the older one with --older."
        raise BadSettings("The split by time needs an older library.", hint)
    if plan.size < 1:
        raise BadSettings(f"A part cannot have {plan.size} theorems.", "Give --size at least 1.")


def _facts(plan: SplitPlan, dataset: Dataset, complaints: list[str] | None) -> ProofFacts | None:
    return None if plan.records is None else facts_for(dataset, plan.records, complaints)


def facts_for(
    dataset: Dataset, records: Path, complaints: list[str] | None = None, known: ProofFacts | None = None
) -> ProofFacts:
    """The facts in the records that a dataset was built from; `known` ones of this file are not read again.

    Raises BadRecords when the dataset was built from others.
    """
    corpus = frozenset(premise.name for premise in dataset.corpus)
    facts = known or read_facts(records, corpus, complaints)
    if facts.revision != dataset.manifest.revision:
        raise BadRecords(
            f"{records} is of revision {facts.revision}, the dataset of {dataset.manifest.revision}.",
            "Name the records that the dataset was built from.",
        )
    return facts


def _older(path: Path, complaints: list[str] | None) -> Older:
    if path.is_dir():
        loaded = load_dataset(path, complaints)
        names = {premise.name for premise in loaded.corpus} | {query.theorem for query in loaded.queries}
        return Older(frozenset(names), loaded.manifest.digest)
    found = (record.name for record in read_records(path, complaints) if isinstance(record, Premise))
    return Older(frozenset(found), read_header(path).revision)


def _left_out(before: Sequence[DatasetQuery], after: Sequence[DatasetQuery]) -> dict[str, int]:
    """How many theorems, queries and pairs of query and gold premise are in no part any more."""
    return {
        "theorems": len({query.theorem for query in before}) - len({query.theorem for query in after}),
        "queries": len(before) - len(after),
        "gold": sum(len(query.gold) for query in before) - sum(len(query.gold) for query in after),
    }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("dataset", type=Path, help="a dataset folder, split by hash")
    parser.add_argument("out", type=Path, help="the folder to write")
    parser.add_argument("--strategy", choices=STRATEGIES, required=True)
    parser.add_argument("--records", type=Path, help="the records that the dataset was built from")
    parser.add_argument("--older", type=Path, help="an older library's records or dataset, for time")
    parser.add_argument("--without", type=Path, help="a file of theorem names never to train on, one a line")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--size", type=int, default=HELD_OUT, help="theorems in valid and in test")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    with complaints_printed() as complaints:
        without = names_in(options.without)
        plan = SplitPlan(
            options.strategy, options.seed, options.size, options.records, options.older, without
        )
        manifest = resplit(options.dataset, options.out, plan, complaints)
    print(json.dumps(to_json(manifest), indent=2))
