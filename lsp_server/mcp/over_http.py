"""The server over streamable HTTP, with the guard of our HTTP interfaces before it."""

from __future__ import annotations

from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp

from lsp_server.http.guard import Guard
from lsp_server.http.policy import Policy
from lsp_server.limits import MCP_BODY_BYTES, MCP_IDLE_SECONDS, MCP_SESSIONS, HttpLimits

PATH = "/mcp"


def create_app(
    server: Server[None],
    policy: Policy,
    limits: HttpLimits,
    most: int = MCP_SESSIONS,
    idle_seconds: float = MCP_IDLE_SECONDS,
) -> ASGIApp:
    """The application; the server's lifespan is that of the application.

    `most`: how many sessions may be open; `idle_seconds`: after so long without a request one has ended.
    """
    sessions = StreamableHTTPSessionManager(
        server, session_idle_timeout=idle_seconds, max_request_body_size=MCP_BODY_BYTES, max_sessions=most
    )
    routes = [Route(PATH, endpoint=StreamableHTTPASGIApp(sessions))]
    app = Starlette(routes=routes, lifespan=lambda _: sessions.run())
    return Guard(app, policy, limits, bodies={PATH: MCP_BODY_BYTES})
