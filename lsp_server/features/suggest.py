"""The request `premiseSuggest/suggest` and the command `premise-suggest.suggest` (docs/json.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from lsp_server.contexts import sorry_near
from lsp_server.engine import SuggestRequest
from lsp_server.schema import to_json
from lsp_server.server import PremiseServer, active

REQUEST = "premiseSuggest/suggest"
COMMAND = "premise-suggest.suggest"
_NAMES = frozenset({"textDocument", "position", "goal", "k", "tactics"})


def register(server: PremiseServer) -> None:
    """The request and the command; both take and give the same."""

    @active(server, "suggestion")
    async def suggest(params: Any = None, *_: Any) -> Any:
        uri, position, options = _read(params)
        document = server.document(uri)
        place = document.position(position)
        span = sorry_near(document.lines, place, place)
        request = SuggestRequest(
            place=document.place(span.start if span else place),
            goal=options.get("goal"),
            k=options.get("k"),
            tactics=options.get("tactics", False) and server.settings.tactics.enabled,
        )
        return to_json(await server.engine(document).suggest(request))

    server.feature(REQUEST)(suggest)
    server.command(COMMAND)(suggest)


def _read(params: Any) -> tuple[str, types.Position, Mapping[str, Any]]:
    """The parameters, checked. Raises JsonRpcInvalidParams."""
    if not isinstance(params, Mapping):
        raise _bad("the parameters must be an object")
    if unknown := set(params) - _NAMES:
        raise _bad(f"{sorted(unknown)[0]!r} is not a parameter; the names are {', '.join(sorted(_NAMES))}")
    uri = _member(params, "textDocument", "uri")
    line, character = _member(params, "position", "line"), _member(params, "position", "character")
    if not isinstance(uri, str):
        raise _bad("textDocument.uri must be a string")
    if not all(_is_count(number) for number in (line, character)):
        raise _bad("position must be {line, character}, both whole numbers from 0")
    options = {name: value for name, value in params.items() if value is not None}
    if not isinstance(options.get("goal", ""), str):
        raise _bad("goal must be a string: the goal as Lean prints it")
    if not _is_count(options.get("k", 1)) or options.get("k", 1) == 0:
        raise _bad("k must be a whole number above 0")
    if not isinstance(options.get("tactics", False), bool):
        raise _bad("tactics must be true or false")
    return uri, types.Position(line, character), options


def _member(params: Mapping[str, Any], outer: str, inner: str) -> Any:
    value = params.get(outer)
    return value.get(inner) if isinstance(value, Mapping) else None


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _bad(what: str) -> JsonRpcInvalidParams:
    return JsonRpcInvalidParams(f"{REQUEST}: {what}.")
