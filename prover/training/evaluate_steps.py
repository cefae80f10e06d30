"""Measures generators on real steps, one row a generator.

    python -m prover evaluate-steps STEPS PAIRS MODEL [MODEL ...] --premises FILE [--limit N] [--json FILE]

STEPS has one tactic a line in LeanDojo's form; FILE is what `python -m prover retrieve` wrote for it; PAIRS is a
folder of pairs that has the premises' statements. Figures are as in `python -m prover evaluate-neighbours`: names are
compared by their last parts. The generator runs twice: for 8 tactics, as in a suggestion, and for 32.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from tqdm import tqdm

from lean_extract.common.option_types import positive
from lean_extract.common.verbs import add_json_option, write_json
from lean_extract.records import Premise
from prover.generator.source import TacticGenerator
from prover.opening import open_folder
from prover.training.data import EncodedPairs
from prover.training.fit_shapes import PREMISES
from prover.training.steps import WantedStep, matches, read_lists, read_steps, sample, share_table, shares
from retriever.metrics.bootstrap import Interval

_FEW, _MANY = 8, 32


@dataclass(frozen=True, slots=True)
class _StepsRow:
    """The figures of one generator."""

    name: str
    fingerprint: str
    figures: dict[str, Interval]
    milliseconds: float
    """Median time per step."""
    slowest: float
    """The longest time of a step, in milliseconds."""


def _evaluate(
    name: str,
    generator: TacticGenerator,
    steps: Sequence[WantedStep],
    offered: Sequence[Sequence[Premise]],
) -> _StepsRow:
    """Run a generator on each of these steps with these premises."""
    results, times = [], []
    for step, premises in zip(tqdm(steps, desc=name, unit="step", disable=None), offered, strict=True):
        began = time.perf_counter()
        found = generator.generate([step.goal], premises, count=_FEW)
        times.append(1000 * (time.perf_counter() - began))
        more = generator.generate([step.goal], premises, count=_MANY)
        first, few, heads = matches([one.tactic for one in found], step.tactic, _FEW)
        many = matches([one.tactic for one in more], step.tactic, _MANY)[1]
        results.append((first, few, many, heads))
    figures = shares(("exact@1", f"exact@{_FEW}", f"exact@{_MANY}", f"head@{_FEW}"), results)
    return _StepsRow(name, generator.fingerprint, figures, float(np.median(times)), max(times))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("steps", type=Path, help="steps in LeanDojo's form, one a line (JSONL)")
    parser.add_argument("pairs", type=Path, help="a folder of pairs with the premises' statements")
    parser.add_argument("models", type=Path, nargs="+", help="generators' folders")
    parser.add_argument("--premises", type=Path, required=True, help="lists that `prover retrieve` wrote")
    parser.add_argument(
        "--limit", type=positive, default=sys.maxsize, help="the size of a fixed sample (all)"
    )
    add_json_option(parser)


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    steps = read_steps(options.steps)
    digest = hashlib.sha256(options.steps.read_bytes()).hexdigest()
    lists = read_lists(options.premises, digest, "", len(steps))
    known = EncodedPairs(options.pairs, "valid")
    sampled = [row for row in sample(len(steps), options.limit) if lists[row] is not None]
    offered = [
        [known.premises[known.number[name]] for name in lists[row] or () if name in known.number][:PREMISES]
        for row in sampled
    ]
    print(f"{len(sampled)} of {len(steps)} steps of {options.steps.name} ({digest[:16]})")
    wanted = [steps[row] for row in sampled]
    rows = [_evaluate(path.name, open_folder(path, threads=1), wanted, offered) for path in options.models]
    print(share_table("generator", [(row.name, row.figures, f"{row.milliseconds:.0f}") for row in rows]))
    write_json(options.json, {"steps": digest, "asked": len(sampled), "rows": [asdict(row) for row in rows]})
