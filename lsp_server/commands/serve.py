"""`premise-suggest serve`: the language server, on standard input and output or on a port."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path
from typing import NoReturn

from lean_extract.common.option_types import port
from lsp_server.commands.common import chosen_settings, layered_settings
from lsp_server.commands.options import (
    add_lean_option,
    add_model_options,
    add_rerank_option,
    add_tactic_options,
)
from lsp_server.serving.features import create_server
from lsp_server.serving.process import exit_process
from lsp_server.serving.running import serve_stdio, serve_tcp

EXAMPLES = (
    "premise-suggest serve                          # an editor starts it",
    "premise-suggest serve --log server.log",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--stdio", action="store_true", help="speak on standard input and output (default)")
    parser.add_argument("--tcp", type=port, metavar="PORT", help="listen on this port of 127.0.0.1 instead")
    parser.add_argument("--log", type=Path, metavar="FILE", help="write a log, for bug reports")
    add_lean_option(parser)
    add_model_options(parser)
    add_rerank_option(parser)
    add_tactic_options(parser)


def run(options: argparse.Namespace) -> NoReturn:
    """Run the command; the process ends when the client has disconnected."""
    if options.log:
        logging.basicConfig(
            filename=options.log, level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s"
        )
        logging.getLogger("premise_suggest").setLevel(logging.DEBUG)
    else:
        logging.basicConfig(level=logging.ERROR, format="%(levelname)s %(name)s %(message)s")
    # pygls logs every message that it sends, and a traceback for every refused request; both are noise here.
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    layered_settings(options, lambda sentence: None)  # the client is shown what is wrong with a file
    server = create_server(chosen_settings(options))
    exit_process(serve_stdio(server) if options.tcp is None else serve_tcp(server, options.tcp))
