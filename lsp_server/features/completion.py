"""Completion with ranked premises after `exact`, `apply`, `unfold`, in `rw [ ]` and `simp [ ]`, in terms."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from lsprotocol import types

from lean_extract.common.errors import NoGoalHere
from lean_extract.records import Goal
from lsp_server.documents.completion_context import CompletionContext, completion_at, questions
from lsp_server.documents.document import DocumentSnapshot
from lsp_server.engine.engine import Engine
from lsp_server.engine.items import premise_item
from lsp_server.engine.requests import main_goal
from lsp_server.engine.schema import PremiseItem
from lsp_server.protocol.handlers import passive
from lsp_server.protocol.server import PremiseServer
from lsp_server.rendering.labels import deprecation_label, doubt_label, scope_label, shorten
from prover.facts import telescope
from prover.shapes import shape
from prover.verify import GoalPosition
from retriever.lean.eligibility import RankedPremise, RankRequest
from retriever.lean.theorems import is_theorem

_DEPTH = 200
"""How many premises are ranked; the typed prefix then selects among them."""
_REWRITABLE = frozenset({"eq", "iff"})
_KINDS = {
    "def": types.CompletionItemKind.Function,
    "abbrev": types.CompletionItemKind.Function,
    "instance": types.CompletionItemKind.Variable,
    "structure": types.CompletionItemKind.Struct,
    "class": types.CompletionItemKind.Class,
    "inductive": types.CompletionItemKind.Enum,
    "constructor": types.CompletionItemKind.EnumMember,
    "field": types.CompletionItemKind.Field,
}


def register(server: PremiseServer) -> None:
    """`textDocument/completion`."""
    options = types.CompletionOptions(trigger_characters=[" ", "[", "(", "⟨", ",", "←", "."])

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, options)
    @passive(server, "completion")
    async def complete(params: types.CompletionParams) -> types.CompletionList | None:
        settings = server.settings.completion
        if not settings.enabled:
            return None
        document = server.document(params.text_document.uri)
        place = document.position(params.position)
        context = await asyncio.to_thread(completion_at, document.text, place)
        if context is None:
            return None
        engine = server.engine(document)
        goal, position = await _goal(engine, document, context)
        ranked = await engine.rank(RankRequest(goal, k=_DEPTH, caller=context.caller), position)
        chosen = [one for one in ranked if _usable(one, context)]
        shown = chosen[: settings.count]
        names = [one.premise.written for one in shown]
        hypotheses = [name for one in goal.hypotheses for name in one.names]
        spelled = await engine.spellings(position, names, hypotheses)
        items = [_item(document, context, premise_item(one), rank, spelled) for rank, one in enumerate(shown)]
        return types.CompletionList(is_incomplete=len(chosen) > len(shown), items=items)


async def _goal(
    engine: Engine, document: DocumentSnapshot, context: CompletionContext
) -> tuple[Goal, GoalPosition]:
    """The goal for the text being typed, and its position in the document that Lean was given."""
    refused: NoGoalHere | None = None
    for question in await asyncio.to_thread(lambda: list(questions(document.text, context))):
        position = GoalPosition(document.path, question.text, question.position)
        try:
            state = await (engine.expected_at(position) if question.is_term else engine.state_at(position))
        except NoGoalHere as error:
            refused = error
            continue
        goal = main_goal(state)
        if not goal.target.startswith("?"):
            return goal, position
    raise refused or NoGoalHere("The expected type here is not known.", "Write its type first.")


def _usable(ranked: RankedPremise, context: CompletionContext) -> bool:
    """Whether a premise matches the typed prefix and can be used there."""
    premise = ranked.premise
    if not _is_subsequence(context.prefix.lower(), premise.written.lower()):
        return False
    if context.caller == "rewrite" and not is_theorem(premise):
        return context.use == "rewrite"  # a definition's equations are used from left to right
    if context.caller == "rewrite" and premise.conclusion:
        _, core = telescope(premise.context, premise.conclusion)
        return shape(core).kind in _REWRITABLE
    return True


def _is_subsequence(typed: str, name: str) -> bool:
    rest = iter(name)
    return all(character in rest for character in typed)


def _item(
    document: DocumentSnapshot,
    context: CompletionContext,
    premise: PremiseItem,
    rank: int,
    spelled: Mapping[str, str],
) -> types.CompletionItem:
    scope = scope_label(premise) if premise.in_scope is False else ""
    label = ", ".join(filter(None, [scope, doubt_label(premise), deprecation_label(premise)]))
    imports = document.import_edit(premise.import_line) if premise.import_line else None
    source = f"[{premise.module}]({premise.doc_url})" if premise.doc_url else premise.module
    body = f"```lean\n{premise.name} {shorten(premise.statement, 1000)}\n```\n{source}"
    return types.CompletionItem(
        label=premise.name,
        label_details=types.CompletionItemLabelDetails(description=label or premise.module),
        kind=_KINDS.get(premise.kind, types.CompletionItemKind.Constant),
        detail=shorten(premise.statement, 200) or premise.kind,
        documentation=types.MarkupContent(types.MarkupKind.Markdown, f"{body}\n\n{label}" if label else body),
        tags=[types.CompletionItemTag.Deprecated] if premise.deprecated else None,
        sort_text=f"{rank:05d}",
        filter_text=premise.name,
        text_edit=types.TextEdit(document.range(context.name), spelled.get(premise.name, premise.name)),
        additional_text_edits=[imports] if imports else None,
    )
