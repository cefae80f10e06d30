"""LeanStateSearch's interface: `GET /api/search`, for `#statesearch`, `#search` and lean-lsp-mcp."""

from __future__ import annotations

import re
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from lean_extract.records import Premise
from lsp_server.http.backend import HttpBackend
from lsp_server.http.formal_types import formal_type
from lsp_server.http.problems import INVALID, MISSING, Refusal
from lsp_server.http.revisions import ServedIndex
from lsp_server.limits import HTTP_PREMISES, NAME_CHARACTERS, QUERY_CHARACTERS
from retriever.lean.callers import caller_of
from retriever.lean.eligibility import RankRequest

_DEFAULT_RESULTS = 6
"""LeanSearchClient's default."""
_WHOLE = re.compile(r"\s*[+-]?\d{1,18}\s*", re.ASCII)


class FoundPremise(BaseModel):
    """One premise."""

    name: str
    formal_type: str = Field(description="Empty where only the name is known (the bundled index).")
    module: str
    rev: str = Field(description="The requested revision, else the index's own.")
    kind: str
    doc: str | None = None


def router(backend: HttpBackend) -> APIRouter:
    """The interface over these indexes."""
    routes = APIRouter(tags=["LeanStateSearch"])

    @routes.get("/api/search", response_model=list[FoundPremise])
    async def search(
        asked: Request,
        query: Annotated[
            str | None,
            Query(
                description="A proof state as Lean prints it.",
                max_length=QUERY_CHARACTERS,
                examples=["⊢ 0 < 1"],
            ),
        ] = None,
        results: Annotated[
            str | None,
            Query(
                description=f"How many, at most {HTTP_PREMISES}; {_DEFAULT_RESULTS} if left out.",
                json_schema_extra={"type": "integer", "anyOf": None},
                examples=["6"],
            ),
        ] = None,
        rev: Annotated[
            str | None, Query(description="A revision that is indexed; the default one if left out.")
        ] = None,
        caller: Annotated[
            str | None,
            Query(description="The tactic that they are for, as in /retrieve.", max_length=NAME_CHARACTERS),
        ] = None,
    ) -> Any:
        """The premises that fit a proof state, best first."""
        if not query:
            raise Refusal(400, MISSING, "The following parameters are required: query.")
        if "⊢" not in query:
            raise Refusal(400, INVALID, "The 'query' parameter must be a valid Lean proof state")
        count = _count(results)
        library = backend.library(asked, rev)
        if count <= 0:
            return []
        goal = await backend.goal_of(query)
        request = RankRequest(goal, k=min(count, HTTP_PREMISES), caller=caller_of(caller or ""))
        ranked = await backend.work(lambda: library.rank(request))
        return JSONResponse([_match(one.premise, library, rev) for one in ranked])

    return routes


def _count(results: str | None) -> int:
    if results is None:
        return _DEFAULT_RESULTS
    if not _WHOLE.fullmatch(results):
        raise Refusal(400, INVALID, "The 'results' parameter must be a valid number")
    return int(results)


def _match(premise: Premise, library: ServedIndex, revision: str | None) -> dict[str, str]:
    """A `FoundPremise`; built by hand, for it is not checked again."""
    match = {
        "name": premise.name,
        "formal_type": formal_type(premise.statement),
        "module": premise.module,
        "rev": revision or next(iter(library.revisions), ""),
        "kind": premise.kind,
    }
    return {**match, "doc": premise.doc} if premise.doc else match
