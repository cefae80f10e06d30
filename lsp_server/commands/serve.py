"""`premise-suggest serve`: the language server, on standard input and output or on a port."""

from __future__ import annotations

import argparse
import logging

from lsp_server.commands.common import settings_for
from lsp_server.serving import create_server, serve_stdio, serve_tcp


def run(options: argparse.Namespace) -> int:
    """Run the command; returns when the client has gone."""
    if options.log:
        logging.basicConfig(
            filename=options.log, level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s"
        )
        logging.getLogger("premise_suggest").setLevel(logging.DEBUG)
    else:
        logging.basicConfig(level=logging.ERROR, format="%(levelname)s %(name)s %(message)s")
    # pygls logs every message it sends, and every refused request with a traceback; both are noise here.
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    server = create_server(settings_for(options))
    if options.tcp is not None:
        return serve_tcp(server, options.tcp)
    return serve_stdio(server)
