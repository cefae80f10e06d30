"""Decodes and validates URLs and JSON bodies, once and before everything else.

What passes here holds no lone surrogates and no control characters that nobody types, in any name
or value, and has a limited number of parts; so interfaces need not check again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Coroutine
from typing import Any, NoReturn
from urllib.parse import unquote_to_bytes

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.types import Scope

from lean_extract.common.files.json_text import finite
from lsp_server.http.problems import Refusal
from lsp_server.limits import (
    BODY_CONTAINERS,
    BODY_ITEMS,
    LISTED_NAMES,
    URL_PARAMETERS,
    URL_PATH_BYTES,
    HttpLimits,
)

_DECODED = "premise_suggest.body"
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ud800-\udfff]")
"""Allowed: white space, and escape (terminal colours), which people paste with states."""
_WINDOW = 1 << 20
_PLAIN = "Send plain text in UTF-8."


def check_url(raw_path: bytes, query: bytes) -> None:
    """Refuse a URL that is not valid text, or has far too many parts (400, 414)."""
    if len(raw_path) > URL_PATH_BYTES:
        raise Refusal(414, "The path is too long.", f"No path has more than {URL_PATH_BYTES:,} bytes.")
    if query.count(b"&") >= URL_PARAMETERS:
        raise Refusal(400, "The URL has too many parameters.", f"At most {URL_PARAMETERS} are read.")
    try:
        text = unquote_to_bytes(raw_path + b"?" + query).decode()
    except UnicodeDecodeError:
        raise Refusal(400, "The URL is not UTF-8.", _PLAIN) from None
    if _CONTROL.search(text):
        raise _no_text("The URL")


def decode(body: bytes) -> Any:
    """A JSON body.

    Raises Refusal: it is not UTF-8, not JSON as RFC 8259 has it (a name twice and NaN are not), or has far
    too many parts (400, 413).
    """
    _check_shape(body)
    try:
        found = json.loads(
            body.decode().removeprefix("\ufeff"),
            object_pairs_hook=_each_once,
            parse_constant=_no_number,
            parse_float=finite,
        )
    except UnicodeDecodeError as error:
        raise Refusal(400, "The body is not UTF-8.", f"Byte {error.start} cannot be read.") from None
    except RecursionError:
        raise Refusal(400, "The body is nested too deeply.", "The fields are listed at /docs.") from None
    except json.JSONDecodeError as error:
        where = f"{error.msg} at character {error.pos}."
        raise Refusal(400, "The body is not JSON.", where) from None
    except ValueError:  # 1e400, or more than Python's limit of 4,300 digits
        raise Refusal(400, "A number in the body is too large.", "Send a smaller one.") from None
    _check_text(found, body)
    return found


def _check_shape(body: bytes) -> None:
    """Refuse JSON with so many objects that parsing would take long."""
    items = opened = 0
    for start in range(0, len(body), _WINDOW):
        window = body[start : start + _WINDOW]
        items += window.count(b",")
        opened += window.count(b"[") + window.count(b"{")
        if items > BODY_ITEMS or opened > BODY_CONTAINERS:
            raise Refusal(
                413, "The body has too many parts.", f"At most {LISTED_NAMES:,} premises can be named."
            )


def _check_text(found: Any, body: bytes) -> None:
    """Refuse strings with invalid characters. Most bodies cannot contain any, since they need an escape."""
    if not any(mark in body for mark in (rb"\u00", rb"\b", rb"\ud", rb"\uD", b"\x7f")):
        return
    waiting = [found]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += [*one, *one.values()]
        elif isinstance(one, list):
            waiting += one
        elif isinstance(one, str) and _CONTROL.search(one):
            raise _no_text("The body")


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Refusal(400, "The body is not JSON: a name occurs twice in one object.", "Send each name once.")
    return found


def _no_number(name: str) -> NoReturn:
    raise Refusal(400, f"The body is not JSON: {name} is not a JSON number.", "Send a finite number.")


def _no_text(where: str) -> Refusal:
    return Refusal(400, f"{where} has control characters or lone surrogates in its text.", _PLAIN)


def attach_body(scope: Scope, decoded: Any) -> None:
    """Keep the decoded body for the route that reads it."""
    scope[_DECODED] = decoded


class _Read(Request):
    """A request whose body is already decoded."""

    async def json(self) -> Any:
        return self.scope[_DECODED]


class JsonRoute(APIRoute):
    """A route that uses the decoded body."""

    @staticmethod
    def most_bytes(limits: HttpLimits) -> int:
        """The largest body that it accepts; by default one with a state and a file."""
        return limits.state_bytes

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler."""
        answer = super().get_route_handler()

        async def handle(request: Request) -> Response:
            return await answer(_Read(request.scope, request.receive))

        return handle
