"""Quick fixes `Try this: …`: tactics that Lean has accepted, in place of a `sorry` or at the cursor."""

from __future__ import annotations

from lsprotocol import types

from lean_extract.records import Position, Span, TacticOutcome
from lean_extract.session.document import LeanDocument
from lean_extract.session.places import guessed_edit, sorry_near
from lsp_server.documents.document import DocumentSnapshot
from lsp_server.engine.items import tactic_item
from lsp_server.engine.schema import TacticItem, to_json
from lsp_server.protocol.handlers import passive
from lsp_server.protocol.server import PremiseServer
from lsp_server.protocol.workspace_edits import workspace_edit
from lsp_server.rendering.labels import origin_label, targets_line, verdict

_TITLE_GOALS = 100
"""How many columns of a title show the remaining goals."""


def register(server: PremiseServer) -> None:
    """`textDocument/codeAction`."""
    options = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)
    @passive(server, "quick fix")
    async def code_actions(params: types.CodeActionParams) -> list[types.CodeAction] | None:
        settings = server.settings_at(params.text_document.uri)
        if not (settings.code_actions.enabled and settings.tactics.enabled and _wanted(params.context)):
            return None
        document = server.document(params.text_document.uri)
        start, end = document.position(params.range.start), document.position(params.range.end)
        is_manual = params.context.trigger_kind != types.CodeActionTriggerKind.Automatic
        span = _replaced_span(document, start, end, on_blank=is_manual)
        if span is None:
            return None
        position = document.goal_position(span.start)
        _, results = await server.engine(document).tactics_at(position)
        judged = [outcome for outcome in results.outcomes if outcome.status != "unjudged"]
        diagnostics = [one for one in params.context.diagnostics if "sorry" in one.message]
        server.check_current(document)
        shown = enumerate(judged[: settings.code_actions.count])
        return [
            _action(tactic_item(outcome), _edit(server, document, span, outcome), rank, diagnostics)
            for rank, outcome in shown
        ]


def _wanted(context: types.CodeActionContext) -> bool:
    only = context.only
    return only is None or any(types.CodeActionKind.QuickFix.startswith(str(kind)) for kind in only)


def _replaced_span(
    document: DocumentSnapshot, start: Position, end: Position, *, on_blank: bool
) -> Span | None:
    """The `sorry` that the selection touches, or the cursor itself if its line is blank."""
    span = sorry_near(document.lines, start, end)
    if span is None and on_blank and start == end and not document.lines[start.line].strip():
        return Span(start, end)
    return span


def title(item: TacticItem) -> str:
    """`Try this: rfl` for a tactic that closes the goal; otherwise with the remaining goals."""
    origin = origin_label(item)
    if item.status == "closes" and not item.rests_on_sorry:
        return f"Try this: {item.tactic}{f'  ({origin})' if origin else ''}"
    left = targets_line(item.remaining_goals, _TITLE_GOALS)
    result = f"{verdict(item)}{': ' if left else ''}{left}"
    return f"Try this: {item.tactic}  ({'; '.join(filter(None, (result, origin)))})"


def _action(
    item: TacticItem, edit: types.WorkspaceEdit, rank: int, diagnostics: list[types.Diagnostic]
) -> types.CodeAction:
    return types.CodeAction(
        title=title(item),
        kind=types.CodeActionKind.QuickFix,
        is_preferred=rank == 0,
        diagnostics=diagnostics or None,
        edit=edit,
        data=to_json(item),
    )


def _edit(
    server: PremiseServer, document: DocumentSnapshot, span: Span, outcome: TacticOutcome
) -> types.WorkspaceEdit:
    """The edit of a tactic."""
    found = outcome.edit or guessed_edit(LeanDocument(document.text), span.start, outcome.shown)
    return workspace_edit(server, document, [types.TextEdit(document.range(found.span), found.text)])
