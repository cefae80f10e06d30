"""Proves the mini core's problems with every retriever and every source of tactics: one table.

First each retriever with both sources of tactics, then each source alone with our retriever. Runs are kept in
the folder --work and continue where they were stopped; without a generator, templates alone are run. The
commands are those of docs/evaluation.md; the settings of each run are in its folder.
"""

from __future__ import annotations

import argparse
import platform
import sys
from pathlib import Path

from lsp_server.cli import main as premise_suggest
from lsp_server.commands.eval_premises import RETRIEVERS
from lsp_server.commands.eval_report import Run, markdown, notes, picture, plain, read_run, table, to_json
from lsp_server.engine.generators import generator_folder, served_name
from retriever.metrics.charts import require_charts
from scripts.benchmarks.harness import add_json, write_json

_OURS = "ours"


def conditions(with_generator: bool) -> list[tuple[str, str]]:
    """(retriever, source of tactics), in the order of the table."""
    if not with_generator:
        return [(retriever, "templates") for retriever in RETRIEVERS]
    alone = [(_OURS, "templates"), (_OURS, "generator")]
    return [*((retriever, "both") for retriever in RETRIEVERS), *alone]


def run_all(options: argparse.Namespace) -> list[Run]:
    """Every condition's run, whole. Exits with the command's own code if one does not come to its end."""
    with_generator = bool(served_name(options.generator)) or generator_folder(options.generator) is not None
    if not with_generator:
        print("note: there is no generator, so tactics come from templates only", file=sys.stderr)
    runs = []
    for retriever, source in conditions(with_generator):
        out = options.work / f"{retriever}-{source}"
        print(f"-- {retriever}, {source}", file=sys.stderr)
        command = ["eval", "minicore", "--retriever", retriever, "--tactics-from", source]
        command += ["--seconds", str(options.seconds), "--workers", str(options.workers)]
        command += ["--generator", options.generator] if source != "templates" and options.generator else []
        command += ["--limit", str(options.limit)] if options.limit else []
        code = premise_suggest([*command, "--out", str(out), "--resume"])
        if code:
            raise SystemExit(code)
        runs.append(read_run(out))
    return runs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--work", type=Path, default=Path("build/problems"), help="where runs are kept")
    parser.add_argument("--seconds", type=float, default=20.0, help="for a problem (20)")
    parser.add_argument("--workers", type=int, default=1, help="Lean sessions (1)")
    parser.add_argument("--generator", default="", help="as for `premise-suggest eval`")
    parser.add_argument("--limit", type=int, default=0, help="the first N problems, to try it out")
    parser.add_argument("--markdown", type=Path, help="write the table to this file")
    parser.add_argument("--svg", type=Path, help="write the picture to this file")
    add_json(parser)


def run(options: argparse.Namespace) -> None:
    if options.svg:
        require_charts()
    runs = run_all(options)
    print(f"\nProblems of the mini core, {options.seconds:g} s each, {platform.machine()}\n")
    print(plain(table(runs)))
    for note in notes(runs):
        print(f"note: {note}", file=sys.stderr)
    write_json(to_json(runs), options.json)
    if options.markdown:
        options.markdown.write_text(markdown(table(runs)) + "\n", encoding="utf-8")
    if options.svg:
        options.svg.write_text(picture(runs), encoding="utf-8")
