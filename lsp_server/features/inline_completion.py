"""Ghost text: on an empty line of a proof, the best tactic that closes the goal, as Lean has judged it there."""

from __future__ import annotations

from lsprotocol import types

from lean_extract.records import Edit, Position, TacticOutcome
from lsp_server.documents.document import DocumentSnapshot
from lsp_server.protocol.handlers import passive
from lsp_server.protocol.server import PremiseServer


def register(server: PremiseServer) -> None:
    """`textDocument/inlineCompletion` (LSP 3.18)."""

    @server.feature(types.TEXT_DOCUMENT_INLINE_COMPLETION, types.InlineCompletionOptions())
    @passive(server, "inline completion")
    async def inline_completion(
        params: types.InlineCompletionParams,
    ) -> list[types.InlineCompletionItem] | None:
        settings = server.settings_at(params.text_document.uri)
        if not (settings.inline_completion.enabled and settings.tactics.enabled):
            return None
        document = server.document(params.text_document.uri)
        cursor = document.position(params.position)
        if document.lines[cursor.line].strip():
            return None
        results = await server.engine(document).tactics_at(document.goal_position(cursor))
        server.check_current(document)
        best = next(filter(_closes, results.outcomes), None)
        if best is None or best.edit is None or not _is_on_line(best.edit, cursor):
            return None
        return [_item(document, best.edit)]


def _closes(outcome: TacticOutcome) -> bool:
    return outcome.status == "closes" and not outcome.rests_on_sorry


def _is_on_line(edit: Edit, cursor: Position) -> bool:
    """Whether an edit can be shown at the cursor: it replaces at most blanks of its line."""
    start, end = edit.span.start, edit.span.end
    return start.line == end.line == cursor.line and start <= cursor <= end


def _item(document: DocumentSnapshot, edit: Edit) -> types.InlineCompletionItem:
    return types.InlineCompletionItem(edit.text, range=document.range(edit.span))
