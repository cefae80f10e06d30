"""When documents are opened or saved, refreshes the project's index and compiles what other files import."""

from __future__ import annotations

from lsprotocol import types

from lsp_server.documents.uris import file_path
from lsp_server.engine.engine import Engine
from lsp_server.protocol.handlers import passive
from lsp_server.protocol.progress import WorkDone
from lsp_server.protocol.server import LANGUAGES, PremiseServer


def register(server: PremiseServer) -> None:
    """`textDocument/didOpen`, `textDocument/didSave`."""

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    @passive(server, "indexing")
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        path = file_path(params.text_document.uri)
        is_lean = params.text_document.language_id in LANGUAGES
        if is_lean and path is not None:
            engine = server.projects.engine_for(path)
            if engine.settings.index.auto:
                await server.indexing.once(engine)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    @passive(server, "indexing")
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        engine = server.projects.engine_for(server.lean_path(params.text_document.uri))
        try:
            if engine.settings.index.on_save:
                await server.indexing.update_automatically(engine)
        finally:  # Index first, so that a new lemma is offered before the files that import it are compiled.
            await _compile_saved(server, engine)


async def _compile_saved(server: PremiseServer, engine: Engine) -> None:
    """Compile a saved file, unless Lake does that, and show a progress bar."""
    if engine.root is None or not engine.compiles:
        return
    bar = await WorkDone.begin(server, f"Compiling {engine.root.name}", cancellable=False)
    try:
        await engine.compile_saved()
    finally:
        bar.end("")
