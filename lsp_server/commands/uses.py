"""`premise-suggest uses`: which proofs use a declaration, and what its own proof uses."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from lean_extract.common.option_types import positive
from lsp_server.commands.common import (
    existing_folder,
    print_json,
    searched_project,
    settings_for,
    show_first_use,
)
from lsp_server.commands.options import add_model_options
from lsp_server.engine.documented_json import to_json
from lsp_server.engine.engine import Engine
from lsp_server.engine.schema import UsesAnswer
from lsp_server.rendering.style import Style
from lsp_server.rendering.terminal import uses_text

EXAMPLES = (
    "premise-suggest uses Nat.add_comm              # in the project of this folder, and in Mathlib",
    "premise-suggest uses Nat.add_comm --k 100      # more of them",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("name", metavar="NAME", help="the full name of a theorem or definition")
    text = "the module that declares it, where several declare the name"
    parser.add_argument("--module", default=None, metavar="MODULE", help=text)
    text = "a folder of the project (default: the current folder)"
    parser.add_argument("--project", type=Path, default=None, metavar="DIR", help=text)
    text = "how many to list, of those that use it and of those that it uses (default: 16)"
    parser.add_argument("--k", type=positive, default=None, metavar="N", help=text)
    parser.add_argument("--json", action="store_true", help="print the JSON object (docs/json.md)")
    parser.set_defaults(lean="")
    add_model_options(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    show_first_use()
    answer = asyncio.run(_uses(options))
    if options.json:
        print_json(to_json(answer))
        return 0
    sys.stdout.write(uses_text(answer, Style.of_standard_output()))
    return 0


async def _uses(options: argparse.Namespace) -> UsesAnswer:
    project = searched_project(existing_folder(options.project))
    engine = Engine(project.root, settings_for(options, project.root))
    try:
        return project.with_warning(await engine.uses(options.name, options.module, options.k))
    finally:
        await engine.close()
