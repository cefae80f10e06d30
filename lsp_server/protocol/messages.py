"""Parses the body of a JSON-RPC 2.0 message, or gives the error for one that is not a message. Pure.

The result has no lone surrogate outside its id, so it can always be encoded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeGuard

from lean_extract.common.files.json_text import parse_json
from lsp_server.limits import JSON_LEVELS, REQUEST_ID_CHARACTERS

_PARSE_ERROR = -32700
INVALID_REQUEST = -32600

_LARGEST_ID = 2**63
_SURROGATE = re.compile("[\ud800-\udfff]")
_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")

Id = int | str


@dataclass(frozen=True, slots=True)
class Call:
    """A request, or, if `id` is None, a notification."""

    id: Id | None
    method: str
    members: Mapping[str, Any]
    """The message's `params`, if it has any."""


@dataclass(frozen=True, slots=True)
class ClientAnswer:
    """An answer to a request of ours; `id` may be anything."""

    id: Any
    members: Mapping[str, Any]
    """The message's `result` and `error`, if present."""


class BadMessage(Exception):
    """Raised for a body that is not a message; holds the answer: a code, a sentence, and the id if it is known."""

    def __init__(self, code: int, message: str, id: Id | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.id = id


def read(body: bytes) -> Call | ClientAnswer:
    """A message. Raises BadMessage."""
    message = _parsed(body)
    if isinstance(message, list):
        _refuse("Messages are read one at a time, not in a batch.")
    if not isinstance(message, dict):
        _refuse("A message must be an object.")
    is_answer = "method" not in message and ("result" in message or "error" in message)
    id = None if is_answer or "id" not in message else _checked_id(message["id"])
    if body.count(b"[") + body.count(b"{") > JSON_LEVELS and _is_deeper(message, JSON_LEVELS):
        _refuse(f"A message may be nested {JSON_LEVELS} levels deep, and no deeper.", id)
    if _SURROGATE_ESCAPE.search(body):
        message = {**message, **_without_surrogates(_members(message, "method", "params", "result", "error"))}
    if is_answer:
        return ClientAnswer(message.get("id"), _members(message, "result", "error"))
    if message.get("jsonrpc") != "2.0":
        _refuse('jsonrpc must be "2.0".', id)
    method = message.get("method")
    if not isinstance(method, str):
        _refuse("method must be a string." if "method" in message else "A message must have a method.", id)
    return Call(id, method, _members(message, "params"))


def _members(message: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: message[name] for name in names if name in message}


def _is_deeper(value: Any, depth: int) -> bool:
    """Whether a value is nested more than so many levels deep."""
    level = [value]
    while level and depth:
        inner = (one.values() if isinstance(one, dict) else one for one in level)
        level = [child for children in inner for child in children if isinstance(child, dict | list)]
        depth -= 1
    return bool(level)


def _parsed(body: bytes) -> Any:
    try:
        return parse_json(body.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise BadMessage(_PARSE_ERROR, f"The message is not UTF-8: byte {error.start}.") from None
    except ValueError as error:  # including numbers with more digits than Python reads
        raise BadMessage(_PARSE_ERROR, f"The message is not JSON: {error}.") from None


def is_id(value: Any) -> TypeGuard[Id]:
    """Whether a value may be the id of a request."""
    if isinstance(value, str):
        return len(value) <= REQUEST_ID_CHARACTERS
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < _LARGEST_ID


def _checked_id(value: Any) -> Id:
    if not is_id(value):
        _refuse(
            f"id must be a whole number of 64 bits, or a string of at most {REQUEST_ID_CHARACTERS:,} characters."
        )
    return value


def _refuse(what: str, id: Id | None = None) -> NoReturn:
    raise BadMessage(INVALID_REQUEST, what, id)


def _without_surrogates(value: Any) -> Any:
    """The value with U+FFFD for each lone surrogate. Both are one unit of UTF-16, so positions stay."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_without_surrogates(one) for one in value]
    if isinstance(value, dict):
        return {_without_surrogates(name): _without_surrogates(one) for name, one in value.items()}
    return value
