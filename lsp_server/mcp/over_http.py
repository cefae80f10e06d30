"""The server over streamable HTTP, behind the guard of our HTTP interfaces: who may ask, how much, how often."""

from __future__ import annotations

from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp

from lsp_server.http.guard import Guard
from lsp_server.http.limits import HttpLimits
from lsp_server.http.policy import Policy

PATH = "/mcp"
_MOST_BYTES = 1 << 20
"""Of one message."""
_IDLE_SECONDS = 1800.0
"""A session in which nothing was asked for so long has ended."""


def create_app(server: Server[None], policy: Policy, limits: HttpLimits) -> ASGIApp:
    """The application; the server's lifespan is that of the application."""
    sessions = StreamableHTTPSessionManager(
        server, session_idle_timeout=_IDLE_SECONDS, max_request_body_size=_MOST_BYTES
    )
    routes = [Route(PATH, endpoint=StreamableHTTPASGIApp(sessions))]
    app = Starlette(routes=routes, lifespan=lambda _: sessions.run())
    return Guard(app, policy, limits, bodies={PATH: _MOST_BYTES})
