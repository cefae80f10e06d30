"""Goals of the example library whose import is deleted: how many `suggest` closes with an import.

A goal is the statement of a theorem, in a file that imports what the theorem's module imports, but not that module. It
counts if Lean reads it, nothing in scope closes it, and `suggest` closes it in the file with the import. The library
needs an index (`premise-suggest index`).
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lean_extract.common.errors import PremiseSuggestError
from lean_extract.records import Module, Position, Premise, read_records
from lean_extract.source.extract import extract_project
from lean_extract.toolchains.toolchain import resolve_lean
from lsp_server.engine.engine import Engine
from lsp_server.engine.requests import SuggestRequest
from lsp_server.engine.schema_items import TacticItem
from lsp_server.engine.settings import PremiseSettings, Settings
from prover.search.sets import EXAMPLE
from prover.verify import GoalPosition
from scripts.benchmarks.harness import add_json, show

_LIBRARY = "Example."


@dataclass(frozen=True, slots=True)
class _Lemma:
    """A theorem of the library, and what its module imports."""

    premise: Premise
    imports: Sequence[str]

    def goal(self, *more: str) -> GoalPosition:
        """Its statement in a file of its own, in its namespace, with more imports."""
        premise, space = self.premise, self.premise.name.rpartition(".")[0]
        header = "".join(f"import {module}\n" for module in (*self.imports, *more))
        opened = f"namespace {space}\n" if space else ""
        binders = " ".join(premise.context)
        text = f"{header}\nuniverse u v w\n{opened}\ntheorem goal {binders} : {premise.conclusion} := by\n  sorry\n"
        return GoalPosition(EXAMPLE / "Goal.lean", text, Position(text.count("\n") - 1, 2))


def lemmas() -> list[_Lemma]:
    """The theorems of the library, in an order of no meaning."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "records.jsonl"
        extract_project(EXAMPLE, out)
        records = list(read_records(out))
    imports = {one.name: [item.module for item in one.imports] for one in records if isinstance(one, Module)}
    theorems = (one for one in records if isinstance(one, Premise) and one.kind == "theorem")
    found = [_Lemma(one, imports[one.module]) for one in theorems if one.module.startswith(_LIBRARY)]
    return sorted(found, key=lambda one: hashlib.sha256(one.premise.name.encode()).digest())


@dataclass(frozen=True, slots=True)
class _Run:
    """The best tactic at a goal, and how long the answer took in seconds."""

    best: TacticItem | None
    seconds: float

    @property
    def is_closed(self) -> bool:
        """Whether it proves the goal."""
        return self.best is not None and self.best.status == "closes" and not self.best.rests_on_sorry


async def suggested(engine: Engine, at: GoalPosition, *, imports: bool) -> _Run:
    """What `suggest` answers; nothing where Lean has no goal there."""
    engine.take_settings(replace(engine.settings, premises=PremiseSettings(out_of_scope=imports)))
    started = time.perf_counter()
    try:
        answer = await engine.suggest(SuggestRequest(at, tactics=True))
    except PremiseSuggestError:
        return _Run(None, time.perf_counter() - started)
    return _Run(next(iter(answer.tactics), None), time.perf_counter() - started)


async def measure(wanted: Sequence[_Lemma], goals: int, seconds: float) -> list[_Run]:
    """The answers at the goals that count."""
    engine = Engine(EXAMPLE, Settings(), resolve_lean(EXAMPLE, environment={}))
    found: list[_Run] = []
    try:
        for lemma in wanted:
            run = await suggested(engine, lemma.goal(), imports=True)
            if run.best is None or (run.is_closed and run.best.import_line is None):
                continue
            by_hand = run if run.is_closed else None
            by_hand = by_hand or await suggested(engine, lemma.goal(lemma.premise.module), imports=False)
            if by_hand.is_closed:
                found.append(run)
                what = f"{run.best.tactic}, {run.best.import_line}" if run.is_closed else "-"
                print(f"{run.seconds:5.1f} s  {lemma.premise.name}: {what}", flush=True)
            if len(found) >= goals:
                break
    finally:
        await engine.close()
    return found


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--goals", type=int, default=120, help="how many goals (120)")
    parser.add_argument("--seconds", type=float, default=10.0, help="for one answer (10)")
    parser.add_argument("--skip", type=int, default=0, help="leave out the first N theorems")
    add_json(parser)


def run(options: argparse.Namespace) -> None:
    found = asyncio.run(measure(lemmas()[options.skip :], options.goals, options.seconds))
    closed = [one.seconds for one in found if one.is_closed]
    in_time = sum(one <= options.seconds for one in closed)
    rows = [("goals", float(len(found)), ""), ("closed", float(len(closed)), "")]
    rows += [(f"closed within {options.seconds:g} s", float(in_time), "")]
    rows += [("closed, median", statistics.median(closed), "s")] if closed else []
    show(rows, options.json)
