"""The variables by which clients of public search servers ask a server of ours instead."""

from __future__ import annotations

from lsp_server.commands.http import HTTP_PORT

_PATHS = {
    "LEANSEARCHCLIENT_LEANSEARCH_API_URL": "/search",
    "LEANSEARCHCLIENT_LOOGLE_API_URL": "/json",
    "LEANSEARCHCLIENT_LEANSTATESEARCH_API_URL": "/api/search",
    "LOOGLE_URL": "",
    "LEAN_FINDER_URL": "/leanfinder",
    "LEAN_HAMMER_URL": "",
}
"""By variable: the path of the interface, where the variable has one. The last three are lean-lsp-mcp's."""


def client_variables() -> str:
    """One line for a shell that sets all of them to the usual address."""
    address = f"http://127.0.0.1:{HTTP_PORT}"
    return f"export {' '.join(f'{name}={address}{path}' for name, path in _PATHS.items())}"
