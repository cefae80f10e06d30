"""Settings from the editor: at the start, on request, and when they change."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from lsp_server.engine.settings import SECTION
from lsp_server.protocol.handlers import passive
from lsp_server.protocol.server import PremiseServer

log = logging.getLogger("premise_suggest")


def register(server: PremiseServer) -> None:
    """`initializationOptions`, `workspace/configuration`, `workspace/didChangeConfiguration`, `shutdown`."""

    @server.feature(types.INITIALIZED)
    @passive(server, "start", waits=False)
    async def initialized(_: types.InitializedParams) -> None:
        server.take_settings(server.initialization_options)
        with server.receiving_settings():
            pulled = await _pull(server)
            if pulled:
                server.take_settings(pulled)
        workspace = server.client_capabilities.workspace
        changes = workspace.did_change_configuration if workspace else None
        if changes and changes.dynamic_registration:
            method = types.WORKSPACE_DID_CHANGE_CONFIGURATION
            registration = types.Registration(id=method, method=method)
            with _refused("to report changed settings"):
                await server.client_register_capability_async(types.RegistrationParams([registration]))

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.initialization_options = params.initialization_options

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    @passive(server, "change of settings", waits=False)
    async def changed(params: types.DidChangeConfigurationParams) -> None:
        with server.receiving_settings():
            pulled = await _pull(server)
            server.take_settings(pulled if pulled is not None else params.settings)
        workspace = server.client_capabilities.workspace
        if workspace and workspace.code_lens and workspace.code_lens.refresh_support:
            with _refused("to refresh code lenses"):
                await server.workspace_code_lens_refresh_async(None)

    @server.feature(types.SHUTDOWN)
    @passive(server, "shutdown", waits=False)
    async def shutdown(_: Any) -> None:
        await server.close()


async def _pull(server: PremiseServer) -> Any:
    """The client's current settings; None if it has none or cannot send them."""
    workspace = server.client_capabilities.workspace
    if not (workspace and workspace.configuration):
        return None
    item = types.ConfigurationItem(section=SECTION)
    answer: Any = None
    with _refused("to send its settings"):
        answer = await server.workspace_configuration_async(types.ConfigurationParams([item]))
    return answer[0] if answer else None


@contextlib.contextmanager
def _refused(what: str) -> Iterator[None]:
    """Continue if a client refuses a request or does not answer."""
    try:
        yield
    except JsonRpcException as error:
        log.info("The client refuses %s: %s", what, error)
