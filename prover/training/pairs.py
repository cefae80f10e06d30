"""Turns extraction records into (state, tactic) pairs, the generator's training data (section 3.3.3).

    python -m prover pairs RECORDS [RECORDS ...] OUT [--without NAMES]

Records of real elaboration (`lean_extract trace`) contain Lean's own states; those of the source reader,
extracted with `--states`, contain the states that the text determines; `lean_extract goal-comments` adds states
with a target that Lean printed. A target of which only the beginning is known makes no pair. The folder holds
`pairs.jsonl`, `premises.jsonl` (the pool for negatives, sorted by name) and `manifest.json`. The same records
give the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lean_extract.common.errors import BadRecords
from lean_extract.common.files.atomic import replacing
from lean_extract.common.terminal_text import complaints_printed
from lean_extract.records import PRINTED_IN_PART, Goal, Premise, Proof, TacticStep, read_header, to_json
from lean_extract.syntax.complete_tactics import complete
from lean_extract.syntax.premise_mentions import endings, pieces, qualified
from retriever.lean.dataset.dataset import Records, load_records, names_in, write_lines
from retriever.lean.theorems import is_theorem
from retriever.search.splits import Split, family_roots, root_name, split_of

VERSION = 1
_HELD_OUT = "Problems"
"""The root of the modules with the problems that evaluate the search (`lean_extract/minicore/problems`)."""


@dataclass(frozen=True, slots=True)
class TacticPair:
    """A state, the proof's tactic at that state, and the premises that the tactic uses."""

    theorem: str
    module: str
    line: int | None
    split: Split
    kind: str
    """`lean`: a traced step; `tactic`: a step whose state is known from the text; `term`: a goal proved by a term,
    as the step `exact term`."""
    origin: str
    """Where the state comes from: `lean`, or a keyword of the source (`start`, `have`, `intro`, ...; `comment` if
    Lean printed the target)."""
    goal: Goal
    tactic: str
    """On one line, with the full names of premises."""
    gold: tuple[str, ...]
    """Premises that the tactic uses; those that it names come first."""


@dataclass(frozen=True, slots=True)
class PairsManifest:
    """What a folder of pairs was made from. `digest` is a hash of both data files."""

    version: int
    sources: tuple[str, ...]
    """The kind and revision of each records file."""
    premises: int = 0
    pairs: dict[str, int] = field(default_factory=dict)
    """The number of pairs, by split and kind, and by split and origin."""
    left_out: dict[str, int] = field(default_factory=dict)
    """The number of steps with a known state that give no pair, by reason."""
    digest: str = ""


def pairs_of(records: Records, without: frozenset[str], left_out: Counter[str]) -> Iterator[TacticPair]:
    """Every pair, by theorem, then in the order of the proof.

    The theorems `without`, and others of their families, are left out of training.
    """
    roots = family_roots(records.premises)
    barred = {roots.get(name, name) for name in without}
    statements = {premise.name: premise for premise in records.premises}
    for proof in sorted(records.proofs, key=lambda proof: (proof.theorem, proof.module)):
        theorem = statements.get(proof.theorem)
        if theorem is None or not is_theorem(theorem):
            continue
        if proof.module.split(".")[0] == _HELD_OUT:
            left_out["of the mini core's problems"] += 1
            continue
        split = split_of(root_name(theorem))
        if split == "train" and roots[theorem.name] in barred:
            left_out["of a theorem that is left out"] += 1
            continue
        yield from _pairs_of_proof(proof, split, statements, left_out)


def _pairs_of_proof(
    proof: Proof, split: Split, statements: dict[str, Premise], left_out: Counter[str]
) -> Iterator[TacticPair]:
    steps = [("lean" if step.origin is None else "tactic", step) for step in proof.steps]
    for kind, step in [*steps, *(("term", step) for step in proof.terms)]:
        if step.before is None or not step.before.goals or not step.before.goals[0].target:
            continue
        tactic = complete(step.tactic)
        if tactic is None:
            left_out[f"{kind}: not one complete tactic"] += 1
            continue
        if step.origin == PRINTED_IN_PART:
            left_out[f"{kind}: only the beginning of the goal is known"] += 1
            continue
        goal = step.before.goals[0]
        local = frozenset(name for hypothesis in goal.hypotheses for name in hypothesis.names)
        gold = _gold(step, tactic, local, statements)
        line = step.span.start.line if step.span else None
        yield TacticPair(
            proof.theorem,
            proof.module,
            line,
            split,
            kind,
            step.origin or "lean",
            goal,
            qualified(tactic, step.premises, local),
            gold,
        )


def _gold(
    step: TacticStep, tactic: str, local: frozenset[str], statements: dict[str, Premise]
) -> tuple[str, ...]:
    """The premises that the tactic names, then the theorems that it uses without naming them (as in `h.symm`)."""
    named = [name for _, name in pieces(tactic, endings(step.premises), local) if name]
    used = [name for name in step.premises if name in statements and is_theorem(statements[name])]
    return tuple(dict.fromkeys([name for name in [*named, *used] if name in statements]))


def _pool_of(premises: Iterable[Premise]) -> list[Premise]:
    """The premises that a prompt may list, sorted by name; the first of each name counts."""
    by_name: dict[str, Premise] = {}
    for premise in premises:
        if not premise.is_private:
            by_name.setdefault(premise.name, premise)
    return [by_name[name] for name in sorted(by_name)]


def build_pairs(
    paths: Sequence[Path], out: Path, complaints: list[str], without: frozenset[str] = frozenset()
) -> PairsManifest:
    """Write the folder `out`; its manifest is written last. Raises BadRecords: no step has a state."""
    (out / "manifest.json").unlink(missing_ok=True)
    left_out: Counter[str] = Counter()
    pairs: list[TacticPair] = []
    premises: list[Premise] = []
    sources: list[str] = []
    for path in paths:
        header = read_header(path)
        sources.append(f"{header.source} {header.revision}")
        records = load_records(path, complaints)
        premises += records.premises
        pairs += pairs_of(records, without, left_out)
    if not pairs:
        raise BadRecords(
            f"No step in {', '.join(map(str, paths))} has a state.",
            "Extract with `python -m lean_extract extract ROOT OUT --states`, or `python -m lean_extract trace`.",
        )
    pool = _pool_of(premises)
    digest = hashlib.sha256()
    write_lines(out / "premises.jsonl", map(to_json, pool), digest)
    write_lines(out / "pairs.jsonl", map(to_json, pairs), digest)
    manifest = PairsManifest(
        VERSION, tuple(sources), len(pool), _counts(pairs), dict(sorted(left_out.items())), digest.hexdigest()
    )
    with replacing(out / "manifest.json") as stream:
        stream.write(json.dumps(to_json(manifest), indent=2) + "\n")
    return manifest


def _counts(pairs: Iterable[TacticPair]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for pair in pairs:
        counts[f"{pair.split}/{pair.kind}"] += 1
        if pair.kind == "tactic":
            counts[f"{pair.split}/tactic/{pair.origin}"] += 1
    return dict(sorted(counts.items()))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("records", type=Path, nargs="+", help="records files (JSONL)")
    parser.add_argument("out", type=Path, help="the folder to write")
    parser.add_argument(
        "--without", type=Path, help="a file of theorems to leave out of training, one name per line"
    )


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    with complaints_printed() as complaints:
        manifest = build_pairs(options.records, options.out, complaints, names_in(options.without))
    print(json.dumps(to_json(manifest), indent=2))
