"""The request `premiseSuggest/index` and the command `premise-suggest.index` (docs/lsp.md)."""

from __future__ import annotations

from typing import Any

from lsp_server.engine.documented_json import to_json
from lsp_server.engine.schema import IndexAnswer
from lsp_server.protocol.handlers import active
from lsp_server.protocol.parameters import Parameters
from lsp_server.protocol.server import PremiseServer

_REQUEST = "premiseSuggest/index"
_COMMAND = "premise-suggest.index"
_NAMES = frozenset({"textDocument"})


def register(server: PremiseServer) -> None:
    """The request and the command, with the same parameters and answers."""

    @active(server, "indexing")
    async def index(params: Any = None, *_: Any) -> Any:
        given = Parameters(_REQUEST, {} if params is None else params, _NAMES)
        engine = (
            server.engine(server.document(given.uri()))
            if given.has("textDocument")
            else await server.first_engine()
        )
        report = await server.indexing.run(engine)
        return to_json(IndexAnswer(report.documents, report.stopped, await engine.freshness()))

    server.feature(_REQUEST)(index)
    server.command(_COMMAND)(index)
