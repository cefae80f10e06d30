"""The server over streamable HTTP, with the guard of our HTTP interfaces before it."""

from __future__ import annotations

from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp

from lsp_server.http.guard import Guard
from lsp_server.http.policy import Policy
from lsp_server.limits import MCP_BODY_BYTES, MCP_IDLE_SECONDS, HttpLimits

PATH = "/mcp"


def create_app(server: Server[None], policy: Policy, limits: HttpLimits) -> ASGIApp:
    """The application; the server's lifespan is that of the application."""
    sessions = StreamableHTTPSessionManager(
        server, session_idle_timeout=MCP_IDLE_SECONDS, max_request_body_size=MCP_BODY_BYTES
    )
    routes = [Route(PATH, endpoint=StreamableHTTPASGIApp(sessions))]
    app = Starlette(routes=routes, lifespan=lambda _: sessions.run())
    return Guard(app, policy, limits, bodies={PATH: MCP_BODY_BYTES})
