"""LSP methods whose handling differs from pygls' own."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.protocol import lsp_method

from lsp_server.documents.open_documents import OpenDocuments
from lsp_server.documents.uris import is_readable
from lsp_server.limits import CANCELLED_SECONDS, QUOTED_CHARACTERS
from lsp_server.protocol.announced import leave_out
from lsp_server.protocol.json_rpc import JsonRpc

_LEFT_OUT = (
    types.INITIALIZED,
    types.NOTEBOOK_DOCUMENT_DID_OPEN,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE,
)
"""What pygls handles by itself and we do not use. It would keep notebooks without a limit."""


class Protocol(JsonRpc):
    """The protocol with the documents that the editor has open."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.documents = OpenDocuments()
        for method in _LEFT_OUT:
            self.fm.builtin_features.pop(method)

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Use UTF-16 units, which every client supports; pygls would use the client's favourite."""
        folders = [folder.uri for folder in params.workspace_folders or ()]
        for uri in (*folders, *filter(None, [params.root_uri])):
            if not is_readable(uri):
                raise JsonRpcInvalidParams(f"initialize: {uri[:QUOTED_CHARACTERS]} is not a URI.")
        if params.capabilities.general is not None:
            params.capabilities.general.position_encodings = [types.PositionEncodingKind.Utf16]
        result = yield from super().lsp_initialize(params)
        self._is_initialized = True
        leave_out(result.capabilities, params.capabilities)
        return result

    @lsp_method(types.SHUTDOWN)
    async def lsp_shutdown(self, *args: Any) -> None:  # type: ignore[override]
        """Answer waiting requests before closing the projects, since they would start Lean again."""
        ours = asyncio.current_task()
        futures: list[Any] = list(self._request_futures.values())
        others = {one for one in futures if isinstance(one, asyncio.Task) and one is not ours}
        for task in others:
            task.cancel()
        if others:
            await asyncio.wait(others, timeout=CANCELLED_SECONDS)
        await self.fm.features[types.SHUTDOWN](*args)

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Store its text, then call the feature."""
        self._server.take_document(self.documents.open(params.text_document))
        feature = self.fm.features[types.TEXT_DOCUMENT_DID_OPEN]
        self._execute_handler(object(), feature, self._check_handler_result, (params,))

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Store its new text."""
        self._server.take_document(self.documents.change(params))

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Forget its text."""
        self.documents.close(params.text_document.uri)

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(  # type: ignore[override]
        self, params: types.ExecuteCommandParams
    ) -> Any:
        """Run a command in a task of its own, which `$/cancelRequest` then cancels."""
        handler = self.fm.commands.get(params.command)
        if handler is None:
            raise JsonRpcInvalidParams(f"There is no command {params.command[:QUOTED_CHARACTERS]!r}.")
        return await handler(*(params.arguments or ()))
