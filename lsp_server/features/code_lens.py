"""The lenses `Try tactics` and `Search for a proof` above each declaration with a `sorry`."""

from __future__ import annotations

import asyncio

from lsprotocol import types

from lean_extract.records import Span
from lsp_server.documents.document import DocumentSnapshot
from lsp_server.engine.sorries import Unfinished, unfinished
from lsp_server.features.close import COMMAND
from lsp_server.features.prove import prove_command
from lsp_server.protocol.handlers import passive
from lsp_server.protocol.server import PremiseServer


def register(server: PremiseServer) -> None:
    """`textDocument/codeLens`."""

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=False))
    @passive(server, "code lens")
    async def code_lens(params: types.CodeLensParams) -> list[types.CodeLens] | None:
        settings = server.settings_at(params.text_document.uri)
        if not (settings.code_lens.enabled and settings.tactics.enabled):
            return None
        document = server.document(params.text_document.uri)
        found = await asyncio.to_thread(unfinished, document.text)
        return [lens for one in found for lens in _lenses(server, document, one)]


def _lenses(
    server: PremiseServer, document: DocumentSnapshot, declaration: Unfinished
) -> list[types.CodeLens]:
    """The lenses of a declaration, for its first `sorry`."""
    count = len(declaration.sorries)
    title = "Try tactics" if count == 1 else f"Try tactics at the first of {count} sorrys"
    first = declaration.sorries[0]
    search = prove_command(server, document, first)
    above = document.range(Span(declaration.start, declaration.start))
    commands = types.Command(title, COMMAND, arguments=search.arguments), search
    return [types.CodeLens(above, command) for command in commands]
