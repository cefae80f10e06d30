"""`premise-suggest mcp`: tools for agents over the Model Context Protocol."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from pathlib import Path

from lean_extract.common.errors import UserError
from lean_extract.common.option_types import port
from lean_extract.common.terminal_text import print_line, shown
from lean_extract.common.verbs import INTERRUPTED
from lean_extract.source.projects.project import find_root
from lsp_server.commands.common import (
    existing_folder,
    layered_settings,
    log_to_standard_error,
    not_installed,
    warn_of_fallback,
)
from lsp_server.commands.http import STORE_VARIABLE, TOKEN_VARIABLE
from lsp_server.commands.options import (
    add_lean_option,
    add_model_options,
    add_rerank_option,
    add_tactic_options,
)
from lsp_server.engine.databases import Published
from lsp_server.serving.process import exit_process

_MCP_PORT = 8766
_NEEDED = ("mcp", "mcp_types", "fastapi", "uvicorn", "starlette", "prometheus_client")

EXAMPLES = (
    "premise-suggest mcp                            # an agent starts it",
    "premise-suggest mcp --project DIR --http",
    "premise-suggest mcp --skill > .claude/skills/premise-suggest/SKILL.md",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    text = "a project whose files may be asked text; the first one answers searches (default: the current folder's)"
    parser.add_argument(
        "--project", type=Path, nargs="+", action="extend", default=[], metavar="DIR", help=text
    )
    text = "serve streamable HTTP, to any number of agents, in place of standard input and output"
    parser.add_argument("--http", action="store_true", help=text)
    parser.add_argument(
        "--port",
        type=port,
        default=_MCP_PORT,
        metavar="PORT",
        help=f"with --http: the port; 0: any free one (default: {_MCP_PORT})",
    )
    text = "with --http: the address to listen on (default: 127.0.0.1)"
    parser.add_argument("--host", default="127.0.0.1", metavar="H", help=text)
    text = "with --http: require this token; needed beyond loopback (or set PREMISE_SUGGEST_TOKEN)"
    parser.add_argument("--token", metavar="T", help=text)
    text = "search a library of this database, postgresql://…, in place of Mathlib here (or set PREMISE_SUGGEST_STORE)"
    parser.add_argument("--store", metavar="ADDRESS", default="", help=text)
    text = "with --store: which one (default: the one for the project's Lean version, else the newest)"
    parser.add_argument("--library", metavar="NAME", default="", help=text)
    text = "also send answers as objects, with their schemas in the list of tools (docs/json.md)"
    parser.add_argument("--structured", action="store_true", help=text)
    text = "print a skill file for .claude/skills, which says when to call which tool, and end"
    parser.add_argument("--skill", action="store_true", help=text)
    add_lean_option(parser)
    add_model_options(parser)
    add_rerank_option(parser)
    add_tactic_options(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command; returns when the client has disconnected, or a signal ends the server."""
    log_to_standard_error()
    try:
        from lsp_server.mcp.offer import offer_of
        from lsp_server.mcp.serving import HttpOptions, serve_http, serve_stdio
        from lsp_server.mcp.workspace import Workspace
    except ModuleNotFoundError as error:
        raise not_installed(error, _NEEDED, "mcp") from error
    offer = offer_of(os.environ, structured=options.structured)
    if options.skill:
        sys.stdout.write(offer.skill())
        return 0
    roots = [find_root(existing_folder(folder).resolve()) for folder in options.project or [Path.cwd()]]
    store = options.store or os.environ.get(STORE_VARIABLE, "")
    if options.library and not store:
        raise UserError("--library names a library of a database, and none is given.", "Add --store.")
    published = Published(store, options.library) if store else None
    for note in published.notes if published else ():
        print_line(f"note: {shown(note, longest=0)}", sys.stderr)
    settings = layered_settings(options)
    warn_of_fallback(*map(settings.at, (None, *roots)))
    workspace = Workspace(roots, settings.at, published)
    if not options.http:
        _refuse_http_options(options)
        ended_by = serve_stdio(workspace, offer)
        # A thread may still read standard input.
        exit_process(INTERRUPTED if ended_by == signal.SIGINT else 0)
    token = options.token or os.environ.get(TOKEN_VARIABLE) or None
    serve_http(workspace, offer, HttpOptions(options.host, options.port, token))
    return 0


def _refuse_http_options(options: argparse.Namespace) -> None:
    if options.token or options.host != "127.0.0.1":
        raise UserError("--token and --host are only used with --http.", "Add --http, or leave them out.")
    if sys.stdin is None or sys.stdin.isatty():
        print(
            "premise-suggest mcp speaks the Model Context Protocol on standard input and output; an agent starts it "
            "(docs/mcp.md). Ctrl-C ends it.",
            file=sys.stderr,
        )
