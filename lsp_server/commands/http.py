"""`premise-suggest http`: serves the HTTP APIs of existing clients and a search page, on loopback."""

from __future__ import annotations

import argparse
import logging
import os
from functools import partial
from pathlib import Path

from lean_extract.common.errors import UserError
from lean_extract.common.option_types import port, positive, processes
from lsp_server.commands.common import (
    existing_folder,
    layered_settings,
    log_to_standard_error,
    not_installed,
    project_root,
    show_first_use,
    warn_of_fallback,
)
from lsp_server.commands.options import add_model_options, add_rerank_option, add_tactic_options

TOKEN_VARIABLE = "PREMISE_SUGGEST_TOKEN"
STORE_VARIABLE = "PREMISE_SUGGEST_STORE"
HTTP_PORT = 8765
_NEEDED = ("fastapi", "uvicorn", "prometheus_client")

EXAMPLES = (
    "premise-suggest http --project DIR             # http://127.0.0.1:8765",
    "premise-suggest http --project DIR --port 0 --verbose",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--port",
        type=port,
        default=HTTP_PORT,
        metavar="PORT",
        help=f"the port to listen on; 0: any free one (default: {HTTP_PORT})",
    )
    parser.add_argument(
        "--host", default="127.0.0.1", metavar="H", help="the address to listen on (default: 127.0.0.1)"
    )
    text = "require this token; needed beyond loopback (or set PREMISE_SUGGEST_TOKEN)"
    parser.add_argument("--token", metavar="T", help=text)
    text = "serve the index of this project; the first one is the default; may be repeated"
    parser.add_argument(
        "--project", type=Path, nargs="+", action="extend", default=[], metavar="DIR", help=text
    )
    text = "another revision for which the default index answers; may be repeated"
    parser.add_argument("--rev", action="append", default=[], metavar="REV", help=text)
    text = "requests per second from one address (default: 500; beyond loopback 20)"
    parser.add_argument("--rate", type=positive, metavar="N", help=text)
    text = "serve the libraries of this database, postgresql://… (or set PREMISE_SUGGEST_STORE)"
    parser.add_argument("--store", metavar="ADDRESS", default="", help=text)
    text = "serve this library that setup --git fetched; may be repeated; with --store: the one that is the default"
    parser.add_argument("--library", metavar="NAME[@REV]", action="append", default=[], help=text)
    text = "how many processes answer, at most one for each core (default: 1)"
    parser.add_argument("--workers", type=processes, default=1, metavar="N", help=text)
    parser.add_argument("--verbose", action="store_true", help="log each request, without goals")
    parser.add_argument("--log-goals", action="store_true", help="also log the queries in URLs")
    parser.set_defaults(lean="")
    add_model_options(parser)
    add_rerank_option(parser)
    add_tactic_options(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command; returns when a signal ends the server."""
    log = partial(_log, requests=options.verbose or options.log_goals)
    log()
    show_first_use()
    try:
        from lsp_server.http.serving import ServingOptions, serve
    except ModuleNotFoundError as error:
        raise not_installed(error, _NEEDED, "http") from error
    store = options.store or os.environ.get(STORE_VARIABLE, "")
    if store and len(options.library) > 1:
        raise UserError("With --store, --library names the default library alone.", "Give it once.")
    projects = [project_root(existing_folder(folder)) for folder in options.project]
    layers = layered_settings(options)
    settings = {root: layers.at(root) for root in (None, *projects)}
    warn_of_fallback(*settings.values())
    serve(
        ServingOptions(
            host=options.host,
            port=options.port,
            token=options.token or os.environ.get(TOKEN_VARIABLE) or None,
            projects=projects,
            revisions=options.rev,
            rate=options.rate,
            log_goals=options.log_goals,
            workers=options.workers,
            database=store,
            libraries=options.library,
        ),
        settings,
        log,
    )
    return 0


def _log(*, requests: bool) -> None:
    log_to_standard_error()
    if requests:
        logging.getLogger("premise_suggest.http").setLevel(logging.INFO)
