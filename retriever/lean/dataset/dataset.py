"""Records in, a training set out: corpus, queries with their gold premises, splits, and a hash over all.

    python -m retriever dataset RECORDS OUT [--without NAMES]

The folder holds `corpus.jsonl` (one premise a line), `queries.jsonl`, `modules.jsonl` and `manifest.json`.
The same records give the same bytes,
wherever the sources lay.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from lean_extract.errors import BadRecords, BadSettings
from lean_extract.files.atomic import replacing
from lean_extract.records import (
    PRINTED,
    PRINTED_IN_PART,
    Goal,
    Module,
    Premise,
    Proof,
    read_header,
    read_records,
    to_json,
)
from lean_extract.source.grammar.statements import goal_of
from lean_extract.telling import complaints_printed
from retriever.lean.theorems import is_theorem
from retriever.search.splits import SPLITS, Split, family_roots, root_name, split_of

VERSION = 1


@dataclass(frozen=True, slots=True)
class DatasetQuery:
    """A state and what its proof uses (section 3.1.1)."""

    theorem: str
    module: str
    line: int | None
    split: Split
    origin: str
    """`statement`, `inner` (`have`, `show`, ...) or `step` (a tactic whose state Lean traced, or the text tells);
    `comment` and `comment-truncated`: a step whose target Lean printed, whole or its beginning."""
    goal: Goal
    gold: tuple[int, ...]
    """Numbers of corpus premises, ascending."""


@dataclass(frozen=True, slots=True)
class DatasetManifest:
    """What a dataset was made of. `digest` is a hash over the three data files.

    What stands below it is set by `resplit` alone and left out of the file where it is not.
    """

    version: int
    source: str
    revision: str
    corpus: int = 0
    queries: dict[str, int] = field(default_factory=dict)
    digest: str = ""
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


def queries_of(
    records: Records, corpus: list[Premise], without: frozenset[str] = frozenset()
) -> Iterator[DatasetQuery]:
    """Every state with gold premises in the corpus, by theorem name, then in the order of the proof.

    Proofs of the theorems `without`, and of their twins, are left out of the training split.
    """
    roots = family_roots(records.premises)
    barred = {roots.get(name, name) for name in without}
    number = {premise.name: index for index, premise in enumerate(corpus)}
    statements = {premise.name: premise for premise in records.premises}
    for proof in sorted(records.proofs, key=lambda proof: (proof.theorem, proof.module)):
        theorem = statements.get(proof.theorem)
        if theorem is None or not is_theorem(theorem) or not theorem.conclusion:
            continue
        split = split_of(root_name(theorem))
        if split == "train" and roots[theorem.name] in barred:
            continue
        line = theorem.span.start.line if theorem.span else None
        for origin, goal, names in _states(theorem, proof):
            gold = tuple(sorted({number[name] for name in names if name in number and name != theorem.name}))
            if gold:
                yield DatasetQuery(theorem.name, theorem.module, line, split, origin, goal, gold)


def _states(theorem: Premise, proof: Proof) -> Iterator[tuple[str, Goal, tuple[str, ...]]]:
    yield "statement", goal_of(theorem.context, theorem.conclusion), proof.premises
    for inner in proof.inner_goals:
        yield "inner", goal_of(inner.context, inner.conclusion), inner.premises
    for goal, (origin, names) in _step_goals(proof).items():
        yield origin, goal, tuple(names)


def _step_goals(proof: Proof) -> dict[Goal, tuple[str, dict[str, None]]]:
    """The distinct main goals before and after the steps, each with the premises of all steps it belongs to.

    Each has the origin of its query, that of the first such step.

    Section 3.1.1 relates the states before and after a step to its premises. The state behind a step that
    closes its goal is one that the step had nothing to do with, and belongs to the next step only.
    """
    found: dict[Goal, tuple[str, dict[str, None]]] = {}
    for step in proof.steps:
        before = step.before.goals if step.before else ()
        after = step.after.goals if step.after else ()
        touched = after if not before or after != before[1:] else ()
        for goal in (*before[:1], *touched[:1]):
            origin = step.origin if step.origin in (PRINTED, PRINTED_IN_PART) else "step"
            found.setdefault(goal, (origin, {}))[1].update(dict.fromkeys(step.premises))
    return found


def build_dataset(
    records_path: Path,
    out: Path,
    complaints: list[str] | None = None,
    without: frozenset[str] = frozenset(),
) -> DatasetManifest:
    """Write the dataset folder `out`; its manifest comes last, so a folder without one is unfinished.

    Proofs of the theorems `without` are no training queries (those of another benchmark, say).
    Raises BadRecords when the records are of another format or no proof in them uses a known theorem.
    """
    header = read_header(records_path)
    records = load_records(records_path, complaints)
    corpus = corpus_of(records.premises)
    queries = list(queries_of(records, corpus, without))
    if not queries:
        raise BadRecords(
            f"No proof in {records_path} uses a theorem that it also states.",
            "Extract a whole library, such as Mathlib, and try again.",
        )
    return write_dataset(
        out, corpus, queries, records.modules, DatasetManifest(VERSION, header.source, header.revision)
    )


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
    return {
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


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    with complaints_printed() as complaints:
        manifest = build_dataset(options.records, options.out, complaints, names_in(options.without))
    print(json.dumps(to_json(manifest), indent=2))
