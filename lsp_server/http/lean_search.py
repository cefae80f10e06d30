"""LeanSearch's interface: `POST /search`, for `#leansearch`, `#search "…"` and lean-lsp-mcp's `lean_leansearch`."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field, StringConstraints

from lsp_server.engine.engine import Engine
from lsp_server.engine.requests import SearchRequest
from lsp_server.engine.schema_items import PremiseItem
from lsp_server.http.backend import HttpBackend
from lsp_server.http.decoding import JsonRoute
from lsp_server.http.formal_types import formal_type
from lsp_server.limits import HTTP_PREMISES, STATES

_DEFAULT_RESULTS = 6
"""LeanSearchClient's default."""
_Number = int | Annotated[str, StringConstraints(pattern=r"^[0-9]{1,9}$")]
"""lean-lsp-mcp sends it as text."""


class WordsRequest(BaseModel):
    """LeanSearch's request."""

    query: list[str] = Field(
        description="Words of English, a name, a statement or a pattern, each answered by itself.",
        max_length=STATES,
        examples=[["addition is commutative."]],
    )
    num_results: _Number = Field(_DEFAULT_RESULTS, description=f"How many for each, at most {HTTP_PREMISES}.")


class FoundDeclaration(BaseModel):
    """One declaration."""

    name: list[str] = Field(description="The parts of its name, between the dots.")
    module_name: list[str]
    kind: str
    type: str = Field(description="Empty where only the name is known (the bundled index).")
    signature: str = Field(description="The binders, then `: conclusion`.")
    docstring: str = Field(description="The first sentence of its doc string.")
    doc_url: str | None


class Hit(BaseModel):
    """One result."""

    result: FoundDeclaration


def router(backend: HttpBackend) -> APIRouter:
    """The interface over these indexes."""
    routes = APIRouter(tags=["LeanSearch"], route_class=JsonRoute)

    @routes.post("/search")
    async def search(request: WordsRequest, asked: Request) -> list[list[Hit]]:
        """The declarations that fit each query, best first."""
        engine, count = backend.library(asked).engine, min(int(request.num_results), HTTP_PREMISES)
        return [await _hits(backend, engine, query, count) for query in request.query]

    return routes


async def _hits(backend: HttpBackend, engine: Engine, query: str, count: int) -> list[Hit]:
    if count <= 0:
        return []
    asked = SearchRequest(without_stop(query), k=count)
    found = await backend.work(lambda: engine.search(asked))
    return [Hit(result=_declaration(one)) for one in found.premises[:count]]


def without_stop(query: str) -> str:
    """A query without the stop or question mark at its end, which LeanSearchClient demands of every query."""
    bare = query.rstrip()
    return bare[:-1] if bare.endswith((".", "?")) else bare


def _declaration(premise: PremiseItem) -> FoundDeclaration:
    return FoundDeclaration(
        name=premise.name.split("."),
        module_name=premise.module.split("."),
        kind=premise.kind,
        type=formal_type(premise.statement),
        signature=premise.statement,
        docstring=premise.doc,
        doc_url=premise.doc_url,
    )
