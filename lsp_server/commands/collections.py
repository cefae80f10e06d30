"""`premise-suggest collections`: lists or removes what is indexed for backends other than Lean."""

from __future__ import annotations

import argparse
import sys

from lsp_server.commands.common import print_json
from lsp_server.engine.collections import list_collections, remove_collection, size_of
from lsp_server.rendering.labels import counted
from retriever.search.collections.manifest import CollectionManifest

_MEGABYTE = 1_000_000

EXAMPLES = (
    "premise-suggest collections",
    "premise-suggest collections --remove NAME",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--remove", metavar="NAME", help="remove the index of this collection")
    chosen.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    if options.remove is not None:
        removed = remove_collection(options.remove)
        print(f"{options.remove}: {_size_text(removed)} removed.")
        return 0
    found, damaged = list_collections()
    if options.json:
        print_json({"collections": [_to_json(one) for one in found]})
    elif found:
        print("\n".join(map(_line, found)))
    elif not damaged:
        print("No collection is indexed. Index one: premise-suggest index --backend NAME SOURCE")
    for error in damaged:
        print(f"warning: {error.message} {error.hint}", file=sys.stderr)
    return 0


def _size_text(size: int) -> str:
    """A number of bytes as text for a person."""
    return f"{size / _MEGABYTE:.1f} MB"


def _line(one: CollectionManifest) -> str:
    vectors = ", with vectors" if one.fingerprint else ""
    about = f"{counted(one.documents, 'document')}{vectors}, {_size_text(size_of(one.name))}"
    return f"{one.name} ({one.backend}): {about}, of {one.source}"


def _to_json(one: CollectionManifest) -> dict[str, object]:
    return {
        "name": one.name,
        "backend": one.backend,
        "documents": one.documents,
        "source": one.source,
        "data": one.digest,
        "model": one.fingerprint,
        "bytes": size_of(one.name),
    }
