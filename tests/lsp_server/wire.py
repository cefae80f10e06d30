"""What the tests of the wire share: codes, and parameters as each method has them."""

from __future__ import annotations

from typing import Any

PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602
NOT_INITIALIZED, FAILED, CANCELLED, CONTENT_MODIFIED = -32002, -32803, -32800, -32801


def code(answer: dict[str, Any]) -> int:
    """The code of an error, which is told in one line."""
    assert "\n" not in answer["error"]["message"]
    assert len(answer["error"]["message"]) <= 1000
    found = answer["error"]["code"]
    assert isinstance(found, int)
    return found


METHODS = [
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/codeAction",
    "premiseSuggest/suggest",
    "premiseSuggest/edits",
    "premiseSuggest/search",
]


def asked(method: str, place: Any) -> dict[str, Any]:
    """Parameters as each method has them, at a place."""
    params: dict[str, Any] = {"textDocument": {"uri": "untitled:sane"}, "position": place}
    if method.endswith("codeAction"):
        params |= {"range": {"start": place, "end": place}, "context": {"diagnostics": []}}
    if method.endswith("edits"):
        params |= {"insert": "rfl", "as": "tactic"}
    if method.endswith("search"):
        params |= {"query": "swap"}
    return params
