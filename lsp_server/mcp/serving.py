"""Runs the server on standard input and output, or over streamable HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from dataclasses import dataclass

from lean_extract.common.terminal_text import print_line
from lsp_server.mcp import stdio
from lsp_server.mcp.offer import Offer
from lsp_server.mcp.server import create_server
from lsp_server.mcp.workspace import Workspace
from lsp_server.serving import process


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """Where to listen, and the token that clients need."""

    host: str
    port: int
    token: str | None


def serve_stdio(workspace: Workspace, offer: Offer) -> int:
    """Serve one client on standard input and output until it disconnects or a signal arrives; returns that, or 0."""
    server = create_server(workspace, offer)
    arrived: list[int] = []

    async def main() -> None:
        serving = asyncio.ensure_future(stdio.serve(server))

        def end(number: int) -> None:
            arrived.append(number)
            serving.cancel()

        for number in (signal.SIGTERM, signal.SIGINT):
            with contextlib.suppress(NotImplementedError):  # Windows
                asyncio.get_running_loop().add_signal_handler(number, end, number)
        await asyncio.wait([serving])
        failure = None if serving.cancelled() else serving.exception()
        if failure is not None and not arrived:  # the SDK may also fail when it is cancelled
            raise failure

    process.run(main())
    return arrived[0] if arrived else 0


def serve_http(workspace: Workspace, offer: Offer, options: HttpOptions) -> None:
    """Serve any number of clients over HTTP until a signal ends the process.

    Raises UserError: the host, the port or the token cannot be used.
    """
    # Agents on standard input wait for no web server to be loaded.
    from lsp_server.http.serving import limits_for, listen, policy_for, server_of, url_of
    from lsp_server.mcp.over_http import PATH, create_app

    policy = policy_for(options.host, options.token)
    listener = listen(options.host, options.port)
    with listener:
        address = url_of(options.host, listener.getsockname()[1])
        limits = limits_for(policy, None)
        app = create_app(create_server(workspace, offer), policy, limits)
        line = f"premise-suggest mcp: {address}{PATH} (Ctrl-C ends it)"
        http = server_of(app, limits, lambda: print_line(line))
        asyncio.run(http.serve([listener]))
    if http.ended_by == signal.SIGINT:
        raise KeyboardInterrupt
