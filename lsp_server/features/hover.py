"""The hover on a tactic or a `sorry`: a tactic that closes the goal, and the premises that fit it best."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from lsprotocol import types

from lean_extract.records import Position, Span
from lean_extract.session.places import tactic_word
from lean_extract.syntax.lexer import unread_at
from lsp_server.documents.document import DocumentSnapshot
from lsp_server.documents.positions import offset_of
from lsp_server.engine.engine import Engine
from lsp_server.engine.items import shown_tactic
from lsp_server.engine.requests import SuggestRequest
from lsp_server.engine.schema_items import GoalPlace
from lsp_server.features.insert import COMMAND
from lsp_server.limits import HOVER_SECONDS
from lsp_server.protocol.handlers import passive
from lsp_server.protocol.server import PremiseServer
from lsp_server.rendering.markdown import command_link, hover_markdown
from retriever.lean.words.english import english


def register(server: PremiseServer) -> None:
    """`textDocument/hover`."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    @passive(server, "hover")
    async def hover(params: types.HoverParams) -> types.Hover | None:
        settings = server.settings_at(params.text_document.uri).hover
        if not settings.enabled:
            return None
        document = server.document(params.text_document.uri)
        position = document.position(params.position)
        found = await asyncio.to_thread(tactic_word, document.lines[position.line], position.column)
        unread = await asyncio.to_thread(unread_at, document.text, offset_of(document.lines, position))
        if found is None or unread:
            return None
        word, column = found
        start, end = Position(position.line, column), Position(position.line, column + len(word))
        request = SuggestRequest(document.goal_position(start), k=settings.count, explain=settings.explain)
        engine = server.engine(document)
        answer = await engine.suggest(request)
        # At what is not finished only: Lean is not to work because the pointer rests on a proof.
        is_open = word == "sorry" or answer.place == GoalPlace.BEFORE
        closing = (
            await _closing(engine, document, start) if is_open and engine.settings.tactics.enabled else ""
        )
        if not answer.premises and not closing:
            return None
        link = _link(document, start, closing) if closing and _has_links(server.client_capabilities) else ""
        undocumented = [one for one in answer.premises if not one.doc]
        known = [await engine.declaration(one.name, one.module) for one in undocumented]
        readings = {one.premise.name: english(one.premise) for one, _ in known if one is not None}
        text = hover_markdown(answer, readings, closing, link)
        return types.Hover(
            types.MarkupContent(types.MarkupKind.Markdown, text), document.range(Span(start, end))
        )


async def _closing(engine: Engine, document: DocumentSnapshot, start: Position) -> str:
    """A tactic that closes the goal there; empty if none is known in time."""
    accepted, _ = await engine.accepted_soon(document.goal_position(start), HOVER_SECONDS)
    closing = (one for one in accepted if one.status == "closes" and not one.rests_on_sorry)
    return next((shown_tactic(one) for one in closing), "")


def _has_links(client: types.ClientCapabilities) -> bool:
    """Whether the client runs commands of links, and lets the server edit documents."""
    experimental = client.experimental
    can_edit = client.workspace is not None and bool(client.workspace.apply_edit)
    return can_edit and isinstance(experimental, Mapping) and experimental.get("commandLinks") is True


def _link(document: DocumentSnapshot, start: Position, tactic: str) -> str:
    place = document.range(Span(start, start)).start
    position = {"line": place.line, "character": place.character}
    return command_link(
        COMMAND, {"textDocument": {"uri": document.uri}, "position": position, "tactic": tactic}
    )
