"""The figures of one step of the work by one command: before, after, and what they were measured on.

    python -m scripts.benchmarks next-step --work FOLDER [--model FOLDER] [--steps DATASET --states FILE]
        [--statements DATASET] [--records FILE ... --without NAMES] [--problems] [--examples NPZ ...]
        [--cache FOLDER] [--only PART ...] [--before FILE.json] [--json FILE.json]

Each part is a command of the house. Its figures are kept in FOLDER and used again while the command, the commit, the
model and the packaged data stay the same, so a run that was stopped goes on. A part whose inputs are not named is
reported as not run, as are those that `--only` does not name. `--before` is what an earlier run wrote with `--json`.

With `--examples` (of `ranking-examples`) the learned ranker is also judged without each group of its features; with
`--records` (with states, of the library of the steps) the order of tactics is judged, also without each source.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from lean_extract.toolchains.lake_packages import head_revision
from prover.odds import FILE as ODDS
from retriever.lean.dataset.dataset import read_manifest
from retriever.lean.index import bundled
from retriever.metrics.bootstrap import table
from scripts.benchmarks.harness import ENCODER, add_json, write_json
from scripts.benchmarks.step_parts import ROOT, Part, Values, parts, read_json


def _hashes(options: argparse.Namespace) -> dict[str, str]:
    """What the figures depend on besides the commands."""
    files = {
        "model": sorted(path for path in options.model.rglob("*") if path.is_file()),
        "bundled index": sorted(bundled.DATA.iterdir()),
        "odds": [ODDS],
        "steps": [options.states] if options.states else [],
        "examples": options.examples,
    }
    found = {"commit": head_revision(ROOT) or ""}
    for name, paths in files.items():
        digest = hashlib.sha256()
        for path in paths:
            with path.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
        found[name] = digest.hexdigest()[:16] if paths else ""
    for name, folder in (("data of steps", options.steps), ("data of statements", options.statements)):
        found[name] = read_manifest(folder).digest[:16] if folder else ""
    return found


def _measured(part: Part, work: Path, hashes: Mapping[str, str]) -> Values | None:
    """The figures of a part, kept or new; None where its inputs are not named or its command failed."""
    if part.command is None:
        return None
    folder = work / part.name
    line = [str(word) for word in part.command]
    about, kept = {"command": line, **hashes}, folder / "figures.json"
    if not (folder / "about.json").is_file() or read_json(folder / "about.json") != about:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        write_json(about, folder / "about.json")
    if kept.is_file():
        values: Values = read_json(kept)
        return values
    print(f"-- {part.name}", file=sys.stderr, flush=True)
    with (folder / "output.txt").open("w", encoding="utf-8") as output:
        code = subprocess.run([sys.executable, "-m", *line], cwd=ROOT, stdout=output, check=False).returncode
    if code:
        print(f"{part.name} failed with exit code {code}: python -m {' '.join(line)}", file=sys.stderr)
        return None
    values = part.read(folder)
    write_json(values, kept)
    return values


def _absolute(text: str) -> Path:
    """Parts run in the folder of the checkout."""
    return Path(text).absolute()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--work", type=_absolute, required=True, help="where figures are kept")
    parser.add_argument("--model", type=_absolute, default=ENCODER, help="a model folder (the shipped one)")
    parser.add_argument("--steps", type=_absolute, metavar="DATASET", help="the dataset of the traced steps")
    parser.add_argument("--states", type=_absolute, metavar="FILE", help="traced steps")
    parser.add_argument(
        "--statements", type=_absolute, metavar="DATASET", help="a dataset with held-out theorems"
    )
    records_help = "records with states, the first of the library of the steps"
    parser.add_argument("--records", type=_absolute, nargs="+", default=[], help=records_help)
    parser.add_argument(
        "--without", type=_absolute, metavar="NAMES", help="theorems that are never learned from"
    )
    parser.add_argument("--problems", action="store_true", help="let Lean try the problems of the mini core")
    parser.add_argument("--examples", type=_absolute, nargs="+", default=[], help="files of ranking-examples")
    parser.add_argument("--only", nargs="+", metavar="PART", help="measure these parts, such as steps (all)")
    parser.add_argument("--cache", type=_absolute, help="where premise vectors are kept")
    parser.add_argument(
        "--before", type=_absolute, metavar="FILE", help="what an earlier run wrote by --json"
    )
    add_json(parser)


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    before = read_json(options.before) if options.before else {"hashes": {}, "values": {}}
    hashes = _hashes(options)
    values: Values = {}
    lines = []
    for part in parts(options):
        if part.name in (options.only or [part.name]):
            values |= _measured(part, options.work, hashes) or {}
        lines += [
            [name, _shown(before["values"].get(name)), _shown(values.get(name)), goal]
            for name, goal in part.rows.items()
        ]
        write_json({"hashes": hashes, "values": values}, options.json)
    print(table(["", "before", "after", "to reach"], lines))
    of = [[name, before["hashes"].get(name, ""), value] for name, value in hashes.items()]
    print(f"\n{table(['measured on', 'before', 'after'], of)}")


def _shown(values: Sequence[float] | None) -> str:
    return "not run" if values is None else " / ".join(f"{value:.1f}" for value in values)
