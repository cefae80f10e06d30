"""`premise-suggest mcp`: tools for agents over the Model Context Protocol."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from pathlib import Path

from lean_extract.common.errors import UserError
from lean_extract.common.terminal_text import print_line, shown
from lean_extract.common.verbs import INTERRUPTED
from lean_extract.source.projects.project import find_root
from lsp_server.commands.common import (
    existing_folder,
    log_to_standard_error,
    not_installed,
    settings_for,
    tell_fallback,
)
from lsp_server.commands.http import STORE_VARIABLE, TOKEN_VARIABLE, refuse_library_without
from lsp_server.engine.databases import Published
from lsp_server.serving.process import leave

_NEEDED = ("mcp", "mcp_types", "fastapi", "uvicorn", "starlette", "prometheus_client")


def run(options: argparse.Namespace) -> int:
    """Run the command; returns when the client has gone, or the server is asked to stop."""
    log_to_standard_error()
    tell_fallback(options.device)
    try:
        from lsp_server.mcp.serving import HttpOptions, serve_http, serve_stdio
        from lsp_server.mcp.workspace import Workspace
    except ModuleNotFoundError as error:
        raise not_installed(error, _NEEDED, "mcp") from error
    roots = [find_root(existing_folder(folder).resolve()) for folder in options.project or [Path.cwd()]]
    store = options.store or os.environ.get(STORE_VARIABLE, "")
    refuse_library_without(store, options.library)
    published = Published(store, options.library) if store else None
    for note in published.notes if published else ():
        print_line(f"note: {shown(note, longest=0)}", sys.stderr)
    workspace = Workspace(roots, settings_for(options), published)
    if not options.http:
        _refuse_http_options(options)
        ended_by = serve_stdio(workspace)
        # A thread may still read standard input.
        leave(INTERRUPTED if ended_by == signal.SIGINT else 0)
    token = options.token or os.environ.get(TOKEN_VARIABLE) or None
    serve_http(workspace, HttpOptions(options.host, options.port, token))
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
