"""`premise-suggest suggest --backend NAME`: what a collection of another backend has."""

from __future__ import annotations

import argparse
import sys

from lean_extract.common.errors import UserError
from lsp_server.commands.common import print_json
from lsp_server.commands.typed_text import typed
from lsp_server.engine.documented_json import to_json
from lsp_server.rendering.style import Style
from lsp_server.rendering.terminal import collection_text


def from_collection(options: argparse.Namespace) -> int:
    """Search a collection. Raises UserError: options that only Lean has are given."""
    if options.text is None:
        raise UserError(
            f"The backend {options.backend} needs --text.", "Give what to search for; `--text -` reads it."
        )
    lean_only = (options.tactics, options.failures, options.line, options.column, options.caller, options.all)
    if any(lean_only) or options.goal > 1:
        raise UserError(
            "Only the backend lean has tactics, goals and positions in files.", "Leave those options out."
        )
    if options.explain:
        raise UserError("Only the backend lean explains its scores.", "Leave out --explain.")
    if options.model:
        raise UserError("A collection's model is chosen when it is indexed.", "Give --model to `index`.")
    from lsp_server.engine.collections import answer, find_collection, open_collection
    from retriever.search.backends import find_backend

    find_backend(options.backend)
    text = typed(options.text)
    manifest = find_collection(options.backend, options.collection)
    opened = open_collection(manifest, rerank=options.rerank, device=options.device)
    found = answer(opened, text, options.k or 16)
    if options.json:
        print_json(to_json(found))
    else:
        sys.stdout.write(collection_text(found, Style.of_standard_output()))
    return 0
