"""What stands before every interface: who may ask, how much, how often, how long."""

from __future__ import annotations

import asyncio
import base64
import binascii
import hmac
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lsp_server.http.limits import Limits
from lsp_server.http.problems import Refusal

OPEN = frozenset({"/healthz"})
"""Answered without a token."""
SEARCH_PAGE = "/"
LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
_MOST_ADDRESSES = 4096


@dataclass(frozen=True, slots=True)
class Policy:
    """Who may ask."""

    token: str | None = None
    """What has to come with every request; None: nothing (on loopback)."""
    hosts: frozenset[str] | None = LOOPBACK
    """The names under which the server may be addressed; None: any (a token is asked for)."""


class Guard:
    """ASGI middleware that refuses what the policy and the limits do not allow."""

    def __init__(
        self, app: ASGIApp, policy: Policy, limits: Limits, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._app, self._policy, self._limits = app, policy, limits
        self._rates = Rates(limits.rate, limits.burst, clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what may pass."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            try:
                self._check(scope)
                body = await self._body(scope, receive)
            except Refusal as refusal:
                await refusal.response()(scope, receive, send)
                return
            await self._timed(scope, _again(body, receive), send)

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        check_host(headers, self._policy)
        check_site(headers, scope["method"], scope["path"])
        client = scope.get("client")
        self._rates.take(client[0] if client else "")  # before the token: guesses at it count, too
        if scope["path"] not in OPEN:
            check_token(headers, self._policy)

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        """The whole body. Raises Refusal: it is too large (413), or does not arrive (408)."""
        headers = Headers(scope=scope)
        most = self._limits.body_bytes
        length = headers.get("content-length", "0")
        if length.isdigit() and int(length[:20]) > most:
            raise _too_large(most)
        if length == "0" and "transfer-encoding" not in headers:
            return b""
        parts: list[bytes] = []
        try:
            async with asyncio.timeout(self._limits.seconds):
                while True:
                    message = await receive()
                    parts.append(message.get("body", b""))
                    most -= len(parts[-1])
                    if most < 0:
                        raise _too_large(self._limits.body_bytes)
                    if message["type"] != "http.request" or not message.get("more_body", False):
                        return b"".join(parts)
        except TimeoutError:
            raise Refusal(408, "The body did not arrive in time.", "Send it at once.") from None

    async def _timed(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, for so long and no longer."""
        begun = False

        async def watched(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            async with asyncio.timeout(self._limits.seconds) as limit:
                await self._app(scope, receive, watched)
        except TimeoutError:
            if begun or not limit.expired():
                raise
            said = f"The answer took longer than {self._limits.seconds:g} s."
            await Refusal(504, said, "Ask for less at once.").response()(scope, receive, send)


class Rates:
    """A bucket of tokens for each address, filled at a steady rate."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str) -> None:
        """Count one request. Raises Refusal (429) where there were too many."""
        now = self._clock()
        left, then = self._left.pop(address, (self._burst, now))
        left = min(self._burst, left + (now - then) * self._rate)
        if left < 1:
            self._left[address] = (left, now)
            wait = max(1, round((1 - left) / self._rate))
            raise Refusal(429, "Too many requests.", "Ask more slowly.", {"Retry-After": str(wait)})
        self._left[address] = (left - 1, now)
        while len(self._left) > _MOST_ADDRESSES:
            self._left.popitem(last=False)


def check_host(headers: Headers, policy: Policy) -> None:
    """Refuse what was sent to another name: a web site whose name was made to point here (DNS rebinding)."""
    if policy.hosts is None:
        return
    name = headers.get("host", "").rpartition("@")[2].lower()
    if not name.endswith("]"):
        name = name.rpartition(":")[0] if ":" in name else name
    if name not in policy.hosts:
        raise Refusal(
            403, "This server is not known by that host name.", "Use http://127.0.0.1 and the port."
        )


def check_site(headers: Headers, method: str, path: str) -> None:
    """Refuse what another web site's page sends; a link to the search page may be followed from anywhere.

    To nothing else: a page can have the browser follow a link without asking, and what answers must not work
    for it.
    """
    hint = "Only this server's own pages and programs outside of browsers are answered."
    origin = headers.get("origin")
    if origin is not None and origin.partition("://")[2].lower() != headers.get("host", "").lower():
        raise Refusal(403, "Requests of other web sites are not answered.", hint)
    follows_link = method == "GET" and path == SEARCH_PAGE and headers.get("sec-fetch-mode") == "navigate"
    if headers.get("sec-fetch-site") in ("cross-site", "same-site") and not follows_link:
        raise Refusal(403, "Requests of other web sites are not answered.", hint)


def check_token(headers: Headers, policy: Policy) -> None:
    """Refuse what comes without the token: as a bearer's, or as the password of basic authentication."""
    if policy.token is None:
        return
    scheme, _, value = headers.get("authorization", "").partition(" ")
    readings: dict[str, Callable[[str], str]] = {"bearer": str.strip, "basic": _password}
    given = readings.get(scheme.lower(), _nothing)(value)
    if not hmac.compare_digest(given.encode("utf-8", "replace"), policy.token.encode()):
        raise Refusal(
            401,
            "The token is missing or wrong.",
            "Send `Authorization: Bearer TOKEN`, or the token as password: http://x:TOKEN@host:port/.",
            {"WWW-Authenticate": 'Basic realm="premise-suggest", charset="UTF-8"'},
        )


def _nothing(_: str) -> str:
    return ""


def _password(value: str) -> str:
    try:
        return base64.b64decode(value, validate=True).decode().partition(":")[2]
    except (binascii.Error, ValueError):
        return ""


def _too_large(most: int) -> Refusal:
    return Refusal(
        413, "The body is too large.", f"At most {most:,} bytes are read.", {"Connection": "close"}
    )


def _again(body: bytes, receive: Receive) -> Receive:
    """The body once more for the application, then whatever comes."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
