"""Reads the bodies of requests: whole, in time, and within a total limit on memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from starlette.datastructures import Headers
from starlette.types import Receive, Scope

from lsp_server.http.limits import HttpLimits
from lsp_server.http.problems import Refusal
from lsp_server.http.waiting import Gone

_CLOSE = {"Connection": "close"}
_SMALL = 64 << 10
"""A body of up to this size is read even when the total limit is reached."""


class Bodies:
    """The bodies that one server holds in memory.

    Args:
        limits: for bodies that no interface takes, for all together, and for their time.
        taken: the largest body, in bytes, of each path where an interface takes one by POST.
    """

    def __init__(self, limits: HttpLimits, taken: Mapping[str, int]) -> None:
        self._limits = limits
        self._taken = taken
        self._held = 0

    def is_taken(self, method: str, path: str) -> bool:
        """Whether an interface accepts a body at this path."""
        return method == "POST" and path in self._taken

    @asynccontextmanager
    async def body(self, scope: Scope, receive: Receive) -> AsyncIterator[bytes]:
        """The body of a request; it counts towards the limit until the context is left.

        Raises Refusal: it is too large (413), does not arrive in time (408), or too much is held (503); Gone:
        the client went before its end.
        """
        read = bytearray()
        try:
            yield await self._whole(scope, receive, read)
        finally:
            self._held -= len(read)

    async def _whole(self, scope: Scope, receive: Receive, read: bytearray) -> bytes:
        headers = Headers(scope=scope)
        most = self._most(scope["method"], scope["path"])
        if "content-length" in headers and "transfer-encoding" in headers:  # at most one of them can be right
            raise Refusal(
                400, "The body has two lengths.", "Send Content-Length or Transfer-Encoding.", _CLOSE
            )
        length = headers.get("content-length", "0")
        if length.isascii() and length.isdigit() and int(length.lstrip("0")[:20] or "0") > most:
            raise _too_large(most)
        if length == "0" and "transfer-encoding" not in headers:
            return b""
        try:
            async with asyncio.timeout(self._limits.seconds):
                await self._read(receive, read, most)
        except TimeoutError:
            raise Refusal(408, "The body did not arrive in time.", "Send it at once.", _CLOSE) from None
        return bytes(read)

    async def _read(self, receive: Receive, read: bytearray, most: int) -> None:
        more = True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                raise Gone
            part = message.get("body", b"")
            read += part
            self._held += len(part)
            if len(read) > most:
                raise _too_large(most)
            if self._held > self._limits.held_bytes and len(read) > _SMALL:
                retry = {"Retry-After": "1", **_CLOSE}
                raise Refusal(
                    503, "The server is busy: it holds too many large requests.", "Try again.", retry
                )
            more = message.get("more_body", False)

    def _most(self, method: str, path: str) -> int:
        return self._taken[path] if self.is_taken(method, path) else self._limits.other_bytes


def _too_large(most: int) -> Refusal:
    return Refusal(413, "The body is too large.", f"At most {most:,} bytes are read.", _CLOSE)
