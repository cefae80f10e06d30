"""`premise-suggest search`: premises by name, words, statement or pattern."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from lean_extract.common.errors import UserError
from lean_extract.common.option_types import positive
from lsp_server.commands.common import (
    print_json,
    searched_project,
    settings_for,
    show_first_use,
)
from lsp_server.commands.options import add_model_options, add_rerank_option
from lsp_server.commands.typed_text import typed
from lsp_server.engine.documented_json import to_json
from lsp_server.engine.engine import Engine
from lsp_server.engine.requests import SearchRequest
from lsp_server.engine.schema import SearchAnswer
from lsp_server.engine.schema_items import QueryKind
from lsp_server.rendering.style import Style
from lsp_server.rendering.terminal import search_text
from retriever.lean.words.filters import KINDS

EXAMPLES = (
    "premise-suggest search add_comm                # by a name or a part of one",
    "premise-suggest search '?a * _ ≤ ?b * _'       # by a pattern",
    "premise-suggest search 'sum of odd numbers' --module Mathlib.Algebra --k 5",
    "premise-suggest search 'image of a compact set kind:theorem mentions:Continuous'",
    "premise-suggest search 'a + b = b + a' --as words",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    text = "a name or a part of one, words, a goal with ⊢, or a pattern such as '?a * _ ≤ ?b * _'; - reads it"
    parser.add_argument("query", metavar="QUERY", nargs="?", default="", help=text)
    parser.add_argument(
        "--like", metavar="NAME", help="list what is most like this declaration, with no QUERY"
    )
    parser.add_argument(
        "--k", type=positive, default=None, metavar="N", help="how many premises to list (default: 16)"
    )
    text = "only from this module and those below it; may be repeated"
    parser.add_argument("--module", action="append", default=[], metavar="MODULE", help=text)
    text = f"only of this kind: {', '.join(KINDS)}"
    parser.add_argument("--kind", action="append", choices=KINDS, default=[], metavar="KIND", help=text)
    parser.add_argument(
        "--package", action="append", default=[], metavar="NAME", help="only from this package"
    )
    text = "only what has this name in its statement; several: all of them"
    parser.add_argument("--mentions", action="append", default=[], metavar="NAME", help=text)
    parser.add_argument("--explain", action="store_true", help="for words or a goal: also explain each score")
    text = "how to read the query (default: as it looks)"
    parser.add_argument(
        "--as", dest="reading", type=QueryKind, choices=list(QueryKind), default=None, help=text
    )
    parser.add_argument("--json", action="store_true", help="print the JSON object (docs/json.md)")
    parser.set_defaults(lean="")
    add_model_options(parser)
    add_rerank_option(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    show_first_use()
    request = SearchRequest(
        _query(options),
        options.k,
        options.reading,
        modules=tuple(options.module),
        explain=options.explain,
    )
    answer = asyncio.run(_search(options, request))
    if options.json:
        print_json(to_json(answer))
        return 0
    sys.stdout.write(search_text(answer, Style.of_standard_output()))
    return 0


def _query(options: argparse.Namespace) -> str:
    """The query with the options' filters beside it, as people may write them there. Raises UserError."""
    if not options.query and not options.like:
        raise UserError("QUERY is missing.", "See: premise-suggest search --help")
    chosen = {
        "like": filter(None, [options.like]),
        "kind": options.kind,
        "package": options.package,
        "mentions": options.mentions,
    }
    filters = (f"{key}:{value}" for key, values in chosen.items() for value in values)
    return " ".join([typed(options.query) if options.query else "", *filters]).strip()


async def _search(options: argparse.Namespace, request: SearchRequest) -> SearchAnswer:
    project = searched_project(Path.cwd())
    engine = Engine(project.root, settings_for(options, project.root))
    try:
        return project.with_warning(await engine.search(request))
    finally:
        await engine.close()
