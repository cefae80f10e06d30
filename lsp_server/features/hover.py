"""Hover on a tactic or a `sorry`: the premises that fit its goal best."""

from __future__ import annotations

from lsprotocol import types

from lean_extract.records import Position, Span
from lsp_server.commands.render import premises_markdown
from lsp_server.documents.contexts import tactic_word
from lsp_server.engine.items import premise_item
from lsp_server.engine.requests import SuggestRequest, main_goal
from lsp_server.protocol.handlers import passive
from lsp_server.protocol.server import PremiseServer


def register(server: PremiseServer) -> None:
    """`textDocument/hover`."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    @passive(server, "hover")
    async def hover(params: types.HoverParams) -> types.Hover | None:
        settings = server.settings.hover
        if not settings.enabled:
            return None
        document = server.document(params.text_document.uri)
        place = document.position(params.position)
        found = tactic_word(document.lines[place.line], place.column)
        if found is None:
            return None
        word, column = found
        start = Position(place.line, column)
        engine = server.engine(document)
        where = document.place(start)
        goal = main_goal(await engine.state(SuggestRequest(where)))
        ranked = await engine.rank(goal, where, settings.count)
        if not ranked:
            return None
        items = [premise_item(one) for one in ranked]
        text = premises_markdown(items, await engine.freshness(), await engine.notes(goal))
        end = Position(place.line, column + len(word))
        return types.Hover(
            types.MarkupContent(types.MarkupKind.Markdown, text), document.range(Span(start, end))
        )
