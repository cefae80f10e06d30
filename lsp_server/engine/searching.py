"""The pipeline of a search: the query as a goal or as text, its premises, the answer."""

from __future__ import annotations

import asyncio

from lean_extract.records import Goal
from lsp_server.engine.items import premise_item
from lsp_server.engine.project_index import ProjectIndex
from lsp_server.engine.request_context import RequestContext
from lsp_server.engine.requests import (
    MOST_PREMISES,
    SearchRequest,
    checked_query,
    is_goal,
    main_goal,
    parse_goal,
)
from lsp_server.engine.schema import QueryKind, SearchAnswer
from retriever.lean.allowed import Allowed
from retriever.lean.offer import RankedPremise

_NO_FILE = "What is in scope is not known without a file, so nothing was left out."


async def search(context: RequestContext, request: SearchRequest) -> SearchAnswer:
    """Premises for a goal or for free text; see `Engine.search`."""
    query = checked_query(request.query)
    await context.catch_up()
    await context.files.caught_up()
    index = (await context.index.current()).index
    warnings = [index.note] if index.note else []
    if request.in_scope and request.position is None:
        warnings.append(_NO_FILE)
    goal = main_goal(await asyncio.to_thread(parse_goal, query)) if is_goal(query) else None
    ranked = await asyncio.to_thread(_ranked, context, request, index, query, goal)
    return SearchAnswer(
        kind=QueryKind.TEXT if goal is None else QueryKind.GOAL,
        premises=[premise_item(one) for one in ranked],
        index=await context.freshness(index),
        warnings=warnings,
        notes=[] if goal is None else await asyncio.to_thread(index.notes, goal),
    )


def _ranked(
    context: RequestContext, request: SearchRequest, index: ProjectIndex, query: str, goal: Goal | None
) -> list[RankedPremise]:
    """The premises that fit the goal, or the query where that is none."""
    settings, position = context.settings.premises, request.position
    wanted = min(request.k or settings.count, MOST_PREMISES)
    allowed = Allowed(modules=request.modules, in_scope=request.in_scope or not settings.out_of_scope)
    if goal is None:
        return index.search(query, position, wanted, allowed)
    where = index.context_at(position) if position else None
    return index.rank_in(goal, where, wanted, allowed=allowed, explain=request.explain)
