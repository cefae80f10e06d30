"""The request `premiseSuggest/uses` (docs/lsp.md): which proofs use a declaration, and what its own proof uses."""

from __future__ import annotations

from typing import Any

from lsp_server.engine.documented_json import to_json
from lsp_server.protocol.handlers import active
from lsp_server.protocol.parameters import Parameters
from lsp_server.protocol.server import PremiseServer

_REQUEST = "premiseSuggest/uses"
_NAMES = frozenset({"textDocument", "name", "module", "k"})


def register(server: PremiseServer) -> None:
    """The request."""

    @server.feature(_REQUEST)
    @active(server, "look-up")
    async def uses(params: Any = None, *_: Any) -> Any:
        given = Parameters(_REQUEST, params, _NAMES)
        name = given.needed("name", "the full name of a premise")
        module = given.text("module", "the module that declares it")
        uri = given.uri() if given.has("textDocument") else None
        engine = server.document_or_text(uri)[1] if uri is not None else await server.first_engine()
        return to_json(await engine.uses(name, module or None, given.number("k")))
