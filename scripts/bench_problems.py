"""Proves the mini core's problems with every retriever and every source of tactics: one table.

    python scripts/bench_problems.py [--work DIR] [--seconds S] [--workers N] [--generator NAME]
        [--markdown FILE] [--json FILE] [--svg FILE]

First each retriever with both sources of tactics, then each source alone with our retriever. Runs are kept in
DIR (build/problems) and go on where they were stopped; without a generator, templates alone are run. The
commands are those of docs/evaluation.md; what each run was asked stands in its folder.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from pathlib import Path

from lean_extract.common.files.atomic import replacing
from lsp_server.cli import main as premise_suggest
from lsp_server.commands.eval_options import RETRIEVERS
from lsp_server.commands.eval_report import Run, markdown, notes, picture, plain, read_run, table, to_json
from lsp_server.engine.generators import generator_folder
from retriever.metrics.charts import require_charts

_OURS = "ours"


def conditions(with_generator: bool) -> list[tuple[str, str]]:
    """(retriever, source of tactics), in the order of the table."""
    if not with_generator:
        return [(retriever, "templates") for retriever in RETRIEVERS]
    alone = [(_OURS, "templates"), (_OURS, "generator")]
    return [*((retriever, "both") for retriever in RETRIEVERS), *alone]


def run_all(options: argparse.Namespace) -> list[Run]:
    """Every condition's run, whole. Exits with the command's own code if one does not come to its end."""
    with_generator = generator_folder(options.generator) is not None
    if not with_generator:
        print("note: there is no generator, so tactics come from templates only", file=sys.stderr)
    runs = []
    for retriever, source in conditions(with_generator):
        out = options.work / f"{retriever}-{source}"
        print(f"-- {retriever}, {source}", file=sys.stderr)
        asked = ["eval", "minicore", "--retriever", retriever, "--tactics-from", source]
        asked += ["--seconds", str(options.seconds), "--workers", str(options.workers)]
        asked += ["--generator", options.generator] if source != "templates" and options.generator else []
        asked += ["--limit", str(options.limit)] if options.limit else []
        code = premise_suggest([*asked, "--out", str(out), "--resume"])
        if code:
            raise SystemExit(code)
        runs.append(read_run(out))
    return runs


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, default=Path("build/problems"), help="where runs are kept")
    parser.add_argument("--seconds", type=float, default=20.0, help="for a problem (20)")
    parser.add_argument("--workers", type=int, default=1, help="Lean sessions (1)")
    parser.add_argument("--generator", default="", help="a generator's folder, or its name on the hub")
    parser.add_argument("--limit", type=int, default=0, help="the first N problems, to try it out")
    parser.add_argument("--markdown", type=Path, help="write the table to this file")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--svg", type=Path, help="write the picture to this file")
    options = parser.parse_args()
    if options.svg:
        require_charts()
    runs = run_all(options)
    print(f"\nProblems of the mini core, {options.seconds:g} s each, {platform.machine()}\n")
    print(plain(table(runs)))
    for note in notes(runs):
        print(f"note: {note}", file=sys.stderr)
    written = {
        options.markdown: lambda: markdown(table(runs)) + "\n",
        options.json: lambda: json.dumps(to_json(runs), ensure_ascii=False, indent=2) + "\n",
        options.svg: lambda: picture(runs),
    }
    for path, content in written.items():
        if path is not None:
            with replacing(path) as stream:
                stream.write(content())
    return 0


if __name__ == "__main__":
    sys.exit(main())
