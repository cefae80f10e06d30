"""The command line. Heavy imports are delayed until the command is known, so that `--version` is immediate."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

from lean_extract.common.devices import DEVICES
from lean_extract.common.option_types import add_cluster_arguments, depth, port, positive, processes
from lean_extract.common.verbs import OptionParser, reported
from lsp_server import __version__
from lsp_server.commands.eval_options import add_eval
from lsp_server.commands.ports import HTTP_PORT, MCP_PORT
from lsp_server.engine.settings import SOURCES

Command = Callable[[argparse.Namespace], int]

_COMMANDS = {
    "setup": "lsp_server.commands.setup",
    "suggest": "lsp_server.commands.suggest",
    "search": "lsp_server.commands.search",
    "index": "lsp_server.commands.index",
    "serve": "lsp_server.commands.serve",
    "http": "lsp_server.commands.http",
    "mcp": "lsp_server.commands.mcp",
    "collections": "lsp_server.commands.collections",
    "eval": "lsp_server.commands.eval",
    "doctor": "lsp_server.commands.doctor",
    "demo": "lsp_server.commands.demo",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code: 0 for success, 2 for a user's mistake, 130 after Ctrl-C, 1 otherwise."""
    code = 0

    def work() -> None:
        nonlocal code
        options = parser().parse_args(arguments)
        code = cast(Command, importlib.import_module(_COMMANDS[options.command]).run)(options)

    return reported(work) or code


def parser() -> argparse.ArgumentParser:
    """The options of every command."""
    top = OptionParser(
        prog="premise-suggest",
        description="Find the lemmas that fit a live Lean 4 goal, and the tactics that Lean accepts.",
    )
    top.add_argument("--version", action="version", version=f"premise-suggest {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _setup(commands.add_parser("setup", help="index a project, try its Lean, and say what your editor needs"))
    _suggest(
        commands.add_parser(
            "suggest", help="find premises and tactics for a goal in a file, or for a proof state"
        )
    )
    _search(commands.add_parser("search", help="search premises by name, words, statement or pattern"))
    _index(commands.add_parser("index", help="build or refresh the index of a project"))
    _collections(
        commands.add_parser("collections", help="list or remove the collections of backends other than Lean")
    )
    _serve(commands.add_parser("serve", help="run the language server"))
    _http(commands.add_parser("http", help="serve other Lean tools and a search page over HTTP, on loopback"))
    _mcp(commands.add_parser("mcp", help="serve tools to agents over the Model Context Protocol"))
    add_eval(commands.add_parser("eval", help="prove problems by search, or measure a backend's retrieval"))
    _doctor(commands.add_parser("doctor", help="show what is set up, what is missing, and how to fix it"))
    demo = commands.add_parser("demo", help="run a demonstration on the bundled example library")
    _lean(demo)
    return top


def _setup(command: argparse.ArgumentParser) -> None:
    said = "a folder of the project (default: the current folder)"
    command.add_argument("directory", nargs="?", type=Path, default=None, metavar="DIR", help=said)
    said = "fetch and index a public Lean library, such as https://github.com/leanprover-community/mathlib4"
    command.add_argument("--git", metavar="ADDRESS[@REV]", default="", help=said)
    command.add_argument("--yes", "-y", action="store_true", help="do not ask")
    command.add_argument("--quiet", action="store_true", help="show no progress bar")
    _lean(command)
    _model(command)


def _suggest(command: argparse.ArgumentParser) -> None:
    said = "ask leanprover-community/repl, started by this command line, in place of Lean's language server"
    command.add_argument("--repl", metavar="COMMAND", default="", help=said)
    source = command.add_mutually_exclusive_group(required=True)
    source.add_argument("--file", type=Path, metavar="F", help="a Lean file with the goal")
    said = "a theorem of a Git clone, opened in LeanDojo: CLONE:FILE:THEOREM"
    source.add_argument("--dojo", metavar="THEOREM", help=said)
    source.add_argument("--state", metavar="FILE|-", help="a printed proof state; - is standard input")
    said = "what to search for: a theorem in words and LaTeX, or, for Lean, a printed proof state"
    source.add_argument("--text", metavar="TEXT", help=said)
    _backend(command)
    said = "which collection to search, if several are indexed"
    command.add_argument("--collection", metavar="NAME", default="", help=said)
    command.add_argument("--line", type=int, metavar="L", help="the line of the goal, from 1")
    command.add_argument(
        "--column",
        type=int,
        metavar="C",
        help="the column of the goal, from 1 (default: the `sorry` on the line)",
    )
    said = "with --dojo: a tactic that is run first; may be repeated"
    command.add_argument("--after", metavar="TACTIC", action="append", default=[], help=said)
    said = "which goal, if there are several, from 1 (default: 1)"
    command.add_argument("--goal", type=positive, default=1, metavar="N", help=said)
    command.add_argument(
        "--k", type=positive, default=None, metavar="N", help="how many premises to list (default: 16)"
    )
    said = "the tactic that the premises are for (rw, simp, exact, unfold, ...): what it can use is listed"
    command.add_argument("--caller", default="", metavar="TACTIC", help=said)
    said = "a part of the goal's target, as Lean prints it: list what rewrites it, and try `rw` with that"
    command.add_argument("--select", metavar="TEXT", default="", help=said)
    command.add_argument("--tactics", action="store_true", help="also try tactics in Lean")
    command.add_argument("--failures", action="store_true", help="also list tactics that fail")
    command.add_argument(
        "--explain", action="store_true", help="also say what each premise's score comes from"
    )
    command.add_argument("--json", action="store_true", help="print the JSON object (docs/json.md)")
    _lean(command)
    _model(command)
    _rerank(command)
    _tactics(command)


def _search(command: argparse.ArgumentParser) -> None:
    said = "a name or a part of one, words, a goal with ⊢, or a pattern such as '?a * _ ≤ ?b * _'; - reads it"
    command.add_argument("query", metavar="QUERY", help=said)
    command.add_argument(
        "--k", type=positive, default=None, metavar="N", help="how many premises to list (default: 16)"
    )
    said = "only from this module and those below it; may be repeated"
    command.add_argument("--module", action="append", default=[], metavar="MODULE", help=said)
    command.add_argument("--json", action="store_true", help="print the JSON object (docs/json.md)")
    command.set_defaults(lean="", tactics_from="both", generator="")
    _model(command)
    _rerank(command)


def _index(command: argparse.ArgumentParser) -> None:
    said = "Lean projects, or the source of another backend (default: the current folder)"
    command.add_argument("sources", nargs="*", type=Path, metavar="SOURCE", help=said)
    command.add_argument("--quiet", action="store_true", help="show no progress bar")
    _backend(command)
    said = "the name of the collection, for another backend, or of the published library (default: of file or folder)"
    command.add_argument("--name", metavar="NAME", default="", help=said)
    said = "then publish the index into this database, postgresql://…, for `http --store` and `mcp --store`"
    command.add_argument("--store", metavar="ADDRESS", default="", help=said)
    add_cluster_arguments(command, "index many projects")
    _lean(command)
    _model(command)


def _collections(command: argparse.ArgumentParser) -> None:
    chosen = command.add_mutually_exclusive_group()
    chosen.add_argument("--remove", metavar="NAME", help="remove the index of this collection")
    chosen.add_argument("--json", action="store_true", help="print JSON")


def _serve(command: argparse.ArgumentParser) -> None:
    command.add_argument("--stdio", action="store_true", help="speak on standard input and output (default)")
    command.add_argument("--tcp", type=port, metavar="PORT", help="listen on this port of 127.0.0.1 instead")
    command.add_argument("--log", type=Path, metavar="FILE", help="write a log, for bug reports")
    _lean(command)
    _model(command)
    _rerank(command)
    _tactics(command)


def _http(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--port",
        type=port,
        default=HTTP_PORT,
        metavar="PORT",
        help=f"the port to listen on; 0: any free one (default: {HTTP_PORT})",
    )
    command.add_argument(
        "--host", default="127.0.0.1", metavar="H", help="the address to listen on (default: 127.0.0.1)"
    )
    said = "require this token; needed beyond loopback (or set PREMISE_SUGGEST_TOKEN)"
    command.add_argument("--token", metavar="T", help=said)
    said = "serve the index of this project; the first one is the default; may be repeated"
    command.add_argument(
        "--project", type=Path, nargs="+", action="extend", default=[], metavar="DIR", help=said
    )
    said = "another revision that the default index answers to; may be repeated"
    command.add_argument("--rev", action="append", default=[], metavar="REV", help=said)
    said = "requests per second from one address (default: 500; beyond loopback 20)"
    command.add_argument("--rate", type=positive, metavar="N", help=said)
    said = "serve the libraries of this database, postgresql://… (or set PREMISE_SUGGEST_STORE)"
    command.add_argument("--store", metavar="ADDRESS", default="", help=said)
    said = "with --store: which one answers if a client names none (default: the one published last)"
    command.add_argument("--library", metavar="NAME", default="", help=said)
    said = "answer with so many processes, one or less for each core (default: 1)"
    command.add_argument("--workers", type=processes, default=1, metavar="N", help=said)
    command.add_argument("--verbose", action="store_true", help="log each request, without goals")
    command.add_argument("--log-goals", action="store_true", help="also log the queries in URLs")
    command.set_defaults(lean="")
    _model(command)
    _rerank(command)
    _tactics(command)


def _mcp(command: argparse.ArgumentParser) -> None:
    said = "a project whose files may be asked about; the first one answers searches (default: the current folder's)"
    command.add_argument(
        "--project", type=Path, nargs="+", action="extend", default=[], metavar="DIR", help=said
    )
    said = "serve streamable HTTP, to any number of agents, in place of standard input and output"
    command.add_argument("--http", action="store_true", help=said)
    command.add_argument(
        "--port",
        type=port,
        default=MCP_PORT,
        metavar="PORT",
        help=f"with --http: the port; 0: any free one (default: {MCP_PORT})",
    )
    said = "with --http: the address to listen on (default: 127.0.0.1)"
    command.add_argument("--host", default="127.0.0.1", metavar="H", help=said)
    said = "with --http: require this token; needed beyond loopback (or set PREMISE_SUGGEST_TOKEN)"
    command.add_argument("--token", metavar="T", help=said)
    said = "search a library of this database, postgresql://…, in place of Mathlib here (or set PREMISE_SUGGEST_STORE)"
    command.add_argument("--store", metavar="ADDRESS", default="", help=said)
    said = "with --store: which one (default: the one for the project's Lean version, else the newest)"
    command.add_argument("--library", metavar="NAME", default="", help=said)
    _lean(command)
    _model(command)
    _rerank(command)
    _tactics(command)


def _doctor(command: argparse.ArgumentParser) -> None:
    command.add_argument("directory", nargs="?", type=Path, default=None, metavar="DIR")
    command.add_argument("--json", action="store_true", help="print JSON")
    said = "also run the project's Lean: one goal, its premises and tactics, with times and memory"
    command.add_argument("--live", action="store_true", help=said)
    _lean(command)
    _model(command, may_fetch=False)


def _backend(command: argparse.ArgumentParser) -> None:
    said = "what to search: lean (default), naturalproofs, match, or a Python package with a backend"
    command.add_argument("--backend", metavar="NAME", default="lean", help=said)


def _lean(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--lean",
        metavar="COMMAND",
        default="",
        help="the command line of the Lean to run (default: found automatically)",
    )


def _model(command: argparse.ArgumentParser, *, may_fetch: bool = True) -> None:
    said = "the model: a folder, or owner/name on the Hugging Face hub (default: the shipped one)"
    command.add_argument("--model", metavar="NAME", default="", help=said)
    said = "where models run; auto: on a GPU where it can be used, else on the CPU (default: auto)"
    command.add_argument("--device", choices=DEVICES, default="auto", help=said)
    if may_fetch:
        said = "download that model from the hub if it is not on this machine"
        command.add_argument("--download", action="store_true", help=said)


def _rerank(command: argparse.ArgumentParser) -> None:
    said = "how many premises to re-rank, if the model has a re-ranker; 0: none (default: 20)"
    command.add_argument("--rerank", type=depth, default=None, metavar="N", help=said)


def _tactics(command: argparse.ArgumentParser) -> None:
    said = "the tactic generator: a folder, or owner/name on the hub (default: the shipped one)"
    command.add_argument("--generator", metavar="PATH_OR_HUB_NAME", default="", help=said)
    said = "where tactics come from (default: both)"
    command.add_argument("--tactics-from", choices=SOURCES, default="both", help=said)
