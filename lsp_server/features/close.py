"""The command `premise-suggest.close` (docs/lsp.md): inserts a tactic that closes the goal at a `sorry`."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from lsp_server.documents.document import DocumentSnapshot
from lsp_server.engine.documented_json import to_json
from lsp_server.engine.requests import SuggestRequest
from lsp_server.engine.schema import Suggestion
from lsp_server.engine.schema_items import TacticItem, TacticVerdict
from lsp_server.limits import QUOTED_CHARACTERS
from lsp_server.protocol.handlers import active
from lsp_server.protocol.parameters import Parameters
from lsp_server.protocol.progress import WorkDone
from lsp_server.protocol.server import PremiseServer
from lsp_server.protocol.workspace_edits import applied, text_edit
from lsp_server.rendering.labels import on_one_line, shorten, verdict

COMMAND = "premise-suggest.close"
_NAMES = frozenset({"textDocument", "position"})


def register(server: PremiseServer) -> None:
    """The command. It answers `{applied: boolean, tactic: TacticItem | null}`."""

    @server.command(COMMAND)
    @active(server, "trial of tactics")
    async def close(params: Any = None, *_: Any) -> Any:
        given = Parameters(COMMAND, params, _NAMES)
        document = server.document(given.uri())
        request = SuggestRequest(document.proof_position(document.position(given.position())), tactics=True)
        bar = await WorkDone.begin(server, "Trying tactics", counts=False)
        try:
            answer = await bar.unless_cancelled(server.engine(document).suggest(request))
        finally:
            bar.end("")
        if answer is None:
            return _answer(None)
        closing = next(filter(_closes, answer.tactics), None)
        problem = await _insert(server, document, closing) if closing is not None else _nothing(answer)
        if problem:
            server.window_show_message(types.ShowMessageParams(types.MessageType.Info, problem))
        return _answer(closing or next(iter(answer.tactics), None), applied=not problem)


def _answer(tactic: TacticItem | None, *, applied: bool = False) -> dict[str, Any]:
    return {"applied": applied, "tactic": to_json(tactic) if tactic is not None else None}


def _closes(tactic: TacticItem) -> bool:
    return tactic.status == TacticVerdict.CLOSES and not tactic.rests_on_sorry and tactic.edit is not None


async def _insert(server: PremiseServer, document: DocumentSnapshot, tactic: TacticItem) -> str:
    """Have the editor insert a tactic; why that was impossible, or nothing."""
    edits = [text_edit(document, one) for one in (tactic.import_edit, tactic.edit) if one is not None]
    return await applied(server, document, edits, tactic.tactic, verdict(tactic))


def _nothing(answer: Suggestion) -> str:
    """What is shown where no tactic closes the goal."""
    if not answer.tactics:
        return " ".join(["Nothing closes the goal, and Lean accepts no step.", *answer.warnings])
    best = answer.tactics[0]
    name = shorten(on_one_line(best.tactic), QUOTED_CHARACTERS)
    return f"Nothing closes the goal. Best step: `{name}` ({verdict(best)})."
