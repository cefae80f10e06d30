"""The guard before all interfaces: who may send requests, how large, how often, and how long they take.

How many connections there are, and how slowly their clients send and read, is limited by a proxy (docs/hosting.md).
"""

from __future__ import annotations

import asyncio
import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType
from typing import TypeVar

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lsp_server.http.decoding import attach_body, check_url, decode
from lsp_server.http.policy import OPEN, Policy, check_host, check_site, check_token
from lsp_server.http.problems import Refusal
from lsp_server.limits import HEADER_LINES, HEADER_LINES_BYTES, RATED_ADDRESSES, SMALL_BODY_BYTES, HttpLimits

_Read = TypeVar("_Read")

_CLOSE = {"Connection": "close"}
_HOUSEHOLD = 64
"""Bits of an IPv6 address that all machines of a household share."""


class Guard:
    """ASGI middleware that refuses what the policy and the limits do not allow.

    Args:
        bodies: the largest JSON body, in bytes, of each path where an interface takes one by POST.
    """

    def __init__(
        self,
        app: ASGIApp,
        policy: Policy,
        limits: HttpLimits,
        *,
        bodies: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self._app, self._policy, self._limits, self._bodies = app, policy, limits, bodies
        self._rates = Rates(limits.rate, limits.burst)
        self._reader = ThreadPoolExecutor(1, "premise-suggest-decoding")
        """Parses large texts, one at a time, since each holds Python's GIL for a while."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on allowed requests; refuse the others."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = _Answer(send)
        try:
            self._check(scope)
            body = await _read_body(receive, Headers(scope=scope), self._most(scope), self._limits.seconds)
            await self._answer(scope, body, receive, answer)
        except Refusal as refusal:
            await refusal.response(scope.get("path", ""))(scope, receive, send)
        except ClientDisconnect:
            return
        except asyncio.CancelledError:  # the server is shutting down, and has waited long enough
            if not answer.has_begun:
                ended = Refusal(503, "The server is shutting down.", "Start it again.")
                await ended.response(scope.get("path", ""))(scope, receive, send)

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        if len(headers) > HEADER_LINES or sum(len(n) + len(v) for n, v in headers.raw) > HEADER_LINES_BYTES:
            raise Refusal(
                431,
                "The request has too many header lines, or too long ones.",
                f"At most {HEADER_LINES} lines and {HEADER_LINES_BYTES:,} bytes are read.",
            )
        check_host(headers, self._policy)
        check_site(headers, scope["method"], scope["path"])
        client = scope.get("client")
        self._rates.take(client_key(client[0]) if client else "")  # guesses at the token count, too
        if scope["path"] not in OPEN:
            check_token(headers, self._policy)

    def _takes_body(self, scope: Scope) -> bool:
        return scope["method"] == "POST" and scope["path"] in self._bodies

    def _most(self, scope: Scope) -> int:
        return self._bodies[scope["path"]] if self._takes_body(scope) else self._limits.other_bytes

    async def _answer(self, scope: Scope, body: bytes, receive: Receive, answer: _Answer) -> None:
        """Have the request answered, until the client has left or no answer has begun in time.

        Raises Refusal (504), ClientDisconnect, and what the application raises.
        """
        left = asyncio.create_task(_until_left(receive))
        doing = asyncio.create_task(self._decoded(scope, body, _replayed(body, left), answer.send))
        try:
            async with asyncio.timeout(self._limits.seconds) as answer.limit:
                await asyncio.wait((doing, left), return_when=asyncio.FIRST_COMPLETED)
            if answer.has_ended:  # uvicorn reports a disconnect then, too; what answered may have more to do
                await asyncio.wait((doing,), timeout=self._limits.seconds)
        except TimeoutError:
            late = f"The answer took longer than {self._limits.seconds:g} s."
            raise Refusal(504, late, "Request less at once.") from None
        finally:
            left.cancel()
            if not doing.done():
                doing.cancel()
                await asyncio.wait((doing,))
        if doing.cancelled():
            raise ClientDisconnect
        doing.result()

    async def _decoded(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        path, query = scope.get("raw_path") or b"", scope["query_string"]
        await self._in_turn(len(path) + len(query), check_url, path, query)
        if body and self._takes_body(scope):
            attach_body(scope, await self._in_turn(len(body), decode, body))
        await self._app(scope, receive, send)

    async def _in_turn(self, size: int, read: Callable[..., _Read], *texts: bytes) -> _Read:
        if size <= SMALL_BODY_BYTES:
            return read(*texts)
        return await asyncio.get_running_loop().run_in_executor(self._reader, read, *texts)


class _Answer:
    """Sends to one client, and knows whether the answer has begun; from then on, its time is not limited."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.has_begun = self.has_ended = False
        self.limit: asyncio.Timeout | None = None

    async def send(self, message: Message) -> None:
        """Send a message."""
        self.has_begun = True
        if self.limit is not None:
            self.limit.reschedule(None)
        self.has_ended = message["type"] == "http.response.body" and not message.get("more_body", False)
        await self._send(message)


async def _read_body(receive: Receive, headers: Headers, most: int, seconds: float) -> bytes:
    """The body of a request.

    Raises Refusal: it is too large (413), or does not arrive in time (408); ClientDisconnect.
    """
    if "content-length" in headers and "transfer-encoding" in headers:  # at most one of them can be right
        raise Refusal(400, "The body has two lengths.", "Send Content-Length or Transfer-Encoding.", _CLOSE)
    if int(headers.get("content-length", "0")) > most:
        raise _too_large(most)
    body = bytearray()
    more = True
    try:
        async with asyncio.timeout(seconds):
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientDisconnect
                body += message.get("body", b"")
                more = message.get("more_body", False)
                if len(body) > most:
                    raise _too_large(most)
    except TimeoutError:
        raise Refusal(408, "The body did not arrive in time.", "Send it at once.", _CLOSE) from None
    return bytes(body)


def _too_large(most: int) -> Refusal:
    return Refusal(413, "The body is too large.", f"At most {most:,} bytes are read.", _CLOSE)


async def _until_left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _replayed(body: bytes, left: asyncio.Task[None]) -> Receive:
    """Gives the application the body that was read, and later the client's disconnection."""
    given = False

    async def receive() -> Message:
        nonlocal given
        if given:
            await asyncio.shield(left)
            return {"type": "http.disconnect"}
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


class Rates:
    """A bucket of tokens for each address, filled at a steady rate."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str) -> None:
        """Count one request. Raises Refusal (429): there were too many."""
        now = self._clock()
        left, then = self._left.pop(address, (self._burst, now))
        left = min(self._burst, left + (now - then) * self._rate)
        if left < 1:
            self._left[address] = (left, now)
            wait = max(1, round((1 - left) / self._rate))
            raise Refusal(
                429, "Too many requests.", "Send fewer requests per second.", {"Retry-After": str(wait)}
            )
        self._left[address] = (left - 1, now)
        while len(self._left) > RATED_ADDRESSES:
            self._left.popitem(last=False)


def client_key(address: str) -> str:
    """The key of a client: its IPv4 address, or the /64 network of its IPv6 address."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, _HOUSEHOLD), strict=False))
    return str(found)
