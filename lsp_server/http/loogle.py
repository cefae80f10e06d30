"""Loogle's interface: `GET /json`, for `#loogle` and lean-lsp-mcp's `lean_loogle`.

What is wrong with a query is answered with status 200, as Loogle does: lean-lsp-mcp hides what comes with another.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from itertools import islice
from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field

from lean_extract.common.errors import BadQuery, UserError
from lean_extract.records import Premise
from lsp_server.engine.project_index import ProjectIndex
from lsp_server.engine.requests import checked_query
from lsp_server.engine.searching import names_only
from lsp_server.http.backend import HttpBackend
from lsp_server.http.problems import Refusal
from retriever.lean.pattern_search import PatternMatches
from retriever.lean.patterns.query import NAME, pattern_parts
from retriever.lean.words.reading import Reading

_MOST_HITS = 200
"""Loogle's own number."""
_SUGGESTIONS = 5
"""As many as lean-lsp-mcp shows."""
_NEAR_NAMES = 24
_REPLACED_PARTS = 4
"""How many parts of a query others are looked for."""
_SPACE = re.compile(r"\s")


class LoogleHit(BaseModel):
    """One declaration."""

    name: str
    type: str = Field(description="Its binders, then `: conclusion`; empty where only the name is known.")
    module: str
    doc: str = Field(description="The first sentence of its doc string.")


class LoogleAnswer(BaseModel):
    """Loogle's answer: hits with their number, or an error."""

    header: str | None = None
    count: int | None = None
    hits: list[LoogleHit] | None = None
    error: str | None = None
    suggestions: list[str] | None = Field(
        default=None, description="Other queries, where a name is not known."
    )


def router(backend: HttpBackend) -> APIRouter:
    """The interface over these indexes."""
    routes = APIRouter(tags=["Loogle"])

    @routes.get("/json", response_model_exclude_none=True)
    async def loogle(
        asked: Request,
        q: Annotated[
            str,
            Query(description='A pattern: `Real.sin, "add", ?a * _ ≤ ?b * _`.', examples=["_ + _ = _ + _"]),
        ] = "",
    ) -> LoogleAnswer:
        """The declarations that meet all parts of a pattern."""
        try:
            engine = backend.library(asked).engine
        except Refusal as refusal:
            return LoogleAnswer(error=str(refusal))

        async def job() -> LoogleAnswer:
            return await asyncio.to_thread(_answer, await engine.project_index(), q)

        return await backend.work(job)

    return routes


def _answer(index: ProjectIndex, text: str) -> LoogleAnswer:
    try:
        query = checked_query(_SPACE.sub(" ", text).strip().removeprefix("#find "))
    except UserError as error:
        return LoogleAnswer(error=str(error))
    try:
        found = index.search_pattern(query, None, _MOST_HITS)
    except BadQuery as error:
        others = list(islice(_others(index, query), _SUGGESTIONS))
        return LoogleAnswer(error=str(error), suggestions=others or None)
    if not found.premises and found.unread:
        return LoogleAnswer(error=names_only(found.unread))
    return _listed(found)


def _listed(found: PatternMatches) -> LoogleAnswer:
    hits = [_hit(one.premise) for one in found.premises]
    count = max(found.count, len(hits)) if len(hits) == _MOST_HITS else len(hits)
    listed = f" The first {len(hits)} are listed." if count > len(hits) else ""
    found_text = "Found one declaration." if count == 1 else f"Found {count:,} declarations."
    return LoogleAnswer(header=f"{found_text}{listed}", count=count, hits=hits)


def _hit(premise: Premise) -> LoogleHit:
    return LoogleHit(
        name=premise.written, type=premise.statement, module=premise.module, doc=premise.doc or ""
    )


def _others(index: ProjectIndex, query: str) -> Iterator[str]:
    """The query with one of its lone names quoted, or written in full; none that finds nothing."""
    parts = [part for part, _ in pattern_parts(query)]
    named = [place for place, part in enumerate(parts) if NAME.fullmatch(part)]
    for place in named[:_REPLACED_PARTS]:
        for other in (f'"{parts[place]}"', *_full_names(index, parts[place])):
            text = ", ".join([*parts[:place], other, *parts[place + 1 :]])
            if _finds(index, text):
                yield text


def _full_names(index: ProjectIndex, name: str) -> list[str]:
    near = index.search(name, None, _NEAR_NAMES, reading=Reading.NAME)
    full = (one.premise.name for one in near if one.premise.name.endswith(f".{name}"))
    return list(islice(full, _SUGGESTIONS))


def _finds(index: ProjectIndex, query: str) -> bool:
    try:
        return bool(index.search_pattern(query, None, 1).premises)
    except BadQuery:
        return False
