"""The guard before all interfaces: who may send requests, how large, how often, and how long they take."""

from __future__ import annotations

import asyncio
import base64
import binascii
import hmac
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeVar

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lsp_server.http.addresses import party
from lsp_server.http.bodies import Bodies
from lsp_server.http.door import check_url, decode, leave
from lsp_server.http.limits import MAX_FIELDS, HttpLimits
from lsp_server.http.problems import Refusal
from lsp_server.http.waiting import Gone, SentAnswer, until_gone, while_awaited

Read = TypeVar("Read")

OPEN = frozenset({"/healthz"})
"""Answered without a token."""
SEARCH_PAGE = "/"
LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
_MOST_ADDRESSES = 4096
_SOON_READ = 32 << 10
"""Bodies of up to this many bytes are parsed directly, larger ones in a thread."""


@dataclass(frozen=True, slots=True)
class Policy:
    """Who may send requests."""

    token: str | None = None
    """The token that every request needs; None: no token (on loopback)."""
    hosts: frozenset[str] | None = LOOPBACK
    """The allowed host names of the server; None: any (a token is required then)."""


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
        clock: Callable[[], float] = time.monotonic,
        *,
        bodies: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self._app, self._policy, self._limits = app, policy, limits
        self._rates = Rates(limits.rate, limits.burst, clock)
        self._bodies = Bodies(limits, bodies)
        self._reader = ThreadPoolExecutor(1, "premise-suggest-door")
        """Parses large texts, one at a time, since each holds Python's GIL for a while."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on allowed requests; refuse the others."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            answer = SentAnswer(send)
            try:
                self._check(scope)
                async with self._bodies.body(scope, receive) as body:
                    await self._answer(scope, body, receive, answer)
            except Refusal as refusal:
                await refusal.response()(scope, receive, send)
            except Gone:
                return  # the client has gone
            except asyncio.CancelledError:  # the server is shutting down, and has waited long enough
                if not answer.has_begun:
                    await Refusal(503, "The server is shutting down.", "Start it again.").response()(
                        scope, receive, send
                    )

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        if len(headers) > MAX_FIELDS:
            raise Refusal(431, "The request has too many header lines.", f"At most {MAX_FIELDS} are read.")
        check_host(headers, self._policy)
        check_site(headers, scope["method"], scope["path"])
        client = scope.get("client")
        self._rates.take(party(client[0]) if client else "")  # guesses at the token count, too
        if scope["path"] not in OPEN:
            check_token(headers, self._policy)

    async def _answer(self, scope: Scope, body: bytes, receive: Receive, answer: SentAnswer) -> None:
        left = asyncio.create_task(until_gone(receive))
        try:
            work = self._read_and_pass(scope, body, _again(body, left), answer.send)
            await while_awaited(work, left, answer, self._limits.seconds)
        finally:
            left.cancel()

    async def _read_and_pass(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        path, query = scope.get("raw_path") or b"", scope["query_string"]
        await self._at_the_door(len(path) + len(query), check_url, path, query)
        if body and self._bodies.is_taken(scope["method"], scope["path"]):
            leave(scope, await self._at_the_door(len(body), decode, body))
        await self._app(scope, receive, send)

    async def _at_the_door(self, size: int, read: Callable[..., Read], *texts: bytes) -> Read:
        if size <= _SOON_READ:
            return read(*texts)
        return await asyncio.get_running_loop().run_in_executor(self._reader, read, *texts)


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
            raise Refusal(429, "Too many requests.", "Ask more slowly.", {"Retry-After": str(wait)})
        self._left[address] = (left - 1, now)
        while len(self._left) > _MOST_ADDRESSES:
            self._left.popitem(last=False)


def check_host(headers: Headers, policy: Policy) -> None:
    """Refuse requests for another host name: a web site's name can be made to point here (DNS rebinding).

    Not Starlette's TrustedHostMiddleware: it answers 400 in plain text, where our clients are sent a problem that
    says what to do, it may redirect to `www.`, and older versions that we allow cannot read `[::1]`.
    """
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
    """Refuse requests from pages of other web sites; only links to the search page are allowed from anywhere.

    Other links are refused: a page can make the browser follow a link without asking, and must not cause work
    here.
    """
    hint = "Only this server's own pages, and programs other than browsers, are answered."
    origin = headers.get("origin")
    if origin is not None and origin.partition("://")[2].lower() != headers.get("host", "").lower():
        raise Refusal(403, "Requests from other web sites are not answered.", hint)
    follows_link = method == "GET" and path == SEARCH_PAGE and headers.get("sec-fetch-mode") == "navigate"
    if headers.get("sec-fetch-site") in ("cross-site", "same-site") and not follows_link:
        raise Refusal(403, "Requests from other web sites are not answered.", hint)


def check_token(headers: Headers, policy: Policy) -> None:
    """Refuse requests without the token, as a bearer token or as the password of basic authentication."""
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


def _again(body: bytes, left: asyncio.Task[None]) -> Receive:
    """Gives the application the body that was read, and later the client's disconnection."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            await asyncio.shield(left)
            return {"type": "http.disconnect"}
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
