"""Lean Finder's interface: `POST /leanfinder`, for lean-lsp-mcp's `lean_leanfinder`.

Its errors are answers with status 200: the client shows those, and hides what comes with another status.
"""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from lean_extract.common.errors import UserError
from lsp_server.engine.requests import SearchRequest
from lsp_server.engine.schema_items import PremiseItem
from lsp_server.http.backend import HttpBackend
from lsp_server.http.decoding import JsonRoute
from lsp_server.http.formal_types import formal_type
from lsp_server.http.problems import Refusal
from lsp_server.limits import HTTP_PREMISES, NAME_CHARACTERS

_DEFAULT_RESULTS = 5
"""lean-lsp-mcp's default."""


class FinderRequest(BaseModel):
    """Lean Finder's request."""

    inputs: str = Field(
        description="Words of English, a name, a statement, or a goal as Lean prints it.",
        examples=["addition is commutative"],
    )
    top_k: int = Field(_DEFAULT_RESULTS, description=f"How many, at most {HTTP_PREMISES}.")
    version: str = Field(
        "",
        description="A revision; the default index answers where it is not indexed, since clients offer three of "
        "their own.",
        max_length=NAME_CHARACTERS,
    )


class FinderResult(BaseModel):
    """One declaration."""

    formal_name: str
    informal_name: str = Field(description="Empty: the index has no names in English.")
    kind: str
    type: str = Field(description="Empty where only the name is known (the bundled index).")
    informal_description: str = Field(description="The first sentence of its doc string.")
    path: str = Field(description="The module that declares it.")


class FinderAnswer(BaseModel):
    """Lean Finder's answer: one of the two fields."""

    results: list[FinderResult] | None = None
    error: str | None = None


def router(backend: HttpBackend) -> APIRouter:
    """The interface; a version that is not indexed means the default index."""
    routes = APIRouter(tags=["Lean Finder"], route_class=JsonRoute)

    @routes.post("/leanfinder", response_model_exclude_none=True)
    async def find(request: FinderRequest, asked: Request) -> FinderAnswer:
        """The declarations that fit a query, best first."""
        try:
            version = request.version if backend.libraries.has(request.version) else None
            engine = backend.library(asked, version).engine
        except Refusal as refusal:
            return FinderAnswer(error=str(refusal))
        count = min(request.top_k, HTTP_PREMISES)
        if count <= 0:
            return FinderAnswer(results=[])
        try:
            found = await backend.work(lambda: engine.search(SearchRequest(request.inputs, k=count)))
        except UserError as error:
            return FinderAnswer(error=str(error))
        return FinderAnswer(results=[_result(one) for one in found.premises])

    return routes


def _result(premise: PremiseItem) -> FinderResult:
    return FinderResult(
        formal_name=premise.name,
        informal_name="",
        kind=premise.kind,
        type=formal_type(premise.statement),
        informal_description=premise.doc,
        path=premise.module,
    )
