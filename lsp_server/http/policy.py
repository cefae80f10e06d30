"""Who may send requests: by host name, by web site, by token."""

from __future__ import annotations

import base64
import binascii
import hmac
import ipaddress
from collections.abc import Callable
from dataclasses import dataclass

from starlette.datastructures import Headers

from lsp_server.http.problems import Refusal

OPEN = frozenset({"/healthz"})
"""Answered without a token."""
_SEARCH_PAGE = "/"
_FORWARDED = ("forwarded", "x-forwarded-for", "via")
LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})


@dataclass(frozen=True, slots=True)
class Policy:
    """Who may send requests."""

    token: str | None = None
    """The token that every request needs; None: no token (on loopback)."""
    hosts: frozenset[str] | None = LOOPBACK
    """The allowed host names of the server; None: any (a token is required then)."""


def check_host(headers: Headers, policy: Policy) -> None:
    """Refuse requests for another host name: a web site's name can be made to point here (DNS rebinding).

    Not Starlette's TrustedHostMiddleware: it answers 400 in plain text, while our clients get a problem with
    a hint; it may redirect to `www.`, and older versions that we allow cannot read `[::1]`.
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

    Other links are refused: a page can make the browser follow a link by itself, and must not cause work
    here.
    """
    hint = "Only this server's own pages, and programs other than browsers, are answered."
    origin = headers.get("origin")
    if origin is not None and origin.partition("://")[2].lower() != headers.get("host", "").lower():
        raise Refusal(403, "Requests from other web sites are not answered.", hint)
    follows_link = method == "GET" and path == _SEARCH_PAGE and headers.get("sec-fetch-mode") == "navigate"
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


def may_see_paths(headers: Headers, address: str, policy: Policy) -> bool:
    """Whether a client may learn where files are: it is on this machine, and the server is for this machine only.

    A token, or what proxies add, are signs that others are served, although they connect from loopback.

    Args:
        address: that the client connects from.
    """
    is_for_others = policy.hosts is None or policy.token is not None
    return not is_for_others and is_loopback(address) and not any(name in headers for name in _FORWARDED)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _nothing(_: str) -> str:
    return ""


def _password(value: str) -> str:
    try:
        return base64.b64decode(value, validate=True).decode().partition(":")[2]
    except (binascii.Error, ValueError):
        return ""
