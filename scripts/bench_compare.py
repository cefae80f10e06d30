"""Compares the speed of this tree with another one's, measured in turns.

    python scripts/bench_compare.py BASE [--rounds N] [--lean FOLDER] [--only PROBE ...]
        [--json FILE]

BASE is a checkout of an older commit (`git worktree add BASE COMMIT`). Each probe runs in a process of its
own, once in each tree and by that tree's copy of this script, round after round. CPU time is counted, but where Lean
answers: there it is the time that a user waits.
Prints the medians and their ratio. FOLDER holds Lean files to read (all of Mathlib, or a part); without it
the packaged ones are read again and again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

HERE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HERE))
AT_LEAST = 4_000_000
"""Characters of Lean that are read."""
STATE = "a b c : ℕ\nh : a ≤ b\n⊢ a + c ≤ b + c\n"
RUNS = 8
"""How often the ranking of each of five goals is timed in one process."""
LIVE_RUNS = 2
"""How many suggestions each goal gets once its file is open."""
PROBES = ("reading", "ranking", "commands", "live", "long")
GOALS = 10
"""Unfinished proofs in the long file."""
FILLERS = 400
"""Proofs that make it long; most of what Lean takes is for these."""


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU time of this process, and of those it waited for."""

    def now() -> float:
        times = os.times()
        return times.user + times.system + times.children_user + times.children_system

    started = now()
    work()
    return now() - started


def reading(folder: Path | None) -> dict[str, float]:
    """Seconds to tokenize and to read Lean files."""
    import lean_extract
    from lean_extract.source.reader import read_module
    from lean_extract.syntax.lexer import tokenize

    root = folder or Path(next(iter(lean_extract.__path__))) / "minicore"
    texts = [path.read_text(encoding="utf-8") for path in sorted(root.rglob("*.lean"))]
    texts = texts[:: max(1, sum(map(len, texts)) // AT_LEAST)]
    texts *= max(1, AT_LEAST // sum(map(len, texts)))

    def spent(work: Callable[[str], object]) -> float:
        started = time.process_time()
        for text in texts:
            work(text)
        return time.process_time() - started

    return {
        "tokens of Lean files": spent(tokenize),
        "premises and proofs of Lean files": spent(lambda text: read_module(text, "A", "A.lean")),
        "the same, with proof states": spent(lambda text: read_module(text, "A", "A.lean", states=True)),
    }


def ranking() -> dict[str, float]:
    """Milliseconds of the bundled index: opening, and goals to premises."""
    from retriever.lean.index import bundled
    from scripts.benchmarks import retrieval
    from scripts.benchmarks.harness import ENCODER, Stopwatch

    with tempfile.TemporaryDirectory() as cache:
        rows = retrieval.measure([bundled.unpack(Path(cache))], ENCODER, Stopwatch(RUNS, time.process_time))
        return {name: value for name, value, _ in rows}


def commands() -> dict[str, float]:
    """Seconds of whole commands on the example library."""
    from lsp_server.commands.demo import EXAMPLE

    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "library"
        shutil.copytree(EXAMPLE, library)
        index = {**os.environ, "PREMISE_SUGGEST_INDEX": str(Path(folder) / "index")}

        def run(*arguments: str, environment: Mapping[str, str] = os.environ) -> None:
            command = [sys.executable, "-m", "lsp_server", *arguments]
            subprocess.run(
                command, input=STATE, env=environment, text=True, cwd=library, capture_output=True, check=True
            )

        return {
            "`index`, first": cpu_seconds(lambda: run("index", environment=index)),
            "`index`, second": cpu_seconds(lambda: run("index", environment=index)),
            "`suggest --state`": cpu_seconds(lambda: run("suggest", "--state", "-")),
        }


def live() -> dict[str, float]:
    """Milliseconds until a running server has answered at each unfinished proof of the example library."""
    return asyncio.run(_live())


async def _live() -> dict[str, float]:
    from scripts.benchmarks import product

    edits = [product.edited(place, run) for place in product.unfinished() for run in range(LIVE_RUNS + 1)]
    waited = await _waited(edits)
    each = LIVE_RUNS + 1  # the first opens the file
    return _medians("live", [one for number, one in enumerate(waited) if number % each])


def long_file() -> dict[str, float]:
    """Milliseconds until a running server has answered at unfinished proofs in a long file, here and there."""
    from lean_extract.records import Position
    from lsp_server.commands.demo import EXAMPLE
    from prover.verify import GoalPosition

    text, places = _long_text()
    order = [place for start in (GOALS - 1, 0, 5, 3) for place in range(start, -1, -4)]
    at = [GoalPosition(EXAMPLE / "Long.lean", text, Position(places[number], 2)) for number in order]
    opened, *moved = asyncio.run(_waited(at))
    whole = {f"long file, opened: {kind}, ms": seconds * 1000 for kind, seconds in opened.items()}
    return whole | _medians("long file, moved", moved)


def _long_text() -> tuple[str, list[int]]:
    """A file, and the lines of its unfinished proofs, from 0."""
    names = [f"p{number}" for number in range(5)]
    either = " ".join(f"(h{name} : {name} ∨ ¬{name})" for name in names)
    cases = " <;> ".join(f"cases h{name}" for name in names)
    lines = ["import Example.Nat.Order", ""]
    places: list[int] = []
    for number in range(FILLERS):
        lines += [f"theorem filler{number} ({' '.join(names)} : Prop) {either} :", "    True := by"]
        lines += [f"  {cases} <;> trivial", ""]
        if (number + 1) % (FILLERS // GOALS) == 0:
            lines += [f"theorem goal{number} (m n : Nat) : m ≤ n ∨ n ≤ m := by", "  sorry", ""]
            places.append(len(lines) - 2)
    return "\n".join(lines), places


async def _waited(places: Sequence[Any]) -> list[dict[str, float]]:
    """Seconds until a server has answered at each place, one after the other."""
    from lean_extract.toolchains.toolchain import resolve_lean
    from lsp_server.commands.demo import EXAMPLE
    from lsp_server.engine.engine import Engine
    from lsp_server.engine.requests import SuggestRequest
    from lsp_server.engine.settings import parse

    settings, _ = parse({"tactics": {"source": "templates", "count": 8}})
    engine = Engine(EXAMPLE, settings, resolve_lean(EXAMPLE, environment={}))
    waited: list[dict[str, float]] = []
    try:
        for place in places:
            begin = time.perf_counter()
            found: dict[str, float] = {}

            def hear(part: Any, begin: float = begin, found: dict[str, float] = found) -> None:
                kind = "first accepted tactic" if part.tactics else "premises"
                found.setdefault(kind, time.perf_counter() - begin)

            answer = await engine.suggest(SuggestRequest(place, tactics=True), hear)
            found["all tactics"] = time.perf_counter() - begin
            waited.append({"goal": answer.timings_ms["goal"] / 1000, **found})
    finally:
        await engine.close()
    return waited


def _medians(name: str, waited: Sequence[Mapping[str, float]]) -> dict[str, float]:
    rows: dict[str, list[float]] = defaultdict(list)
    for one in waited:
        for kind, seconds in one.items():
            rows[kind].append(seconds)
    return {f"{name}: {kind}, ms": statistics.median(seconds) * 1000 for kind, seconds in rows.items()}


def probe(name: str, folder: Path | None) -> dict[str, float]:
    """One probe, in this process."""
    probes: Mapping[str, Callable[[], dict[str, float]]] = {
        "reading": lambda: reading(folder),
        "ranking": ranking,
        "commands": commands,
        "live": live,
        "long": long_file,
    }
    return probes[name]()


def measured(tree: Path, name: str, folder: Path | None, index: Path) -> dict[str, float]:
    """One probe in a process of its own, by the script and over the packages of a tree: modules may have moved.

    Each tree has an index of its own, as their formats may differ.
    """
    script = tree / "scripts" / "bench_compare.py"
    command = [sys.executable, str(script), str(tree), "--probe", name]
    if folder:
        command += ["--lean", str(folder)]
    environment = _environment(tree, index)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=tree)
    if done.returncode:
        raise SystemExit(f"the probe {name} failed in {tree}:\n{done.stderr[-2000:]}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def _environment(tree: Path, index: Path) -> dict[str, str]:
    more = {"PYTHONPATH": str(tree), "OMP_NUM_THREADS": "1", "PREMISE_SUGGEST_INDEX": str(index)}
    return {**os.environ, **more}


def _index_example(tree: Path, index: Path) -> None:
    """As after a first day of use."""
    example = tree / "lean_extract" / "minicore" / "example"
    command = [sys.executable, "-m", "lsp_server", "index", str(example)]
    subprocess.run(command, env=_environment(tree, index), cwd=tree, capture_output=True, check=True)


def compare(
    base: Path, rounds: int, folder: Path | None, names: Sequence[str]
) -> dict[str, tuple[float, float]]:
    """The medians of both trees by row: (base, this), NaN where a tree has no figure."""
    found: dict[str, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    sides = [(0, base), (1, HERE)]
    with tempfile.TemporaryDirectory() as made:
        indexes = [Path(made) / "base", Path(made) / "this"]
        for side, tree in sides:
            _index_example(tree, indexes[side])
        for number in tqdm(range(rounds), disable=None):
            for name in names:
                for side, tree in sides if number % 2 else reversed(sides):
                    for row, value in measured(tree, name, folder, indexes[side]).items():
                        found[row][side].append(value)
    return {row: (_median(old), _median(new)) for row, (old, new) in found.items()}


def _median(values: Sequence[float]) -> float:
    return statistics.median(values) if values else math.nan


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("base", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--lean", type=Path)
    parser.add_argument("--only", nargs="+", choices=PROBES, default=PROBES)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--probe", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.probe:
        print(json.dumps(probe(options.probe, options.lean)))
        return 0
    folder = options.lean and options.lean.resolve()
    rows = compare(options.base.resolve(), options.rounds, folder, options.only)
    print("| | base | this | ratio |\n|---|---|---|---|")
    for row, (old, new) in rows.items():
        print(f"| {row} | {old:.3g} | {new:.3g} | {new / old if old else 0:.3f} |")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
