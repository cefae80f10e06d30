"""The parts of `next-step`: commands, and how their figures are read."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsp_server.commands.eval_report import read_run
from prover.odds import SOURCES

ROOT = Path(__file__).resolve().parents[2]
_LEMMAS = ROOT / "tests/retriever/corpora/known_statements.jsonl"
_GENERATORS = [ROOT / "prover/data/shapes", ROOT / "prover/data/generator"]
_GROUPS = {
    "the state tower": ["tower"],
    "matching": ["match", "left_", "right_", "head", "structure_overlap"],
    "hypotheses": ["hypotheses_", "assumed", "match_known"],
    "callers": ["caller_"],
    "votes": ["votes", "named_votes", "used_together", "together_lift"],
    "names": ["name_", "theorem_name"],
}
"""Features of the learned ranker, by the beginnings of their names."""
Values = dict[str, list[float]]
"""The figures of each row."""


@dataclass(frozen=True, slots=True)
class Part:
    """A command that gives figures. `command`: what follows `python -m`; None where its inputs are not named."""

    name: str
    rows: Mapping[str, str]
    """The rows that it gives, each with what is to be reached."""
    command: Sequence[str | Path] | None
    read: Callable[[Path], Values]
    """Reads what the command wrote into the folder of the part."""


def _mean(report: Any, setting: str, *columns: str) -> list[float]:
    """The figures of the learned ranker in one setting of an `evaluate` report."""
    [row] = [one for one in report["rows"] if (one["setting"], one["method"]) == (setting, "ranked")]
    return [row["figures"][column]["mean"] for column in columns]


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _evaluate(options: argparse.Namespace, dataset: Path | None, out: Path, *more: str | Path) -> Any:
    if dataset is None:
        return None
    cache = ("--cache", options.cache) if options.cache else ()
    ranked = ("--methods", "ranked", "--against", "ranked", "--json", out)
    return ("retriever", "evaluate", options.model, dataset, "--part", *more, *ranked, *cache)


def _steps(options: argparse.Namespace) -> Part:
    names = (
        "theorems, importable: R@1 / R@10 / MRR",
        "theorems, R@10: state alone / importable, by file",
        "theorems of other files, importable: R@10",
    )
    states: Path | None = options.states

    def read(folder: Path) -> Values:
        stem = states.stem if states else ""
        plain, by_file, elsewhere = (
            read_json(folder / f"{stem}{suffix}.json") for suffix in ("", ", by file", ", elsewhere")
        )
        found = (
            _mean(plain, "importable", "R@1", "R@10", "MRR"),
            _mean(plain, "state", "R@10") + _mean(by_file, "importable", "R@10"),
            _mean(elsewhere, "importable", "R@10"),
        )
        return dict(zip(names, found, strict=True))

    further = ("--states", states, "--count", "theorems", "elsewhere", "--by-file") if states else ()
    command = _evaluate(options, options.steps if states else None, options.work / "steps", *further)
    return Part("steps", dict(zip(names, ("23 / 60 / 44", "57 / 56", "44"), strict=True)), command, read)


def _statements(options: argparse.Namespace) -> Iterator[Part]:
    name = "statements, test, R@10: state alone / importable"
    folder = options.work / "statements"

    def read(folder: Path) -> Values:
        report = read_json(folder / "test.json")
        return {name: _mean(report, "state", "R@10") + _mean(report, "importable", "R@10")}

    yield Part("statements", {name: "60 / 65"}, _evaluate(options, options.statements, folder, "test"), read)
    renamed = "renamed variables, points of R@10: state alone / importable"

    def changes(folder: Path) -> Values:
        found = {
            one["setting"]: one["change"]["R@10"]["mean"]
            for one in read_json(folder / "test.json")["perturbed"]
        }
        return {renamed: [found["state"], found["importable"]]}

    few = ("test", "--limit", "500", "--perturb", "rename")
    command = _evaluate(options, options.statements, options.work / "renamed", *few)
    yield Part("renamed", {renamed: "under -1.5"}, command, changes)


def _lemmas(options: argparse.Namespace) -> Part:
    name = "known lemmas restated: first / in ten"
    out = options.work / "lemmas" / "found.json"
    command = ("retriever", "known-lemmas", _LEMMAS, "--model", options.model, "--json", out)
    return Part(
        "lemmas",
        {name: "96 / 99"},
        command,
        lambda folder: {name: [read_json(folder / "found.json")[0][key] for key in ("first", "found")]},
    )


def _turns(options: argparse.Namespace, without: str = "") -> Part:
    rows = {
        "the proof's tactic: first / among 8": "11 / 24",
        "its effect or its first step among 8": "33",
        "its head among 8": "72",
        "the library's theorems, closed among 8": "42",
    }
    folder = options.work / "turns"
    if without:
        rows = {f"{name}, without {without}": "" for name in rows}
        folder = options.work / f"turns without {without}"

    def read(folder: Path) -> Values:
        steps, library = read_json(folder / "found.json")["figures"]
        exact, lenient = steps["figures"], steps["lenient"]
        found = (
            [exact["first"], exact["among 8"]],
            [lenient["effect or first step among 8"]],
            [lenient["head among 8"]],
            [library["figures"]["among 8"]],
        )
        return {name: [one["mean"] for one in values] for name, values in zip(rows, found, strict=True)}

    command = None
    if options.records and options.states and options.steps:
        kept = options.work / "turns" / "collected"
        command = (
            *("prover", "fit-turns", options.model, options.states, *options.records),
            *("--dataset", options.steps, "--work", kept, "--limit", "700", "--theorems", "160"),
            *("--generators", *_GENERATORS, "--generated", "60"),
            *(("--without", options.without) if options.without else ()),
            *(("--cache", options.cache) if options.cache else ()),
            *(("--leave-out", without) if without else ("--again",)),
            *("--out", folder / "turns.json", "--json", folder / "found.json"),
        )
    return Part(folder.name, rows, command, read)


def _problems(options: argparse.Namespace) -> Part:
    name = "mini core, problems closed by one of 24 tactics, percent"
    once = ("--nodes", "1", "--tactics", "24", "--seconds", "60", "--quiet")
    out = options.work / "problems" / "run"
    command = ("lsp_server", "eval", "minicore", *once, "--out", out, "--resume")

    def read(folder: Path) -> Values:
        figures = read_run(folder / "run").figures
        return {name: [100 * figures.proved / figures.rows]}

    return Part("problems", {name: "8 more"}, command if options.problems else None, read)


def _speed(options: argparse.Namespace) -> Part:
    name = "goal to 100 premises, state alone / in a file, ms of CPU time"
    command = ("scripts.benchmarks", "retriever", "--cpu", "--json", options.work / "speed" / "found.json")

    def read(folder: Path) -> Values:
        found = read_json(folder / "found.json")
        return {
            name: [found[f"goal to 100 premises, {where}"]["value"] for where in ("state alone", "in a file")]
        }

    return Part("speed", {name: "no slower"}, command, read)


def _without(options: argparse.Namespace, group: str, prefixes: Sequence[str]) -> Part:
    name = f"the ranker, cross-fitted, importable: R@1 / R@10 / MRR, {group}"
    out = options.work / f"ranker {group}" / "found.json"
    command = ("retriever", "fit-ranker", options.model, *options.examples, "--folds", "2", "--json", out)
    left_out = ("--leave-out", *prefixes) if prefixes else ()
    return Part(
        out.parent.name,
        {name: ""},
        (*command, *left_out),
        lambda folder: {name: read_json(folder / "found.json")["traced: importable, theorems"][1:]},
    )


def parts(options: argparse.Namespace) -> Iterator[Part]:
    yield from (_steps(options), *_statements(options), _lemmas(options), _turns(options))
    yield from (_problems(options), _speed(options))
    if options.examples:
        yield _without(options, "all features", ())
        for group, prefixes in _GROUPS.items():
            yield _without(options, f"without {group}", prefixes)
    if options.records:
        yield from (_turns(options, source) for source in SOURCES)
