"""The request `premiseSuggest/suggest` and the command `premise-suggest.suggest` (docs/lsp.md)."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from lsp_server.documents.document import DocumentSnapshot
from lsp_server.engine.documented_json import to_json
from lsp_server.engine.engine import Engine
from lsp_server.engine.requests import SuggestRequest
from lsp_server.engine.schema import Suggestion, TacticsSoFar
from lsp_server.protocol.handlers import active
from lsp_server.protocol.parameters import Parameters, Token
from lsp_server.protocol.progress import WaitingBar
from lsp_server.protocol.server import PremiseServer
from retriever.lean.callers import caller_of

_REQUEST = "premiseSuggest/suggest"
_COMMAND = "premise-suggest.suggest"
_NAMES = frozenset(
    {
        "textDocument",
        "position",
        "goal",
        "goalNumber",
        "k",
        "caller",
        "tactics",
        "explain",
        "select",
        "parts",
        "partialResultToken",
    }
)


def register(server: PremiseServer) -> None:
    """The request and the command, with the same parameters and answers."""

    @active(server, "suggestion")
    async def suggest(params: Any = None, *_: Any) -> Any:
        given = Parameters(_REQUEST, params, _NAMES)
        uri, position = given.uri(), given.position()
        goal = given.text("goal", "the goal as Lean prints it") if given.has("goal") else None
        k, tactics, token = given.number("k"), given.flag("tactics"), given.token("partialResultToken")
        document, engine = _document_and_engine(server, uri, has_goal=goal is not None)
        request = SuggestRequest(
            position=document.proof_position(document.position(position)) if document is not None else None,
            goal=goal,
            k=k,
            tactics=tactics and engine.settings.tactics.enabled,
            goal_number=given.number("goalNumber") or 1,
            caller=caller_of(given.text("caller", "the tactic that the premises are for")),
            explain=given.flag("explain"),
            select=given.text("select", "a part of the goal's target") if given.has("select") else "",
            parts=given.flag("parts"),
        )
        partial = _Partial(server, token) if token is not None else None
        bar = WaitingBar(server, "Waiting for Lean")
        try:
            return to_json(await engine.suggest(request, partial, bar))
        finally:
            await bar.end()

    server.feature(_REQUEST)(suggest)
    server.command(_COMMAND)(suggest)


class _Partial:
    """Sends partial results: a suggestion for another goal as a whole, then the tactics so far."""

    def __init__(self, server: PremiseServer, token: Token) -> None:
        self._server = server
        self._token = token
        self._goal: str | None = None
        self._notes: list[str] = []

    def __call__(self, suggestion: Suggestion) -> None:
        """Send what is new."""
        is_known = (self._goal, self._notes) == (suggestion.goal, suggestion.notes)
        value = to_json(TacticsSoFar(suggestion.tactics) if is_known else suggestion)
        self._goal, self._notes = suggestion.goal, suggestion.notes
        self._server.progress(types.ProgressParams(self._token, value))


def _document_and_engine(
    server: PremiseServer, uri: str, *, has_goal: bool
) -> tuple[DocumentSnapshot | None, Engine]:
    """The document and its engine. Raises BadSource: it is not a file, and no goal came with the request."""
    if has_goal:
        return server.document_or_text(uri)
    document = server.document(uri)
    return document, server.engine(document)
