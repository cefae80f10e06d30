"""Work in one process compared with the same work on Dask, with one and with two processes.

`extracting` and `indexing` are of the projects, `proving` of the first 30 problems of the mini core with at most three
states each, `measuring` of `retriever evaluate`. Medians of whole commands, start included, and ratios to one process.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from lean_extract.common.errors import UserError

_COUNTS = ("1", "2")
Way = Callable[[Path], Sequence[Sequence[str]]]
"""The commands of one way to do the work, one after the other, in an empty folder."""


def extracting(projects: Sequence[str]) -> dict[str, Way]:
    """Records with states."""
    command = [sys.executable, "-m", "lean_extract"]

    def alone(folder: Path) -> list[list[str]]:
        return [
            [*command, "extract", one, str(folder / f"{n}.jsonl"), "--states", "--workers", "1"]
            for n, one in enumerate(projects)
        ]

    def on_dask(count: str, folder: Path) -> list[list[str]]:
        return [[*command, "extract-all", str(folder), *projects, "--states", "--processes", count]]

    return _ways(alone, on_dask)


def indexing(projects: Sequence[str]) -> dict[str, Way]:
    """Indexes that were not there before."""
    command = [sys.executable, "-m", "lsp_server", "index", *projects, "--quiet"]
    return _ways(lambda folder: [command], lambda count, folder: [[*command, "--processes", count]])


def proving() -> dict[str, Way]:
    """Proof search, limited by states and not by time."""

    def command(folder: Path) -> list[str]:
        command = ["eval", "minicore", "--limit", "30", "--nodes", "3", "--seconds", "120", "--quiet"]
        return [sys.executable, "-m", "lsp_server", *command, "--out", str(folder / "run")]

    found = _ways(
        lambda folder: [command(folder)], lambda count, folder: [[*command(folder), "--processes", count]]
    )
    return {**found, "one process, two Leans": lambda folder: [[*command(folder), "--workers", "2"]]}


def measuring(model: str, dataset: str, states: str) -> dict[str, Way]:
    """Figures over traced states."""
    command = [sys.executable, "-m", "retriever", "evaluate", model, dataset, "--part", "--states", states]
    command += ["--methods", "bm25", "ranked", "--limit", "400", "--cache", f"{dataset}-cache"]
    return _ways(lambda folder: [command], lambda count, folder: [[*command, "--processes", count]])


def _ways(alone: Way, on_dask: Callable[[str, Path], Sequence[Sequence[str]]]) -> dict[str, Way]:
    return {"one process": alone} | {f"Dask, {count}": partial(on_dask, count) for count in _COUNTS}


def seconds(way: Way) -> float:
    """Of one way's commands."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        variables: Mapping[str, str] = {**os.environ, "PREMISE_SUGGEST_INDEX": str(folder / "index")}
        commands = way(folder)
        began = time.perf_counter()
        for command in commands:
            subprocess.run(command, check=True, capture_output=True, env=variables)
        return time.perf_counter() - began


def show(work: str, ways: Mapping[str, Way], rounds: int) -> None:
    """Run all ways in turns, and print a row of each."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            taken[name].append(seconds(way))
    first = statistics.median(taken["one process"])
    for name, found in taken.items():
        middle = statistics.median(found)
        print(f"{work:<12} {name:<24} {middle:>6.1f} s   {first / middle:.2f} times one process", flush=True)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("projects", type=Path, nargs="*")
    kinds = ("extracting", "indexing", "proving", "measuring")
    parser.add_argument("--work", choices=kinds, nargs="+", default=kinds[:3])
    parser.add_argument("--measured", nargs=3, default=(), metavar=("MODEL", "DATASET", "STATES"))
    parser.add_argument("--rounds", type=int, default=3)


def run(options: argparse.Namespace) -> None:
    projects = [str(one.resolve()) for one in options.projects]
    if not projects and {"extracting", "indexing"} & {*options.work}:
        raise UserError("extracting and indexing need projects.", "Name their folders.")
    makers: dict[str, Callable[[], dict[str, Way]]] = {
        "extracting": partial(extracting, projects),
        "indexing": partial(indexing, projects),
        "proving": proving,
        "measuring": partial(measuring, *options.measured),
    }
    for work in options.work:
        show(work, makers[work](), options.rounds)
