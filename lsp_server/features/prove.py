"""The request `premiseSuggest/prove` and the command `premise-suggest.prove` (docs/lsp.md): a search for a proof."""

from __future__ import annotations

import asyncio
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified, JsonRpcException

from lean_extract.records import Position, Span
from lsp_server.documents.document import DocumentSnapshot
from lsp_server.engine.documented_json import to_json
from lsp_server.engine.requests import ProveRequest
from lsp_server.engine.schema_proofs import ProofAnswer, ProofProgress, ProofStatus
from lsp_server.engine.tasks import LeanProgress
from lsp_server.limits import PROOF_SECONDS
from lsp_server.protocol.handlers import active
from lsp_server.protocol.parameters import Parameters, Token
from lsp_server.protocol.progress import WorkDone
from lsp_server.protocol.server import PremiseServer
from lsp_server.protocol.workspace_edits import applied, text_edit
from lsp_server.rendering.proofs import outcome_line, progress_line

_REQUEST = "premiseSuggest/prove"
_COMMAND = "premise-suggest.prove"
_PLACE = frozenset({"textDocument", "position", "seconds"})
_NAMES = _PLACE | {"imports", "check", "version", "partialResultToken", "workDoneToken"}
_TITLE = "Searching for a proof"
_INSERT, _DISCARD = "Insert", "Discard"


def register(server: PremiseServer) -> None:
    """The request, which answers a `ProofAnswer`, and the command, `{applied: boolean, proof: ProofAnswer}`."""

    @server.feature(_REQUEST)
    @active(server, "search for a proof")
    async def prove(params: Any = None, *_: Any) -> Any:
        given = Parameters(_REQUEST, params, _NAMES)
        document = server.document(given.uri())
        if given.has("version") and given.version() != document.version:
            raise JsonRpcContentModified("The document has changed since. Search again.")
        request, token = _request(server, document, given), given.token("partialResultToken")
        bar = WorkDone.given(server, _TITLE, given.token("workDoneToken"))
        answer = await _search(server, document, request, bar, token)
        server.check_current(document)
        return to_json(answer)

    @server.command(_COMMAND)
    @active(server, "search for a proof")
    async def prove_and_insert(params: Any = None, *_: Any) -> Any:
        given = Parameters(_COMMAND, params, _PLACE)
        document = server.document(given.uri())
        request = _request(server, document, given)
        bar = await WorkDone.begin(server, _TITLE)
        answer = await _search(server, document, request, bar)
        problem = await _insert(server, document, answer)
        if problem:
            server.window_show_message(types.ShowMessageParams(types.MessageType.Info, problem))
        return {"applied": problem is None, "proof": to_json(answer)}


def prove_command(server: PremiseServer, document: DocumentSnapshot, place: Position) -> types.Command:
    """The command for a quick fix or a lens at a place of a document."""
    seconds = server.settings_at(document.uri).prove.seconds
    where = document.range(Span(place, place)).start
    argument = {
        "textDocument": {"uri": document.uri},
        "position": {"line": where.line, "character": where.character},
    }
    return types.Command(f"Search for a proof ({seconds:g} s)", _COMMAND, arguments=[argument])


def _request(server: PremiseServer, document: DocumentSnapshot, given: Parameters) -> ProveRequest:
    usual = server.settings_at(document.uri).prove.seconds
    return ProveRequest(
        document.proof_position(document.position(given.position())),
        given.amount("seconds", *PROOF_SECONDS, usual),
        given.flag("imports", default=True),
        given.flag("check", default=True),
    )


async def _search(
    server: PremiseServer,
    document: DocumentSnapshot,
    request: ProveRequest,
    bar: WorkDone,
    token: Token | None = None,
) -> ProofAnswer:
    """Search until the time is over, the user stops it, or the document changes. `token`: of partial results."""
    stop = asyncio.Event()
    bar.on_cancel(stop.set)

    def report(progress: ProofProgress) -> None:
        if not server.is_current(document):
            stop.set()
        bar.say(progress_line(progress), min(round(100 * progress.seconds / progress.limit), 100))
        if token is not None:
            server.progress(types.ProgressParams(token, to_json(progress)))

    def waiting(progress: LeanProgress) -> None:
        if not server.is_current(document):
            stop.set()
        bar.say(str(progress), 0)

    try:
        return await server.engine(document).prove(request, report, stop, waiting)
    finally:
        bar.end("")


async def _insert(server: PremiseServer, document: DocumentSnapshot, answer: ProofAnswer) -> str | None:
    """Have the editor insert a proof, a partial one if the user wants it; None, or why it was not inserted: empty if
    the user knows that."""
    if not server.is_current(document):
        return "The document has changed during the search. Search again."
    if not answer.edits:
        return outcome_line(answer)
    if answer.status == ProofStatus.PARTIAL and not await _is_wanted(server, answer):
        return "" if _can_choose(server) else f"{outcome_line(answer)}\n{answer.script}"
    edits = [text_edit(document, edit) for edit in answer.edits]
    result = "proves the goal" if answer.status == ProofStatus.PROVED else "proves a part of the goal"
    return await applied(server, document, edits, answer.script, result, "Proof") or None


async def _is_wanted(server: PremiseServer, answer: ProofAnswer) -> bool:
    """Whether the user chooses to insert a partial proof."""
    if not _can_choose(server):
        return False
    choices = [types.MessageActionItem(_INSERT), types.MessageActionItem(_DISCARD)]
    params = types.ShowMessageRequestParams(types.MessageType.Info, outcome_line(answer), choices)
    try:
        chosen = await server.window_show_message_request_async(params)
    except JsonRpcException:  # the editor shows none after all
        return False
    return chosen is not None and chosen.title == _INSERT


def _can_choose(server: PremiseServer) -> bool:
    window = server.client_capabilities.window
    return bool(window and window.show_message)
