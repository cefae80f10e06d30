"""`premise-suggest http`: serves the HTTP APIs of existing clients and a search page, on loopback."""

from __future__ import annotations

import argparse
import logging
import os
from functools import partial

from lean_extract.common.errors import UserError
from lsp_server.commands.common import (
    existing_folder,
    log_to_standard_error,
    not_installed,
    project_root,
    settings_for,
    show_first_use,
    tell_fallback,
)

TOKEN_VARIABLE = "PREMISE_SUGGEST_TOKEN"
STORE_VARIABLE = "PREMISE_SUGGEST_STORE"
_NEEDED = ("fastapi", "uvicorn", "prometheus_client")


def run(options: argparse.Namespace) -> int:
    """Run the command; returns when the server is asked to stop."""
    log = partial(_log, requests=options.verbose or options.log_goals)
    log()
    show_first_use()
    tell_fallback(options.device)
    try:
        from lsp_server.http.serving import ServingOptions, serve
    except ModuleNotFoundError as error:
        raise not_installed(error, _NEEDED, "http") from error
    store = options.store or os.environ.get(STORE_VARIABLE, "")
    refuse_library_without(store, options.library)
    serve(
        ServingOptions(
            host=options.host,
            port=options.port,
            token=options.token or os.environ.get(TOKEN_VARIABLE) or None,
            projects=[project_root(existing_folder(folder)) for folder in options.project],
            revisions=options.rev,
            rate=options.rate,
            log_goals=options.log_goals,
            workers=options.workers,
            database=store,
            library=options.library,
        ),
        settings_for(options),
        log,
    )
    return 0


def refuse_library_without(store: str, library: str) -> None:
    """Raise UserError where a library is named and no database."""
    if library and not store:
        raise UserError("--library names a library of a database, and none is given.", "Add --store.")


def _log(*, requests: bool) -> None:
    log_to_standard_error()
    if requests:
        logging.getLogger("premise_suggest.http").setLevel(logging.INFO)
