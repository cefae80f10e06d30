"""The command line. A command's module is imported when the command is known, so that `--version` is immediate."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Collection, Sequence
from typing import cast

from lean_extract.common.option_parser import OptionParser, command_list, example_list
from lean_extract.common.verbs import Verb, VerbModule, abouts, reported
from lsp_server import __version__

GROUPS = {
    "every day": {
        "setup": Verb(".commands.setup", "index a project, try its Lean, and show what your editor needs"),
        "suggest": Verb(
            ".commands.suggest", "find premises and tactics for a goal in a file, or for a proof state"
        ),
        "prove": Verb(".commands.prove", "search for the proof of a goal in a file, and print or write it"),
        "fill": Verb(".commands.fill", "search for a proof of every sorry of files and folders"),
        "repair": Verb(".commands.repair", "repair errors after a change of Lean or of a library"),
        "search": Verb(".commands.search", "search premises by name, words, statement or pattern"),
        "uses": Verb(".commands.uses", "list the proofs that use a lemma, and what its own proof uses"),
        "doctor": Verb(".commands.doctor", "show what is set up, what is missing, and how to fix it"),
    },
    "servers": {
        "serve": Verb(".commands.serve", "run the language server"),
        "http": Verb(".commands.http", "serve other Lean tools and a search page over HTTP, on loopback"),
        "mcp": Verb(".commands.mcp", "serve tools to agents over the Model Context Protocol"),
    },
    "indexes and evaluation": {
        "index": Verb(".commands.index", "build or refresh the index of a project"),
        "watch": Verb(".commands.watch", "keep the index of a project fresh while its files change"),
        "generator": Verb(".commands.generator", "make a published checkpoint write tactics here"),
        "collections": Verb(
            ".commands.collections", "list or remove the collections of backends other than Lean"
        ),
        "eval": Verb(".commands.eval", "prove problems by search, or measure a backend's retrieval"),
    },
    "more": {
        "demo": Verb(".commands.demo", "run a demonstration on the bundled example library"),
        "completion": Verb(".commands.completion", "print what makes a shell complete these commands"),
    },
}
"""The commands in groups, in the order in which `--help` lists them."""
COMMANDS = {name: verb for verbs in GROUPS.values() for name, verb in verbs.items()}
_EXAMPLES = (
    "premise-suggest setup                 # once in a project",
    "premise-suggest suggest A.lean:6      # the goal in line 6: premises and tactics",
    "premise-suggest search 'add_comm'     # premises by name, words or pattern",
)


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
        epilog=command_list({title: abouts(verbs) for title, verbs in GROUPS.items()}, _EXAMPLES),
    )
    top.add_argument("--version", action="version", version=f"premise-suggest {__version__}")
    text = "one of those below; COMMAND --help shows its options"
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", help=text)
    for name, verb in COMMANDS.items():
        command = commands.add_parser(name, description=f"{verb.about[0].upper()}{verb.about[1:]}.")
        if name in declared:
            module = _module(name)
            module.add_arguments(command)
            command.epilog = example_list(getattr(module, "EXAMPLES", ()))
    return top


def _module(command: str) -> VerbModule:
    return cast(VerbModule, importlib.import_module(COMMANDS[command].module, __package__))
