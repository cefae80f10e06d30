"""How much more often the proofs of a library split cases with a theorem than they use it: `data/case_splits.txt`.

    python -m retriever case-splits RECORDS [--without NAMES] [--out FILE]

A theorem counts once for each step that mentions it. The table has the logarithm of its uses in steps that begin with
`obtain`, `rcases` and their kind, by those to be expected from all its uses; 5 is added to both. The theorems
for which that says most are kept. Proofs of the names of `--without`, of those that the hash of a name holds out, and
of the twins of both do not count.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from lean_extract.common.errors import BadRecords
from lean_extract.common.files.atomic import replacing
from lean_extract.common.terminal_text import complaints_printed
from lean_extract.records import Premise, Proof, read_header
from lean_extract.syntax.complete_tactics import head
from retriever.lean.case_splits import SHIPPED, SPLITTING
from retriever.lean.dataset.dataset import load_records, names_in
from retriever.lean.dataset.queries import HeldOut
from retriever.lean.theorems import is_theorem

_DOUBT = 5.0
"""Uses by which both numbers are made larger, so that rare theorems are not sure of anything."""
_MOST = 200
_HEAD_CHARACTERS = 100


def log_odds(
    premises: Sequence[Premise], proofs: Iterable[Proof], without: Iterable[str] = ()
) -> dict[str, float]:
    """The table, by name: at most `_MOST` theorems."""
    held_out = HeldOut.of([premises], without)
    theorems = {one.name for one in premises if is_theorem(one)}
    every, splitting = Counter[str](), Counter[str]()
    for proof in proofs:
        if proof.theorem not in theorems or proof.theorem in held_out:
            continue
        for step in proof.steps:
            used = theorems.intersection(step.premises)
            every.update(used)
            if head(step.tactic[:_HEAD_CHARACTERS]) in SPLITTING:
                splitting.update(used)
    share = splitting.total() / max(every.total(), 1)
    found = {
        name: math.log((uses + _DOUBT) / (share * every[name] + _DOUBT)) for name, uses in splitting.items()
    }
    best = sorted(found, key=lambda name: (-abs(found[name]) * math.sqrt(splitting[name]), name))[:_MOST]
    return {name: found[name] for name in sorted(best)}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("records", type=Path, help="a records file (JSONL)")
    parser.add_argument("--without", type=Path, help="a file of names never to count, one a line")
    parser.add_argument(
        "--out", type=Path, default=SHIPPED, help="the file to write; default: the shipped one"
    )


def run(options: argparse.Namespace) -> None:
    """Run the command. Raises BadRecords."""
    with complaints_printed() as complaints:
        records = load_records(options.records, complaints)
    found = log_odds(records.premises, records.proofs, names_in(options.without))
    if not found:
        raise BadRecords(
            f"No proof in {options.records} splits cases with a theorem.", "Name the records of a library."
        )
    about = f"# records {read_header(options.records).revision}: {len(found)} theorems"
    with replacing(options.out) as stream:
        stream.write(f"{about}\n" + "".join(f"{name} {odds:.2f}\n" for name, odds in found.items()))
    print(about.removeprefix("# "))
