"""Answers about premises without Lean: a search (a pattern, a goal or text), and a description of a declaration."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lean_extract.common.errors import BadQuery, BadSource, BadState, UserError
from lean_extract.common.files.reading import read_source
from lean_extract.records import Goal
from lsp_server.engine.declared_text import DeclaredText, declared_text
from lsp_server.engine.items import premise_item
from lsp_server.engine.listing import listed
from lsp_server.engine.premise_ranking import NOTHING_FITS
from lsp_server.engine.project_index import ProjectIndex
from lsp_server.engine.request_context import RequestContext
from lsp_server.engine.requests import (
    SearchRequest,
    checked_query,
    goal_doubts,
    main_goal,
    parse_goal,
)
from lsp_server.engine.schema import DeclarationAnswer, SearchAnswer
from lsp_server.engine.schema_items import PremiseItem, QueryKind
from lsp_server.limits import ANSWER_PREMISES
from retriever.lean.declared import DeclarationSite
from retriever.lean.eligibility import Allowed, RankedPremise, RankRequest
from retriever.lean.pattern_search import PatternMatches
from retriever.lean.words.english import english
from retriever.lean.words.filters import read_filters
from retriever.lean.words.reading import Reading, has_foreign_letters, has_goal, readings, without_ticks

NO_WORDS_FIT = "Nothing fits these words well. Try other words of English, a part of a name, or a statement."
_NO_FILE = "What is in scope is not known without a file, so nothing was left out."


@dataclass(frozen=True, slots=True)
class _Found:
    kind: QueryKind
    premises: list[PremiseItem]
    warnings: Sequence[str] = ()
    notes: Sequence[str] = ()
    other_kind: QueryKind | None = None


async def search(context: RequestContext, request: SearchRequest) -> SearchAnswer:
    """Premises for words, a name, a goal or a pattern; see `Engine.search`."""
    query, filters = read_filters(checked_query(request.query))
    request = replace(
        request,
        modules=(*request.modules, *filters.modules),
        in_scope=request.in_scope or filters.in_scope,
        filters=filters,
    )
    index = await context.current_index()
    warnings = [index.note] if index.note else []
    if request.in_scope and request.position is None:
        warnings.append(_NO_FILE)
    found = await asyncio.to_thread(_find, context, request, index, query)
    return SearchAnswer(
        kind=found.kind,
        premises=found.premises,
        index=await context.freshness(index),
        warnings=[*warnings, *found.warnings],
        notes=list(found.notes),
        other_kind=found.other_kind,
    )


async def symbols(context: RequestContext, text: str, k: int) -> list[tuple[RankedPremise, DeclarationSite]]:
    """Premises by name and where they are declared; see `Engine.symbols`."""
    index = await context.current_index()
    return await asyncio.to_thread(index.symbols, text, k)


def _find(context: RequestContext, request: SearchRequest, index: ProjectIndex, query: str) -> _Found:
    """What is found by the likeliest way to read a query, or by the other one if that is nothing.

    Raises BadQuery, BadState: it cannot be read in any of these ways.
    """
    if request.filters.like:
        return _read_as(QueryKind.NAME, context, request, index, query)
    ways = [QueryKind(way.value) for way in readings(query)]
    failure: UserError | None = None
    nothing: _Found | None = None
    for way in [request.reading] if request.reading is not None else ways:
        try:
            found = _read_as(way, context, request, index, query)
        except (BadQuery, BadState) as error:
            failure = failure or error
            continue
        found = replace(found, other_kind=next((other for other in ways if other is not way), None))
        if found.premises:
            return found
        nothing = nothing or found
    if nothing is None and failure is not None:
        raise failure
    return nothing or _Found(QueryKind.WORDS, [])


def _read_as(
    way: QueryKind, context: RequestContext, request: SearchRequest, index: ProjectIndex, query: str
) -> _Found:
    """The premises that fit a query that is read in this way. Raises BadQuery, BadState."""
    settings, where = context.settings.premises, index.context_of(request.position)
    wanted = min(request.k or settings.count, ANSWER_PREMISES)
    filters = request.filters
    allowed = Allowed(
        modules=request.modules,
        in_scope=request.in_scope or not settings.out_of_scope,
        kinds=filters.kinds,
        packages=filters.packages,
        mentions=filters.mentions,
    )
    if filters.like:
        near = index.search_like(filters.like[0], where, wanted, allowed)
        return _Found(way, [premise_item(one) for one in near])
    if way is QueryKind.PATTERN:
        matches = index.search_pattern(without_ticks(query), where, wanted, allowed)
        found = [premise_item(one) for one in matches.premises]
        unread = [names_only(matches.unread)] if matches.unread else []
        return _Found(way, found, unread, list(_more(matches)))
    if way is not QueryKind.GOAL or not has_goal(query):
        ranked = index.search(query, where, wanted, allowed, Reading(way.value), explain=request.explain)
        notes = [*_uncovered(way, query), *([] if ranked else [NO_WORDS_FIT])]
        found = [premise_item(one) for one in ranked]
        unsearched = index.without_docs() if way is QueryKind.WORDS else 0
        return _Found(way, found, list(_without_docs(unsearched)), notes)
    goal: Goal = main_goal(parse_goal(query))
    if not index.relates_to(goal, where):
        return _Found(way, [], notes=[NOTHING_FITS, *index.notes(goal)])
    ranked = index.rank(RankRequest(goal, where, wanted, allowed=allowed, explain=request.explain))
    found = listed(index, goal, ranked, request.position).premises
    return _Found(way, found, notes=[*goal_doubts(query), *index.notes(goal)])


def _uncovered(way: QueryKind, query: str) -> Iterator[str]:
    if way is QueryKind.WORDS and has_foreign_letters(query):
        yield "Words are searched in English only. Names and formulas are found among words of any language."


def names_only(unread: int) -> str:
    """The sentence on premises that a pattern could not be compared with."""
    return (
        f"{unread:,} premises could not be compared: the index has their names only. "
        "Index their source: `premise-suggest setup` in your project, or `setup --git` with their address."
    )


def _without_docs(files: int) -> Iterator[str]:
    if files:
        which, them = ("1 file", "it") if files == 1 else (f"{files:,} files", "them")
        yield (
            f"The doc strings of {which} were not searched: an older version indexed {them}. "
            "Run `premise-suggest index`."
        )


def _more(matches: PatternMatches) -> Iterator[str]:
    listed = len(matches.premises)
    if matches.count > listed > 0:
        yield f"{matches.count:,} statements have this shape; the first {listed:,} are listed."


_NEAREST = 3


async def describe(context: RequestContext, name: str, module: str | None) -> DeclarationAnswer:
    """What is known of a declaration; see `Engine.describe`."""
    index = await context.current_index()
    ranked, site = await asyncio.to_thread(ranked_named, index, name, module)
    text = await asyncio.to_thread(_text, site.path, ranked.premise.module, ranked.premise.name)
    line = site.line if text is None or text.line is None else text.line
    return DeclarationAnswer(
        premise=premise_item(ranked),
        path=None if site.path is None else str(site.path),
        line=line + 1 if line >= 0 else None,
        source=text.source if text is not None else "",
        index=await context.freshness(index),
        doc=text.doc if text is not None else "",
        reading=english(ranked.premise),
    )


def ranked_named(index: ProjectIndex, name: str, module: str | None) -> tuple[RankedPremise, DeclarationSite]:
    """The premise of this name and where it is declared. Raises UserError: the index has none, with near names."""
    ranked, site = index.described(without_ticks(name), module)
    if ranked is None:
        raise _unknown(index, name)
    return ranked, site


def _unknown(index: ProjectIndex, name: str) -> UserError:
    """The error for a name that the index does not have, with the names that are most like it."""
    near = ", ".join(one.premise.written for one in index.search(name, None, _NEAREST))
    return UserError(
        f"There is no declaration `{name}` in the index.",
        f"The nearest are {near}." if near else "Search for a part of its name.",
    )


def _text(path: Path | None, module: str, name: str) -> DeclaredText | None:
    """What the file says of a declaration; None if it cannot be read or no longer declares it."""
    try:
        return declared_text(read_source(path), module, name) if path is not None else None
    except BadSource:
        return None
