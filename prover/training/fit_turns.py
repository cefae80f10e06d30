"""Fits the odds by which the sources of tactics take turns, and writes them into the package.

    python -m prover fit-turns ENCODER STEPS RECORDS [RECORDS ...] --dataset DATASET --work FOLDER
        [--library ROOT] [--without NAMES] [--generator MODEL] [--generated N] [--limit N] [--theorems N]
        [--weight W] [--cache FOLDER] [--again] [--leave-out SOURCE ...] [--out FILE] [--json FILE]

There are two sets. At the STEPS (LeanDojo's form, tune part) a tactic is kept if it is the proof's own, compared by
the last parts of names. RECORDS (with states) and DATASET are of the same library. At the theorems of the library
ROOT (by default the example library), whose proofs are cut out, Lean tries the first tactics of each source; one is
kept if it closes the goal, or Lean accepts it and it is the proof's own first step. Test theorems are left out. What
is collected stays in FOLDER and is used again unless --again is given; do that when a source has changed. With
--leave-out it is as if some sources had proposed nothing.

The library weighs little compared with the steps (--weight), and the regression has one more number for the difference
between the two sets.
Figures are cross-validated: each theorem's are by weights that were fitted without it.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from lean_extract.common.files.atomic import replacing
from lean_extract.common.option_types import positive, seconds
from lean_extract.common.terminal_text import complaints_printed
from lean_extract.common.verbs import add_json_option, write_json
from lean_extract.records import read_header
from lean_extract.source.extract import extract_project
from prover.closers import MATHLIB_CLOSERS
from prover.odds import FILE
from prover.opening import open_folder
from prover.search.sets import EXAMPLE
from prover.training.evaluate_neighbours import library_of
from prover.training.steps import WantedStep, read_steps, sample
from prover.training.turns.collecting import (
    LabelledGoal,
    collect,
    first_steps,
    goals_of,
    kept,
    problems_of,
    started,
    tried,
)
from prover.training.turns.fitting import cross_validated, markdown, odds_of, rows_of, to_json
from prover.training.turns.proposing import Sources
from retriever.lean.dataset.dataset import build_dataset, load_records, names_in
from retriever.models.encoder import Encoder

_WEIGHT = 1 / 32
"""Most tactics that close a goal of a small library are not what a step of Mathlib needs: the more the library weighs,
the worse is the order on Mathlib's steps (docs/results/turns.md)."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("encoder", type=Path, help="a retriever's folder")
    parser.add_argument("steps", type=Path, help="steps in LeanDojo's form, one a line (JSONL)")
    parser.add_argument("records", type=Path, nargs="+", help="records with states of the steps' library")
    parser.add_argument("--dataset", type=Path, required=True, help="the retriever's dataset of that library")
    parser.add_argument("--work", type=Path, required=True, help="the folder for what is collected")
    parser.add_argument(
        "--library", type=Path, default=EXAMPLE, help="a library in whose theorems Lean tries"
    )
    parser.add_argument("--without", type=Path, help="a file of theorems to leave out, one name per line")
    parser.add_argument("--generators", type=Path, nargs="+", default=[], help="generators' folders (none)")
    parser.add_argument(
        "--generated",
        type=positive,
        default=300,
        help="goals of each set where one that decodes writes (300)",
    )
    parser.add_argument(
        "--limit", type=positive, default=800, help="the size of a fixed sample of steps (800)"
    )
    parser.add_argument(
        "--theorems", type=positive, default=300, help="the same of the library's theorems (300)"
    )
    parser.add_argument("--cache", type=Path, help="a folder in which vectors are kept")
    parser.add_argument(
        "--weight", type=seconds, default=_WEIGHT, help="of the library, in parts of the steps (1/32)"
    )
    parser.add_argument("--again", action="store_true", help="collect again")
    out_help = "sources that are left out, such as generator"
    parser.add_argument("--leave-out", nargs="+", default=[], metavar="SOURCE", help=out_help)
    parser.add_argument("--out", type=Path, default=FILE, help="the file to write (the package's own)")
    add_json_option(parser)


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    options.work.mkdir(parents=True, exist_ok=True)
    sets = {"steps": asyncio.run(_steps(options)), "library": asyncio.run(_library(options))}
    if options.leave_out:
        sets = {name: [_without(goal, options.leave_out) for goal in goals] for name, goals in sets.items()}
    rows = rows_of(sets, options.weight)
    odds = odds_of(sets, rows)
    figures = cross_validated(sets, rows)
    about: dict[str, Any] = {
        "steps": _digest(options.steps),
        "collected": {name: _digest(options.work / f"{name}.jsonl") for name in sets},
        "goals": {name: len(found) for name, found in sets.items()},
    }
    with replacing(options.out) as stream:
        stream.write(json.dumps(to_json(odds, about), indent=1, ensure_ascii=False) + "\n")
    print(f"{options.out}: fitted on {about['goals']}, steps {about['steps'][:16]}")
    print(markdown(figures))
    write_json(options.json, {**about, "figures": [asdict(row) for row in figures]})


def _without(goal: LabelledGoal, sources: Sequence[str]) -> LabelledGoal:
    lists = (tuple(one for one in proposed if one.source not in sources) for proposed in goal.lists)
    return replace(goal, lists=tuple(lists))


async def _steps(options: argparse.Namespace) -> list[LabelledGoal]:
    about = _about(options, _digest(options.steps), read_header(options.records[0]).revision, options.limit)
    path = options.work / "steps.jsonl"
    if (found := None if options.again else kept(path, about)) is not None:
        return found
    steps = read_steps(options.steps)
    steps = [steps[row] for row in sample(len(steps), options.limit)]
    sources = _sources(options, options.records, options.dataset, MATHLIB_CLOSERS)
    return await collect(path, about, sources, steps, _drawn(steps, options.generated))


async def _library(options: argparse.Namespace) -> list[LabelledGoal]:
    records, dataset = options.work / "library-records.jsonl", options.work / "library-dataset"
    root = options.library.resolve()
    extract_project(root, records, states=True)
    path = options.work / "library.jsonl"
    about = _about(options, "", read_header(records).revision, options.theorems)
    if (found := None if options.again else kept(path, about)) is not None:
        return found
    build_dataset(records, dataset)
    problems = problems_of(root)
    problems = [problems[row] for row in sample(len(problems), options.theorems)]
    firsts = first_steps(load_records(records).proofs)
    sources = _sources(options, [records], dataset, ())
    async with await started(root, on_minicore=root == EXAMPLE.resolve()) as session:
        goals = {goal.step: goal async for goal in goals_of(session, problems, firsts)}
        steps = list(goals)
        return await collect(
            path,
            about,
            sources,
            steps,
            _drawn(steps, options.generated),
            lambda step, lists: tried(session, goals[step], lists),
        )


def _sources(
    options: argparse.Namespace, records: list[Path], dataset: Path, closers: tuple[str, ...]
) -> Sources:
    encoder = Encoder.load(options.encoder)
    with complaints_printed() as complaints:
        known = library_of(records, names_in(options.without), encoder, options.cache, complaints)
    generators = [open_folder(folder, threads=1) for folder in options.generators]
    return Sources.open(options.encoder, dataset, records[0], options.cache, known, closers, generators)


def _about(options: argparse.Namespace, data: str, revision: str, limit: int) -> dict[str, Any]:
    """What the collected goals depend on, but for the sources' code."""
    generators = [open_folder(folder, threads=1).fingerprint for folder in options.generators]
    return {
        "data": data,
        "revision": revision,
        "encoder": Encoder.load(options.encoder).fingerprint,
        "generators": generators,
        "generated": options.generated,
        "limit": limit,
    }


def _drawn(steps: Sequence[WantedStep], count: int) -> frozenset[str]:
    """Theorems at whose goals the generator writes: about `count` goals, by the hash of their names."""
    ordered = sorted(
        (step.theorem for step in steps), key=lambda name: hashlib.sha256(name.encode()).hexdigest()
    )
    return frozenset(ordered[:count])


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
