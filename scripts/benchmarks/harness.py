"""What the benchmarks share: options, clocks, medians, and how results are printed and kept."""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retriever.lean.index import bundled

Row = tuple[str, float, str]
"""What was measured, the value, and its unit."""
ENCODER = bundled.DATA.parent / "encoder"
"""The shipped encoder's folder."""


@dataclass(frozen=True, slots=True)
class Stopwatch:
    """Measures work several times. `clock`: returns seconds, of the wall or of this process's CPU."""

    runs: int
    clock: Callable[[], float] = time.perf_counter

    @classmethod
    def of(cls, options: argparse.Namespace) -> Stopwatch:
        """As the options `add_timing` say."""
        return cls(options.runs, time.process_time if options.cpu else time.perf_counter)

    def seconds(self, work: Callable[[], object]) -> float:
        """How long the work takes once."""
        started = self.clock()
        work()
        return self.clock() - started

    def median_ms(self, work: Callable[[], object]) -> float:
        """The median over all runs, in milliseconds."""
        return 1000 * statistics.median(self.seconds(work) for _ in range(self.runs))


def add_timing(parser: argparse.ArgumentParser, runs: int) -> None:
    """Declare `--runs` and `--cpu`."""
    parser.add_argument("--runs", type=int, default=runs, help=f"how often each is done (default: {runs})")
    about = "count this process's own CPU time, for a machine that others use (set OMP_NUM_THREADS=1 then)"
    parser.add_argument("--cpu", action="store_true", help=about)


def add_json(parser: argparse.ArgumentParser) -> None:
    """Declare `--json`."""
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results there, too")


def show(rows: Sequence[Row], path: Path | None) -> None:
    """Print the rows as a table; write them to a file if one is given."""
    width = max(len(name) for name, _, _ in rows)
    for name, value, unit in rows:
        print(f"{name:<{width}} {value:>12,.1f} {unit}".rstrip())
    write_json({name: {"value": value, "unit": unit} for name, value, unit in rows}, path)


def write_json(document: Any, path: Path | None) -> None:
    """Write a document to a file if one is given."""
    if path is not None:
        path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def median_and_tail(milliseconds: Sequence[float]) -> tuple[float, float]:
    """The median and the 95th percentile."""
    return statistics.median(milliseconds), statistics.quantiles(milliseconds, n=20)[-1]
