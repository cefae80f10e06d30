"""`premise-suggest doctor`: shows what is set up, what is missing, and how to fix it."""

from __future__ import annotations

import argparse
import asyncio
import sys
from dataclasses import replace
from pathlib import Path

from lsp_server.commands.common import existing_folder, print_json, project_root
from lsp_server.commands.diagnosis import examine
from lsp_server.commands.findings import report, to_json
from lsp_server.commands.live_findings import live_findings
from lsp_server.commands.options import add_lean_option, add_model_options
from lsp_server.engine.projects import projects_for
from lsp_server.engine.settings import LeanSettings, Settings
from lsp_server.rendering.style import Style

EXAMPLES = (
    "premise-suggest doctor                         # the project of the current folder",
    "premise-suggest doctor path/to/project --live  # also tries its Lean",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("directory", nargs="?", type=Path, default=None, metavar="DIR")
    parser.add_argument("--json", action="store_true", help="print JSON")
    text = "also run the project's Lean: one goal, its premises and tactics, with times and memory"
    parser.add_argument("--live", action="store_true", help=text)
    add_lean_option(parser)
    add_model_options(parser, may_fetch=False)


def run(options: argparse.Namespace) -> int:
    """Run the command; the exit code is 1 if something is missing."""
    folder = existing_folder(options.directory).resolve()
    several = projects_for(folder)
    findings = examine(
        project_root(folder) if len(several) == 1 else folder,
        options.lean,
        options.model,
        report=lambda sentence: print(sentence, file=sys.stderr, flush=True),
        device=options.device,
        below=several if len(several) > 1 else (),
    )
    if options.live and len(several) == 1:
        settings = replace(Settings(), lean=LeanSettings(command=options.lean), model_folder=options.model)
        findings += asyncio.run(live_findings(several[0], settings))
    if options.json:
        print_json(to_json(findings))
    else:
        style = Style.of_standard_output()
        sys.stdout.write(report(findings, style))
    return int(any(finding.status == "missing" for finding in findings))
