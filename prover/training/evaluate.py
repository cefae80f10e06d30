"""Measures an exported generator on the steps of held-out theorems.

    python -m prover evaluate MODEL PAIRS [--part valid|test] [--premises none gold NAME=FILE ...]
        [--limit 1000] [--count 8] [--json FILE]

There is one row for each way to fill the prompt. A row says how often the proof's own tactic is the first one
generated (exact@1), how often it is among the first `count` (exact@n), and how often one of those has the same
first word (head@n). Tactics are compared character by character, without white space and with the full names of
premises. Intervals are 95% bootstrap intervals over steps. `gold` lists the premises that the step uses and, if
a NAME=FILE is given, the retriever's after them, ten in all.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from lean_extract.common.errors import BadRecords, BadSettings
from lean_extract.common.option_types import positive
from lean_extract.common.verbs import add_json_option, write_json
from prover.generator.model import Generator
from prover.training.data import EncodedPairs
from prover.training.pairs import TacticPair
from prover.training.steps import matches, one_line, read_retrieved, sample, share_table, shares, tactic_steps
from retriever.metrics.bootstrap import Interval

_Fill = Callable[[int, TacticPair], Sequence[str]]
"""(index of a step, its pair) -> the names of the premises in its prompt."""
PREMISES = 10


@dataclass(frozen=True, slots=True)
class GeneratorRow:
    """The figures for one way to fill the prompt."""

    name: str
    steps: int
    figures: dict[str, Interval]
    by_origin: dict[str, tuple[int, float, float]]
    """By the origin of the state: number of steps, exact@1, exact@n."""
    milliseconds: float
    """Median time per step."""


def evaluate(
    generator: Generator, known: EncodedPairs, rows: Sequence[int], name: str, fill: _Fill, count: int
) -> GeneratorRow:
    """Run the generator on each of these steps."""
    pairs = tactic_steps(known)
    results: list[tuple[float, float, float]] = []
    times: list[float] = []
    for row in tqdm(rows, desc=name, unit="step", disable=None):
        pair = pairs[row]
        premises = [known.premises[known.number[each]] for each in fill(row, pair) if each in known.number]
        began = time.perf_counter()
        found = generator.generate([pair.goal], premises[:PREMISES], count=count)
        times.append(1000 * (time.perf_counter() - began))
        results.append(matches([each.tactic for each in found], pair.tactic, count, one_line))
    figures = shares(("exact@1", f"exact@{count}", f"head@{count}"), results)
    by_origin = _by_origin(pairs, rows, np.array(results))
    return GeneratorRow(name, len(rows), figures, by_origin, float(np.median(times)))


def _by_origin(
    pairs: Sequence[TacticPair], rows: Sequence[int], values: NDArray[np.float64]
) -> dict[str, tuple[int, float, float]]:
    rows_by_origin: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        rows_by_origin[pairs[row].origin].append(number)
    ordered = sorted(rows_by_origin.items(), key=lambda item: -len(item[1]))
    return {
        origin: (len(found), float(values[found, 0].mean()), float(values[found, 1].mean()))
        for origin, found in ordered
    }


def fills(names: Sequence[str], known: EncodedPairs, rows: Sequence[int]) -> dict[str, _Fill]:
    """The ways to fill prompts, by name. Raises BadSettings, BadRecords."""
    files = dict(name.split("=", 1) for name in names if "=" in name)
    retrieved = {name: _retrieved(Path(path), known, rows) for name, path in files.items()}
    after = next(iter(retrieved.values()), {})
    found: dict[str, _Fill] = {}
    for name in names:
        lists = retrieved.get(name.partition("=")[0])
        if name == "none":
            found[name] = lambda row, pair: ()
        elif name == "gold":
            found[name] = lambda row, pair: tuple(dict.fromkeys([*pair.gold, *after.get(row, ())]))
        elif "=" in name:
            found[name.partition("=")[0]] = lambda row, pair, lists=lists: lists[row]  # type: ignore[misc]
        else:
            raise BadSettings(f"`{name}` is not a way to fill the prompt.", "Give none, gold or NAME=FILE.")
    return found


def _retrieved(path: Path, known: EncodedPairs, rows: Sequence[int]) -> dict[int, list[str]]:
    """The retriever's premises for these steps. Raises BadRecords: the file lacks some of them."""
    lists = read_retrieved(path, known)
    found = {row: names for row in rows if (names := lists[row]) is not None}
    if len(found) < len(rows):
        hint = "Write it with a --limit that is at least as large, or without --limit."
        raise BadRecords(f"{path} lacks {len(rows) - len(found)} of the {len(rows)} steps.", hint)
    return found


def markdown(rows: Sequence[GeneratorRow]) -> str:
    """The rows of one evaluation as a Markdown table, in percent."""
    return share_table("premises", [(row.name, row.figures, f"{row.milliseconds:.0f}") for row in rows])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("model", type=Path, help="an exported generator's folder")
    parser.add_argument("pairs", type=Path, help="a folder that `python -m prover pairs` wrote")
    parser.add_argument("--part", choices=("valid", "test"), default="valid", help="the split (valid)")
    parser.add_argument("--premises", nargs="*", default=["none", "gold"], help="none, gold, NAME=FILE")
    parser.add_argument(
        "--limit", type=positive, default=1000, help="the size of a fixed sample of steps (1000)"
    )
    parser.add_argument("--count", type=positive, default=8, help="tactics per step (8)")
    add_json_option(parser)


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    generator = Generator.load(options.model, threads=1)
    known = EncodedPairs(options.pairs, options.part)
    total = len(tactic_steps(known))
    if not total:
        raise BadRecords(f"{options.pairs} has no {options.part} steps.", "Choose another --part.")
    sampled = sample(total, options.limit)
    print(f"{options.part}: {len(sampled)} of {total} steps, pairs {known.manifest.digest[:16]},"
          f" generator {generator.fingerprint}")  # fmt: skip
    rows = [
        evaluate(generator, known, sampled, name, fill, options.count)
        for name, fill in fills(options.premises, known, sampled).items()
    ]
    print(markdown(rows))
    about = {"part": options.part, "pairs": known.manifest.digest, "generator": generator.fingerprint}
    write_json(options.json, {**about, "rows": [asdict(row) for row in rows]})
