"""The features of the language server, and the function that makes a server with them.

To add a feature, write one module with `register` and add it here.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, cast

from lsp_server.protocol.server import PremiseServer

FEATURES = (
    "lsp_server.features.configuration",
    "lsp_server.features.documents",
    "lsp_server.features.hover",
    "lsp_server.features.completion",
    "lsp_server.features.code_actions",
    "lsp_server.features.code_lens",
    "lsp_server.features.inline_completion",
    "lsp_server.features.suggest",
    "lsp_server.features.close",
    "lsp_server.features.prove",
    "lsp_server.features.edits",
    "lsp_server.features.insert",
    "lsp_server.features.search",
    "lsp_server.features.declaration",
    "lsp_server.features.uses",
    "lsp_server.features.symbols",
    "lsp_server.features.sorries",
    "lsp_server.features.index",
)
"""The modules of the features."""


class _Feature(Protocol):
    """What a feature's module provides."""

    def register(self, server: PremiseServer) -> None:
        """Register the feature's handlers with the server."""
        ...


def create_server(options: Mapping[str, Any], features: Sequence[str] = FEATURES) -> PremiseServer:
    """A server with these features; nothing is started before a request needs it. `options` as for `PremiseServer`."""
    server = PremiseServer(options)
    for name in features:
        cast(_Feature, importlib.import_module(name)).register(server)
    return server
