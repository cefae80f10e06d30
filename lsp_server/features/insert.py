"""The command `premise-suggest.insert` (docs/lsp.md): has the editor insert a tactic that Lean accepts."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from lsp_server.protocol.handlers import active
from lsp_server.protocol.parameters import Parameters
from lsp_server.protocol.server import PremiseServer
from lsp_server.protocol.workspace_edits import applied, text_edits

COMMAND = "premise-suggest.insert"
_NAMES = frozenset({"textDocument", "position", "tactic"})


def register(server: PremiseServer) -> None:
    """The command. It answers `{applied: boolean}`."""

    @server.command(COMMAND)
    @active(server, "insertion")
    async def insert(params: Any = None, *_: Any) -> Any:
        given = Parameters(COMMAND, params, _NAMES)
        document = server.document(given.uri())
        position = document.proof_position(document.position(given.position()))
        tactic = given.needed("tactic", "the tactic, as it was shown")
        found = await server.engine(document).edit_at(position, tactic, is_accepted=True)
        edits = text_edits(document, found.edit, found.import_edit)
        problem = await applied(server, document, edits, tactic, "is accepted")
        if problem:
            server.window_show_message(types.ShowMessageParams(types.MessageType.Info, problem))
        return {"applied": not problem}
