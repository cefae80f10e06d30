"""The command line. A command's module is imported when the command is known, so that `--version` is immediate."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Collection, Sequence
from typing import cast

from lean_extract.common.verbs import OptionParser, Verb, VerbModule, reported
from lsp_server import __version__

COMMANDS = {
    "setup": Verb(".commands.setup", "index a project, try its Lean, and show what your editor needs"),
    "suggest": Verb(
        ".commands.suggest", "find premises and tactics for a goal in a file, or for a proof state"
    ),
    "search": Verb(".commands.search", "search premises by name, words, statement or pattern"),
    "index": Verb(".commands.index", "build or refresh the index of a project"),
    "collections": Verb(
        ".commands.collections", "list or remove the collections of backends other than Lean"
    ),
    "serve": Verb(".commands.serve", "run the language server"),
    "http": Verb(".commands.http", "serve other Lean tools and a search page over HTTP, on loopback"),
    "mcp": Verb(".commands.mcp", "serve tools to agents over the Model Context Protocol"),
    "eval": Verb(".commands.eval", "prove problems by search, or measure a backend's retrieval"),
    "doctor": Verb(".commands.doctor", "show what is set up, what is missing, and how to fix it"),
    "demo": Verb(".commands.demo", "run a demonstration on the bundled example library"),
}
"""The commands, in the order in which `--help` lists them."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code: 0 for success, 2 for a user's mistake, 130 after Ctrl-C, 1 otherwise."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    code = 0

    def work() -> None:
        nonlocal code
        options = parser(given[:1]).parse_args(given)
        code = _module(options.command).run(options) or 0

    return reported(work) or code


def parser(declared: Collection[str] = COMMANDS) -> argparse.ArgumentParser:
    """All commands, with the options of those that are named: their modules are imported."""
    top = OptionParser(
        prog="premise-suggest",
        description="Find the lemmas that fit a live Lean 4 goal, and the tactics that Lean accepts.",
    )
    top.add_argument("--version", action="version", version=f"premise-suggest {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, verb in COMMANDS.items():
        command = commands.add_parser(name, help=verb.about)
        if name in declared:
            _module(name).add_arguments(command)
    return top


def _module(command: str) -> VerbModule:
    return cast(VerbModule, importlib.import_module(COMMANDS[command].module, __package__))
