"""Addresses below `/at/NAME` choose an index, for clients that name none: one variable is all that they read."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

_AT = "/at/"
_CHOSEN = "premise_suggest.at"


class Chosen:
    """ASGI middleware: `/at/NAME/search` is `/search`, answered by the index of that name."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take the name off the path."""
        if scope["type"] == "http" and scope["path"].startswith(_AT):
            name, _, rest = scope["path"].removeprefix(_AT).partition("/")
            if name:
                scope = {**scope, "path": f"/{rest}", _CHOSEN: name}
        await self._app(scope, receive, send)


def chosen_in(scope: Scope) -> str | None:
    """The name in the address; None if there is none."""
    name: str | None = scope.get(_CHOSEN)
    return name
