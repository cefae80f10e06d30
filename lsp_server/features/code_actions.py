"""Quick fixes: tactics that Lean has accepted, in place of a `sorry`, of a tactic that fails, or in an empty place.

Their titles are `Try this: TACTIC`, and `Replace with: TACTIC` in place of a tactic that fails. Where none closes the
goal, the last one searches for a proof.
"""

from __future__ import annotations

import asyncio

from lsprotocol import types

from lean_extract.records import Position, TacticOutcome
from lean_extract.session.document import LeanDocument
from lean_extract.session.places import sorry_near
from lean_extract.session.tactic_spans import WrittenTactics
from lsp_server.documents.document import DocumentSnapshot
from lsp_server.engine.documented_json import to_json
from lsp_server.engine.given_tactics import guessed_at
from lsp_server.engine.goal_places import GoalFound
from lsp_server.engine.items import tactic_item
from lsp_server.engine.schema_items import GoalPlace, TacticItem
from lsp_server.features.prove import prove_command
from lsp_server.protocol.handlers import passive
from lsp_server.protocol.server import PremiseServer
from lsp_server.protocol.workspace_edits import text_edits, workspace_edit
from lsp_server.rendering.labels import import_label, on_one_line, origin_label, targets_line, verdict

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
        sorry = sorry_near(document.lines, start, end)
        if sorry is None and _is_automatic(params.context) and not _errors(params.context):
            return None
        engine = server.engine(document)
        position = document.goal_position(sorry.start if sorry is not None else start)
        if sorry is None:
            empty = await asyncio.to_thread(_empty_place, document, start)
            position = position if empty is None else document.goal_position(empty)
            place = (await engine.goal_at(position)).goal.place
            if empty is None and place != GoalPlace.BEFORE:
                return None
        found, results = (
            await engine.goal_at(position),
            await engine.tactics_at(position, imports=not _is_automatic(params.context)),
        )
        judged = [outcome for outcome in results.outcomes if outcome.status != "unjudged"]
        fixed = [one for one in params.context.diagnostics if "sorry" in one.message]
        fixed = fixed if sorry is not None else _errors(params.context)
        server.check_current(document)
        shown = judged[: settings.code_actions.count]
        actions = [_action(server, document, found, one, rank, fixed) for rank, one in enumerate(shown)]
        if not any(_is_proof(one) for one in judged):
            command = prove_command(server, document, position.position)
            kind = types.CodeActionKind.QuickFix
            actions.append(
                types.CodeAction(command.title, kind=kind, diagnostics=fixed or None, command=command)
            )
        return actions


def _wanted(context: types.CodeActionContext) -> bool:
    only = context.only
    return only is None or any(types.CodeActionKind.QuickFix.startswith(str(kind)) for kind in only)


def _is_automatic(context: types.CodeActionContext) -> bool:
    return context.trigger_kind == types.CodeActionTriggerKind.Automatic


def _errors(context: types.CodeActionContext) -> list[types.Diagnostic]:
    return [one for one in context.diagnostics if one.severity == types.DiagnosticSeverity.Error]


def _empty_place(document: DocumentSnapshot, cursor: Position) -> Position | None:
    """Where a tactic is still to be written: a blank line, or the end of the line after the `by`, `=>` or `·` at which
    the cursor is. None elsewhere."""
    line = document.lines[cursor.line]
    end = len(line.partition("--")[0].rstrip())
    if line.strip() and cursor.column < end - len("by"):
        return None
    place = cursor if not line.strip() else Position(cursor.line, end)
    text = LeanDocument(document.text)
    offset = text.offset(place)
    written = WrittenTactics(text, offset)
    return place if written.is_empty(offset) and written.in_proof(offset) else None


def title(item: TacticItem, *, replaces: bool = False) -> str:
    """`Try this: rfl` for a tactic that closes the goal; otherwise with the remaining goals."""
    verb, origin = "Replace with" if replaces else "Try this", origin_label(item)
    tactic = on_one_line(item.tactic)
    if _is_proof(item):
        labels = "; ".join(filter(None, (import_label(item), origin)))
        return f"{verb}: {tactic}{f'  ({labels})' if labels else ''}"
    left = targets_line(item.remaining_goals, _TITLE_GOALS)
    result = f"{verdict(item)}{': ' if left else ''}{left}"
    return f"{verb}: {tactic}  ({'; '.join(filter(None, (result, origin)))})"


def _is_proof(item: TacticItem | TacticOutcome) -> bool:
    return item.status == "closes" and not item.rests_on_sorry


def _action(
    server: PremiseServer,
    document: DocumentSnapshot,
    found: GoalFound,
    outcome: TacticOutcome,
    rank: int,
    diagnostics: list[types.Diagnostic],
) -> types.CodeAction:
    item = tactic_item(outcome)
    return types.CodeAction(
        title=title(item, replaces=found.goal.replaces is not None),
        kind=types.CodeActionKind.QuickFix,
        is_preferred=rank == 0 and _is_proof(item),
        diagnostics=diagnostics or None,
        edit=_edit(server, document, found, outcome),
        data=to_json(item),
    )


def _edit(
    server: PremiseServer, document: DocumentSnapshot, found: GoalFound, outcome: TacticOutcome
) -> types.WorkspaceEdit:
    """The edit of a tactic."""
    inserted = outcome.edit or found.edit(guessed_at(found.asked, outcome.shown))
    return workspace_edit(server, document, text_edits(document, inserted, outcome.import_edit))
