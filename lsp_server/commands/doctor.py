"""`premise-suggest doctor`: shows what is set up, what is missing, and how to fix it."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from lean_extract.common.terminal_text import shown
from lsp_server.commands.common import existing_folder, layered_settings, print_json, project_root
from lsp_server.commands.diagnosis import examine
from lsp_server.commands.findings import Finding, report, to_json
from lsp_server.commands.live_findings import live_findings
from lsp_server.commands.options import add_lean_option, add_model_options
from lsp_server.commands.served_findings import served_finding
from lsp_server.engine.generators import served_name
from lsp_server.engine.projects import projects_for
from lsp_server.engine.settings_files import user_settings_file
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
    root = several[0] if len(several) == 1 else None
    complaints: list[str] = []
    layers = layered_settings(options, complaints.append)
    settings = layers.at(root)
    findings = examine(
        project_root(folder) if root is not None else folder,
        settings.lean.command,
        settings.model_folder,
        report=lambda sentence: print(sentence, file=sys.stderr, flush=True),
        device=settings.models.device,
        below=several if len(several) > 1 else (),
    )
    if served_name(settings.tactics.generator):
        findings.append(asyncio.run(served_finding(settings)))
    findings.append(_settings_finding(layers.files(root), complaints))
    if options.live and root is not None:
        findings += asyncio.run(live_findings(root, settings))
    if options.json:
        print_json(to_json(findings))
    else:
        style = Style.of_standard_output()
        sys.stdout.write(report(findings, style))
    return int(any(finding.status == "missing" for finding in findings))


def _settings_finding(files: Sequence[Path], complaints: Sequence[str]) -> Finding:
    """Which settings files are used, and what in them is not."""
    used = f"from {', then '.join(map(str, files))}" if files else f"the defaults: no {user_settings_file()}"
    if not complaints:
        return Finding("settings", "ok", used)
    return Finding("settings", "note", shown(" ".join([f"{used}.", *complaints]), longest=0))
