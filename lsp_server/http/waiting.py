"""Stops work on a request when its client has gone or its time is over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from starlette.types import Message, Receive, Send

from lsp_server.http.problems import Refusal

_PIECE = 64 << 10


class Gone(Exception):
    """The client has closed the connection."""


class SentAnswer:
    """Sends to one client in pieces, so that a slow reader takes little memory."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.has_begun = False
        self.at_first: Callable[[], None] = lambda: None
        """Called when the answer begins."""

    async def send(self, message: Message) -> None:
        """Send a message; returns when the client has read enough of it."""
        if not self.has_begun:
            self.has_begun = True
            self.at_first()
        body: bytes = message.get("body", b"")
        if len(body) <= _PIECE:
            await self._send(message)
            return
        for start in range(0, len(body), _PIECE):
            end = start + _PIECE
            more = end < len(body) or message.get("more_body", False)
            await self._send({**message, "body": body[start:end], "more_body": more})


async def while_awaited(
    work: Coroutine[Any, Any, None], left: asyncio.Task[None], answer: SentAnswer, seconds: float
) -> None:
    """Do the work of one request; it is cancelled when the client has left, or nothing was sent in time.

    Raises Gone, Refusal (504), and what the work raises.
    """
    doing = asyncio.create_task(work)
    try:
        async with asyncio.timeout(seconds) as limit:
            answer.at_first = lambda: limit.reschedule(None)  # from here on, the connection measures the time
            await asyncio.wait((doing, left), return_when=asyncio.FIRST_COMPLETED)
    except TimeoutError:
        said = f"The answer took longer than {seconds:g} s."
        raise Refusal(504, said, "Ask for less at once.") from None
    finally:
        if not doing.done():
            doing.cancel()
            await asyncio.wait((doing,))
    if doing.cancelled():
        raise Gone
    doing.result()


async def until_gone(receive: Receive) -> None:
    """Wait until the client closes the connection, or is answered."""
    while (await receive())["type"] != "http.disconnect":
        pass
