"""Runs the server on standard input and output, or over streamable HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from dataclasses import dataclass, replace

from mcp.server import Server
from mcp.server.stdio import stdio_server

from lsp_server.http.serving import (
    connections_within,
    limits_for,
    listen,
    policy_for,
    server_of,
    url_of,
)
from lsp_server.mcp.over_http import PATH, create_app
from lsp_server.mcp.server import create_server
from lsp_server.mcp.workspace import Workspace
from lsp_server.serving import process


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """Where to listen, and the token that is asked for."""

    host: str
    port: int
    token: str | None


def serve_stdio(workspace: Workspace) -> None:
    """Serve one client on standard input and output until it goes or a signal arrives."""
    server = create_server(workspace)

    async def main() -> None:
        serving = asyncio.ensure_future(_on_stdio(server))
        for number in (signal.SIGTERM, signal.SIGINT):
            with contextlib.suppress(NotImplementedError):  # Windows
                asyncio.get_running_loop().add_signal_handler(number, serving.cancel)
        with contextlib.suppress(asyncio.CancelledError):
            await serving

    process.run(main())


async def _on_stdio(server: Server[None]) -> None:
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


def serve_http(workspace: Workspace, options: HttpOptions) -> None:
    """Serve any number of clients over HTTP until the process is asked to stop.

    Raises UserError: the host, the port or the token cannot be used.
    """
    policy = policy_for(options.host, options.token)
    listener = listen(options.host, options.port)
    with listener:
        address = url_of(options.host, listener.getsockname()[1])
        limits = limits_for(policy, None)
        limits = replace(limits, connections=connections_within(limits.connections))
        app = create_app(create_server(workspace), policy, limits)
        line = f"premise-suggest mcp: {address}{PATH} (Ctrl-C ends it)"
        http = server_of(app, limits, lambda: print(line, flush=True))
        asyncio.run(http.serve([listener]))
    if http.ended_by == signal.SIGINT:
        raise KeyboardInterrupt
