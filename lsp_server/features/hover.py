"""The hover on a tactic or a `sorry`: the premises that fit its goal best."""

from __future__ import annotations

import asyncio

from lsprotocol import types

from lean_extract.records import Position, Span
from lean_extract.session.places import tactic_word
from lsp_server.engine.requests import SuggestRequest
from lsp_server.protocol.handlers import passive
from lsp_server.protocol.server import PremiseServer
from lsp_server.rendering.markdown import premises_markdown


def register(server: PremiseServer) -> None:
    """`textDocument/hover`."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    @passive(server, "hover")
    async def hover(params: types.HoverParams) -> types.Hover | None:
        settings = server.settings.hover
        if not settings.enabled:
            return None
        document = server.document(params.text_document.uri)
        position = document.position(params.position)
        found = await asyncio.to_thread(tactic_word, document.lines[position.line], position.column)
        if found is None:
            return None
        word, column = found
        start, end = Position(position.line, column), Position(position.line, column + len(word))
        request = SuggestRequest(document.goal_position(start), k=settings.count, explain=settings.explain)
        answer = await server.engine(document).suggest(request)
        if not answer.premises:
            return None
        text = premises_markdown(answer.premises, answer.index, answer.notes)
        return types.Hover(
            types.MarkupContent(types.MarkupKind.Markdown, text), document.range(Span(start, end))
        )
