"""The request `premiseSuggest/search` (docs/lsp.md): premises for a goal, words, a name, a statement or a pattern."""

from __future__ import annotations

from typing import Any

from lean_extract.records import Position
from lsp_server.engine.documented_json import to_json
from lsp_server.engine.engine import Engine
from lsp_server.engine.requests import SearchRequest
from lsp_server.engine.schema_items import QueryKind
from lsp_server.protocol.handlers import active
from lsp_server.protocol.parameters import Parameters
from lsp_server.protocol.server import PremiseServer
from prover.verify import GoalPosition

_REQUEST = "premiseSuggest/search"
_NAMES = frozenset({"query", "k", "textDocument", "position", "modules", "inScope", "as"})


def register(server: PremiseServer) -> None:
    """The request."""

    @server.feature(_REQUEST)
    @active(server, "search")
    async def search(params: Any = None, *_: Any) -> Any:
        given = Parameters(_REQUEST, params, _NAMES)
        engine, position = await _position(server, given)
        request = SearchRequest(
            query=given.text("query", "a goal, a name, some words, or a pattern"),
            k=given.number("k"),
            reading=given.one_of("as", QueryKind),
            position=position,
            modules=given.texts("modules"),
            in_scope=given.flag("inScope"),
        )
        return to_json(await engine.search(request))


async def _position(server: PremiseServer, given: Parameters) -> tuple[Engine, GoalPosition | None]:
    """The project to search in, and the position in the document (default: its end)."""
    if not given.has("textDocument"):
        return await server.first_engine(), None
    document, engine = server.document_or_text(given.uri())
    if document is None:
        return engine, None
    last = Position(len(document.lines) - 1, len(document.lines[-1]))
    return engine, document.goal_position(
        document.position(given.position()) if given.has("position") else last
    )
