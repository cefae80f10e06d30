"""The search page and its requests: a goal or words in, premises out."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, Field

from lean_extract.common.errors import IndexMissing
from lean_extract.records import Position
from lsp_server.engine.collections import OpenCollections, answer, list_collections
from lsp_server.engine.documented_json import to_json
from lsp_server.engine.requests import SearchRequest
from lsp_server.engine.schema import CollectionAnswer, DeclarationAnswer, SearchAnswer, UsesAnswer
from lsp_server.engine.schema_files.json_schema import inlined
from lsp_server.engine.schema_items import QueryKind
from lsp_server.http.backend import HttpBackend
from lsp_server.http.chosen import chosen_in
from lsp_server.http.policy import may_see_paths
from lsp_server.http.problems import Refusal
from lsp_server.limits import HTTP_PREMISES, NAME_CHARACTERS, QUERY_CHARACTERS
from prover.verify import GoalPosition
from retriever.search.backends import find_backend
from retriever.search.collections.manifest import CollectionManifest

log = logging.getLogger("premise_suggest.http")

_PAGES = {
    "/": ("index.html", "text/html"),
    "/docs": ("docs.html", "text/html"),
    "/static/search.js": ("search.js", "text/javascript"),
    "/static/elements.js": ("elements.js", "text/javascript"),
    "/static/results.js": ("results.js", "text/javascript"),
    "/static/docs.js": ("docs.js", "text/javascript"),
    "/static/page.css": ("page.css", "text/css"),
    "/static/icon.svg": ("icon.svg", "image/svg+xml"),
}
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",
}
_Name = Annotated[str, Query(description="Its name, as answers list it.", max_length=NAME_CHARACTERS)]
_Module = Annotated[str, Query(description="Its module, where several have it.", max_length=NAME_CHARACTERS)]
_Revision = Annotated[str | None, Query(description="A revision that is indexed.")]


class ServedIndex(BaseModel):
    """One index."""

    name: str
    revisions: list[str] = Field(description="What `rev` may be for it.")


class ServedCollection(BaseModel):
    """One collection of a backend other than Lean."""

    name: str
    backend: str
    about: str = Field(description="What is found in it.")
    documents: int


def router(backend: HttpBackend) -> APIRouter:
    """The page and its requests."""
    routes = _questions(backend)
    routes.include_router(_declarations(backend))
    routes.include_router(_pages())
    return routes


def _questions(backend: HttpBackend) -> APIRouter:
    """The requests of the page."""
    routes = APIRouter(tags=["Search"])
    opened = OpenCollections(backend.libraries.default.engine.settings.models.device)

    @routes.get("/api/premises", response_model=dict[str, Any], responses=_answers_with(SearchAnswer))
    async def premises(
        asked: Request,
        query: Annotated[
            str,
            Query(
                description="A goal (with `⊢`), a name or a part of one, words, or a pattern (`_ * _ ≤ _`).",
                max_length=QUERY_CHARACTERS,
            ),
        ],
        k: Annotated[int, Query(description="How many, from 1 to 1,000.")] = 32,
        reading: Annotated[
            QueryKind | None, Query(alias="as", description="How to read the query. Without it: as it looks.")
        ] = None,
        module: Annotated[
            str,
            Query(
                description="Only from these modules and those below them: names, separated by spaces.",
                max_length=QUERY_CHARACTERS,
            ),
        ] = "",
        imports: Annotated[
            str,
            Query(
                description="The imports of a file, separated by spaces: they decide what is in scope.",
                max_length=QUERY_CHARACTERS,
            ),
        ] = "",
        in_scope: Annotated[bool, Query(description="Only what these imports reach.")] = False,
        explain: Annotated[bool, Query(description="Say what each score comes from, for a goal.")] = False,
        rev: _Revision = None,
    ) -> Any:
        """Premises for a goal or for text: the object SearchAnswer of docs/json.md."""
        library = backend.library(asked, rev)
        request = SearchRequest(
            query=query,
            k=max(1, min(k, HTTP_PREMISES)),
            reading=reading,
            position=_importing(_names_in(imports)),
            modules=_names_in(module),
            in_scope=in_scope,
            explain=explain,
        )
        return to_json(await backend.work(lambda: library.engine.search(request)))

    @routes.get("/api/revisions")
    async def revisions() -> list[ServedIndex]:
        """The indexes that are served; the first is the default."""
        return [
            ServedIndex(name=library.name, revisions=list(library.revisions))
            for library in backend.libraries.all
        ]

    @routes.get("/api/collections")
    async def collections() -> list[ServedCollection]:
        """The collections of other backends that are indexed on this machine and can be searched here."""
        return await backend.work(lambda: asyncio.to_thread(_all_served))

    @routes.get(
        "/api/collections/{backend_name}/{name}",
        response_model=dict[str, Any],
        responses=_answers_with(CollectionAnswer),
    )
    async def documents(
        backend_name: str,
        name: str,
        query: Annotated[
            str, Query(description="A statement in words and LaTeX.", max_length=QUERY_CHARACTERS)
        ],
        k: Annotated[int, Query(description="How many, from 1 to 1,000.")] = 32,
    ) -> Any:
        """Documents of a collection: the object CollectionAnswer of docs/json.md."""

        async def job() -> CollectionAnswer:
            try:
                found = await asyncio.to_thread(opened.get, backend_name, name)
            except IndexMissing as error:  # as for an unknown revision: it does not exist here
                raise Refusal(400, error.message, error.hint) from error
            return await asyncio.to_thread(answer, found, query, max(1, min(k, HTTP_PREMISES)))

        return to_json(await backend.work(job))

    return routes


def _declarations(backend: HttpBackend) -> APIRouter:
    """What the page shows of one result."""
    routes = APIRouter()

    @routes.get("/api/declaration", response_model=dict[str, Any], responses=_answers_with(DeclarationAnswer))
    async def declaration(
        request: Request,
        name: _Name,
        module: _Module = "",
        rev: _Revision = None,
    ) -> Any:
        """One declaration with its text: the object DeclarationAnswer of docs/json.md.

        `path` is null except for programs on this machine, where the server has no token.
        """
        library = backend.library(request, rev)
        found = await backend.work(lambda: library.engine.describe(name, module or None))
        return to_json(found if _shows_paths(request, backend) else replace(found, path=None))

    @routes.get("/api/uses", response_model=dict[str, Any], responses=_answers_with(UsesAnswer))
    async def uses(
        request: Request,
        name: _Name,
        module: _Module = "",
        k: Annotated[int, Query(description="How many of each list, from 1 to 1,000.")] = 32,
        rev: _Revision = None,
    ) -> Any:
        """Which proofs use a declaration, and what its own proof uses: the object UsesAnswer of docs/json.md.

        Each `path` is null except for programs on this machine, where the server has no token.
        """
        library = backend.libraries.find(rev)
        wanted = max(1, min(k, HTTP_PREMISES))
        found = await backend.work(lambda: library.engine.uses(name, module or None, wanted))
        if not _shows_paths(request, backend):
            bare = [[replace(one, path=None) for one in some] for some in (found.used_by, found.uses)]
            found = replace(found, used_by=bare[0], uses=bare[1])
        return to_json(found)

    return routes


def _shows_paths(request: Request, backend: HttpBackend) -> bool:
    """Whether a client may learn where files are."""
    address = request.client.host if request.client else ""
    return may_see_paths(request.headers, address, backend.policy)


def _answers_with(cls: type) -> dict[int | str, dict[str, Any]]:
    """The OpenAPI description of a route that answers with an object of docs/json.md."""
    return {200: {"content": {"application/json": {"schema": inlined(cls)}}}}


def _all_served() -> list[ServedCollection]:
    listed = [_served(one) for one in list_collections()[0]]
    return [one for one in listed if one is not None]


def _served(one: CollectionManifest) -> ServedCollection | None:
    """One collection; None if this server cannot load its backend."""
    try:
        about = find_backend(one.backend).about
    except Exception as error:  # noqa: BLE001 - a package of somebody else may raise anything
        log.warning("The collection %s of the backend %s is left out: %s", one.name, one.backend, error)
        return None
    return ServedCollection(name=one.name, backend=one.backend, about=about, documents=one.documents)


def _pages() -> APIRouter:
    """The page itself, from files of this package only."""
    routes = APIRouter()
    for path, (name, kind) in _PAGES.items():
        content = files("lsp_server.http").joinpath("static", name).read_bytes()
        routes.add_api_route(path, _serve(content, kind), include_in_schema=False, methods=["GET", "HEAD"])
    return routes


def _serve(content: bytes, kind: str) -> Any:
    async def page(asked: Request) -> Response:
        if name := chosen_in(asked.scope):
            return RedirectResponse(f"{asked.url.path}?{urlencode({'rev': name})}")
        return Response(content, media_type=kind, headers=_HEADERS)

    return page


def _names_in(text: str) -> tuple[str, ...]:
    """The names that spaces or commas separate."""
    return tuple(text.replace(",", " ").split())


def _importing(modules: tuple[str, ...]) -> GoalPosition | None:
    """The position at the end of a file that imports these modules; None if there are none."""
    if not modules:
        return None
    text = "".join(f"import {name}\n" for name in modules)
    return GoalPosition(Path("Search.lean"), f"{text}\n", Position(len(modules) + 1, 0))
