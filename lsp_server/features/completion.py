"""Completion with ranked premises after `exact`, `apply`, `unfold`, in `rw [ ]` and `simp [ ]`, in terms."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from lsprotocol import types

from lean_extract.common.errors import NoGoalHere
from lean_extract.records import Goal, TacticOutcome
from lsp_server.documents.completion_context import CompletionContext, completion_at, questions
from lsp_server.documents.document import DocumentSnapshot
from lsp_server.documents.verified_terms import keyword_at, verified_terms
from lsp_server.engine.engine import Engine
from lsp_server.engine.items import premise_item, tactic_item
from lsp_server.engine.requests import main_goal
from lsp_server.engine.tasks import start_task
from lsp_server.limits import COMPLETION_SECONDS
from lsp_server.protocol.handlers import passive
from lsp_server.protocol.server import PremiseServer
from lsp_server.rendering.labels import deprecation_label, doubt_label, scope_label, shorten, verdict
from lsp_server.rendering.markdown import as_text
from prover.facts import telescope
from prover.shapes import shape
from prover.verify import GoalPosition
from retriever.lean.callers import at_location
from retriever.lean.case_splits import for_case_splits
from retriever.lean.eligibility import RankedPremise, RankRequest
from retriever.lean.theorems import is_theorem

_DEPTH = 200
"""How many premises are ranked; the typed prefix then selects among them."""
_MOST_VERIFIED = 5
_STATEMENT_COLUMNS, _LABEL_COLUMNS = 60, 100
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
        settings = server.settings_at(params.text_document.uri).completion
        if not settings.enabled:
            return None
        document = server.document(params.text_document.uri)
        place = document.position(params.position)
        context = await asyncio.to_thread(completion_at, document.text, place)
        if context is None:
            return None
        engine = server.engine(document)
        goal, position, is_exact = await _goal(engine, document, context)
        keyword = keyword_at(document.text, context) if is_exact and engine.settings.tactics.enabled else ""
        trying = start_task(engine.accepted_soon(position, COMPLETION_SECONDS)) if keyword else None
        ranked = await engine.rank(RankRequest(goal, k=_DEPTH, caller=context.caller), position)
        ordered = for_case_splits(ranked) if context.splits_cases else ranked
        chosen = [one for one in ordered if _usable(one, context)]
        shown = chosen[: settings.count]
        names = [one.premise.written for one in shown]
        hypotheses = [name for one in goal.hypotheses for name in one.names]
        spelled = await engine.spellings(position, names, hypotheses)
        has_details = _shows_details(server.client_capabilities)
        items = [
            _item(document, context, one, rank, spelled, has_details=has_details)
            for rank, one in enumerate(shown)
        ]
        accepted, is_open = await trying if trying is not None else ([], False)
        terms = [
            found
            for found in verified_terms(keyword, context, accepted)
            if _is_subsequence(context.prefix.lower(), found[0].lower())
        ]
        first = [
            _verified(document, context, term, outcome, rank, has_details=has_details)
            for rank, (term, outcome) in enumerate(terms[:_MOST_VERIFIED])
        ]
        is_incomplete = is_open or len(chosen) > len(shown)
        return types.CompletionList(is_incomplete=is_incomplete, items=[*first, *items])


def _shows_details(client: types.ClientCapabilities) -> bool:
    """Whether the client shows more than the name in a row."""
    completion = client.text_document.completion if client.text_document else None
    item = completion.completion_item if completion else None
    return bool(item and item.label_details_support)


async def _goal(
    engine: Engine, document: DocumentSnapshot, context: CompletionContext
) -> tuple[Goal, GoalPosition, bool]:
    """The goal for the text being typed, its position in the document that Lean was given, and whether it is the goal
    after the rules that are typed already.

    Lean may show the goal before rules that it does not take. Then their texts say what they would make of it.
    """
    refused: NoGoalHere | None = None
    found: list[tuple[Goal, GoalPosition, bool]] = []
    asked = await asyncio.to_thread(lambda: list(questions(document.text, context)))
    for number, question in enumerate(asked):
        position = GoalPosition(document.path, question.text, question.position)
        try:
            state = await (engine.expected_at(position) if question.is_term else engine.state_at(position))
        except NoGoalHere as error:
            refused = error
            continue
        goal = at_location(main_goal(state), context.location)
        if not goal.target.startswith("?"):
            found.append((goal, position, number == 0))
            if not context.rules:
                break
    if not found:
        raise refused or NoGoalHere("The expected type here is not known.", "Write its type first.")
    goal, position, _ = found[-1]
    if not context.rules or found[0][0] != goal:
        return found[0]
    return await engine.after_rules(goal, context.rules, position), position, False


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


def _verified(
    document: DocumentSnapshot,
    context: CompletionContext,
    term: str,
    outcome: TacticOutcome,
    rank: int,
    *,
    has_details: bool,
) -> types.CompletionItem:
    """A term with which Lean has accepted the tactic."""
    item = tactic_item(outcome)
    result = verdict(item)
    left = "".join(f"\n```lean\n{shorten(goal, 1000)}\n```" for goal in item.remaining_goals)
    return types.CompletionItem(
        label=shorten(term, _LABEL_COLUMNS),
        label_details=types.CompletionItemLabelDetails(description=result) if has_details else None,
        kind=types.CompletionItemKind.Value,
        detail=result,
        documentation=types.MarkupContent(
            types.MarkupKind.Markdown, f"```lean\n{item.tactic}\n```\n{result}{left}"
        ),
        preselect=True if rank == 0 and item.status == "closes" and not item.rests_on_sorry else None,
        sort_text=f"-{rank:04d}",
        filter_text=term,
        text_edit=types.TextEdit(document.range(context.name), term),
    )


def _item(
    document: DocumentSnapshot,
    context: CompletionContext,
    ranked: RankedPremise,
    rank: int,
    spelled: Mapping[str, str],
    *,
    has_details: bool,
) -> types.CompletionItem:
    premise = premise_item(ranked)
    scope = scope_label(premise) if premise.in_scope is False else ""
    label = ", ".join(filter(None, [scope, doubt_label(premise), deprecation_label(premise)]))
    imports = document.import_edit(premise.import_line) if premise.import_line else None
    source = f"[{premise.module}]({premise.doc_url})" if premise.doc_url else premise.module
    body = f"```lean\n{premise.name} {shorten(premise.statement, 1000)}\n```\n{source}"
    notes = "\n\n".join(filter(None, [body, as_text(premise.doc), label]))
    return types.CompletionItem(
        label=premise.name,
        label_details=_details(ranked, label or premise.module) if has_details else None,
        kind=_KINDS.get(premise.kind, types.CompletionItemKind.Constant),
        detail="; ".join(filter(None, ["" if has_details else label, shorten(premise.statement, 200)]))
        or premise.kind,
        documentation=types.MarkupContent(types.MarkupKind.Markdown, notes),
        tags=[types.CompletionItemTag.Deprecated] if premise.deprecated else None,
        sort_text=f"{rank:05d}",
        filter_text=premise.name,
        text_edit=types.TextEdit(document.range(context.name), spelled.get(premise.name, premise.name)),
        additional_text_edits=[imports] if imports else None,
    )


def _details(ranked: RankedPremise, place: str) -> types.CompletionItemLabelDetails:
    """What the row shows after the name: the conclusion, and where the premise is or what is unusual about it."""
    conclusion = shorten(ranked.premise.conclusion, _STATEMENT_COLUMNS)
    return types.CompletionItemLabelDetails(
        detail=f" : {conclusion}" if conclusion else None, description=place
    )
