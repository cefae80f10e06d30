"""The request `premiseSuggest/sorries` (docs/lsp.md): the `sorry`s of a document."""

from __future__ import annotations

import asyncio
from typing import Any

from lsp_server.engine.documented_json import to_json
from lsp_server.engine.schema import SorriesAnswer
from lsp_server.engine.sorries import sorries
from lsp_server.protocol.handlers import active
from lsp_server.protocol.parameters import Parameters
from lsp_server.protocol.server import PremiseServer

_REQUEST = "premiseSuggest/sorries"
_NAMES = frozenset({"textDocument"})


def register(server: PremiseServer) -> None:
    """The request."""

    @server.feature(_REQUEST)
    @active(server, "look-up")
    async def listed(params: Any = None, *_: Any) -> Any:
        given = Parameters(_REQUEST, params, _NAMES)
        document = server.text_document(given.uri())
        return to_json(SorriesAnswer(await asyncio.to_thread(sorries, document.text)))
