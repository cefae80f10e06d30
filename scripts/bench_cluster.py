"""Extraction of several projects: one process after another project, and Dask with one and two workers.

    python scripts/bench_cluster.py PROJECT ... [--rounds 3]

Medians of whole commands, start included, and ratios to one process.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

_EXTRACT = [sys.executable, "-m", "lean_extract"]


def seconds(*commands: Sequence[str]) -> float:
    """Of running commands one after the other."""
    began = time.perf_counter()
    for command in commands:
        subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - began


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("projects", type=Path, nargs="+")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    projects = [str(one) for one in options.projects]
    taken: dict[str, list[float]] = {}
    for _ in range(options.rounds):
        with tempfile.TemporaryDirectory() as folder:
            plain = [
                [*_EXTRACT, "extract", one, f"{folder}/{n}.jsonl", "--states", "--workers", "1"]
                for n, one in enumerate(projects)
            ]
            taken.setdefault("one process", []).append(seconds(*plain))
            for workers in ("1", "2"):
                command = [*_EXTRACT, "extract-all", f"{folder}/{workers}", *projects, "--states"]
                found = seconds([*command, "--processes", workers])
                taken.setdefault(f"Dask, {workers} of its workers", []).append(found)
    first = statistics.median(taken["one process"])
    for name, found in taken.items():
        middle = statistics.median(found)
        print(f"{name:<24} {middle:>6.1f} s   {first / middle:.2f} times one process")
    return 0


if __name__ == "__main__":
    sys.exit(main())
