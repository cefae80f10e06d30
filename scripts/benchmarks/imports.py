"""Goals of the example library whose import is deleted: how many `suggest` closes with an import.

A goal is a theorem without its proof, in its file, which imports all that it did but one module that the proof uses,
and what builds on that. It counts if `suggest` closes it in the file as it was written, but nothing that is left does.
The library needs an index (`premise-suggest index`).
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import math
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lean_extract.common.errors import PremiseSuggestError
from lean_extract.records import Module, Premise, Proof, read_records
from lean_extract.session.document import LeanDocument
from lean_extract.source.extract import extract_project
from lean_extract.toolchains.compile import header_imports
from lean_extract.toolchains.toolchain import resolve_lean
from lsp_server.engine.engine import Engine
from lsp_server.engine.requests import SuggestRequest
from lsp_server.engine.schema_items import TacticItem
from lsp_server.engine.settings import PremiseSettings, Settings
from prover.search.problems import Problem, all_theorems
from prover.search.sets import EXAMPLE
from prover.verify import GoalPosition
from retriever.lean.scope import ModuleNode, importable, importers
from scripts.benchmarks.harness import add_json, show

_LIBRARY = "Example"


@dataclass(frozen=True, slots=True)
class _Run:
    """The best tactic at a goal, and how long the answer took in seconds."""

    best: TacticItem | None
    seconds: float

    def closes_within(self, seconds: float) -> bool:
        """Whether the tactic proves the goal, and the answer came in time."""
        best = self.best
        is_proof = best is not None and best.status == "closes" and not best.rests_on_sorry
        return is_proof and self.seconds <= seconds


class Library:
    """What the library's modules import, and what its proofs use."""

    def __init__(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "records.jsonl"
            extract_project(EXAMPLE, out)
            records = list(read_records(out))
        self._graph = {
            one.name: ModuleNode(one.imports, one.in_module_system)
            for one in records
            if isinstance(one, Module)
        }
        self._used = {one.theorem: one.premises for one in records if isinstance(one, Proof)}
        self._module_of = {one.name: one.module for one in records if isinstance(one, Premise)}

    def without_imports(self, problem: Problem) -> Iterator[tuple[str, GoalPosition]]:
        """Each module that the proof uses, and the goal in its file without that module."""
        document = LeanDocument(problem.theorem.text)
        header, body = document.header, document.text[len(document.header) :]
        reached = importable(self._graph, header_imports(header)) & self._graph.keys()
        line = problem.theorem.position.line - header.count("\n")
        used = dict.fromkeys(self._module_of.get(name, "") for name in self._used.get(problem.full_name, ()))
        for module in reached & used.keys():
            left = sorted(reached - importers(self._graph, module) - {module})
            head = "".join(f"import {one}\n" for one in left)
            position = replace(problem.theorem.position, line=line + head.count("\n"))
            yield module, GoalPosition(problem.theorem.path, head + body, position)


async def suggested(engine: Engine, at: GoalPosition, *, imports: bool) -> _Run:
    """What `suggest` answers; nothing where Lean has no goal there."""
    engine.take_settings(replace(engine.settings, premises=PremiseSettings(out_of_scope=imports)))
    started = time.perf_counter()
    try:
        answer = await engine.suggest(SuggestRequest(at, tactics=True))
    except PremiseSuggestError:
        return _Run(None, time.perf_counter() - started)
    return _Run(next(iter(answer.tactics), None), time.perf_counter() - started)


async def measure(problems: Sequence[Problem], options: argparse.Namespace) -> list[_Run]:
    """The answers at the goals that count."""
    library = Library()
    engine = Engine(EXAMPLE, Settings(), resolve_lean(EXAMPLE, environment={}))
    found: list[_Run] = []
    try:
        for problem in problems:
            theorem = problem.theorem
            whole = GoalPosition(theorem.path, theorem.text, theorem.position)
            for module, at in library.without_imports(problem):
                run = await suggested(engine, at, imports=True)
                is_closed = run.closes_within(options.seconds)
                if run.best is None or (run.closes_within(math.inf) and run.best.import_line is None):
                    continue
                if not is_closed and not (await suggested(engine, whole, imports=False)).closes_within(
                    options.seconds
                ):
                    continue
                found.append(run)
                what = f"{run.best.tactic}, {run.best.import_line}" if is_closed else "-"
                print(f"{run.seconds:5.1f} s  {problem.name}, without {module}: {what}", flush=True)
                if len(found) >= options.goals:
                    return found
    finally:
        await engine.close()
    return found


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--goals", type=int, default=120, help="how many goals (120)")
    parser.add_argument("--seconds", type=float, default=10.0, help="for one answer (10)")
    parser.add_argument("--skip", type=int, default=0, help="leave out the first N theorems")
    add_json(parser)


def run(options: argparse.Namespace) -> None:
    posed = [one for one in all_theorems(EXAMPLE, EXAMPLE / _LIBRARY) if isinstance(one, Problem)]
    posed.sort(key=lambda one: hashlib.sha256(one.full_name.encode()).digest())
    found = asyncio.run(measure(posed[options.skip :], options))
    closed = [one.seconds for one in found if one.closes_within(options.seconds)]
    rows = [
        ("goals", float(len(found)), ""),
        (f"closed within {options.seconds:g} s", float(len(closed)), ""),
    ]
    rows += [("of these, median", statistics.median(closed), "s")] if closed else []
    show(rows, options.json)
