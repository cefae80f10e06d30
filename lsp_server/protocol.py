"""How JSON-RPC messages are taken in: pygls' protocol and converter, where ours differ."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import cattrs
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.protocol import (
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
    LanguageServerProtocol,
    default_converter,
    lsp_method,
)


class Protocol(LanguageServerProtocol):
    """pygls' protocol, with commands that can be cancelled like any other request."""

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Count in UTF-16 units, as every client can; pygls would take what the client likes best."""
        if params.capabilities.general is not None:
            params.capabilities.general.position_encodings = [types.PositionEncodingKind.Utf16]
        return (yield from super().lsp_initialize(params))

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(  # type: ignore[override]
        self, params: types.ExecuteCommandParams
    ) -> Any:
        """Run a command in a task of its own, which `$/cancelRequest` then cancels."""
        handler = self.fm.commands.get(params.command)
        if handler is None:
            raise JsonRpcInvalidParams(f"There is no command {params.command!r}.")
        return await handler(*(params.arguments or ()))


def plain_converter() -> cattrs.Converter:
    """pygls' converter, leaving the JSON of our own requests as it is."""
    converter: cattrs.Converter = default_converter()  # type: ignore[no-untyped-call]
    converter.register_structure_hook(
        JsonRPCRequestMessage, lambda message, cls: cls(**{"params": None, **message})
    )
    converter.register_structure_hook(
        JsonRPCResponseMessage, lambda message, cls: cls(**{"result": None, **message})
    )
    return converter
