"""The application: every interface on one port, the guard before them, the figures around all."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import APIRouter, FastAPI
from pydantic import BaseModel

from lsp_server import __version__
from lsp_server.http import premise_retrieval, search_page, state_search, tactic_servers
from lsp_server.http.backend import HttpBackend
from lsp_server.http.gate import Gate
from lsp_server.http.guard import Guard, Policy
from lsp_server.http.limits import HttpLimits
from lsp_server.http.metrics import Measured, Metrics
from lsp_server.http.problems import RESPONSES, register
from lsp_server.http.revisions import Libraries

_ABOUT = (
    "Premises for a Lean 4 goal, from indexes on this machine. LeanStateSearch's and LeanPremise's "
    "interfaces, those of two tactic generators, and a search page."
)


class Health(BaseModel):
    """That the server answers."""

    status: str
    version: str


def create_app(
    libraries: Libraries,
    policy: Policy | None = None,
    limits: HttpLimits | None = None,
    *,
    log_goals: bool = False,
) -> FastAPI:
    """The application over these indexes; it closes them when it ends."""
    limits = limits or HttpLimits()
    backend = HttpBackend(libraries, Gate(limits.workers, limits.waiting), limits)
    metrics = Metrics()
    metrics.watch(backend.gate)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await libraries.close()

    app = FastAPI(
        title="premise-suggest",
        description=_ABOUT,
        version=__version__,
        docs_url=None,  # its page would fetch scripts from elsewhere
        redoc_url=None,
        responses=RESPONSES,
        lifespan=lifespan,
    )
    register(app)
    for routes in (
        state_search.router(backend),
        premise_retrieval.router(backend),
        tactic_servers.router(backend),
        search_page.router(backend),
        search_page.pages(),
        metrics.router(),
        _health(),
    ):
        app.include_router(routes)
    app.add_middleware(Guard, policy=policy or Policy(), limits=limits)
    app.add_middleware(Measured, metrics=metrics, log_goals=log_goals)
    return app


def _health() -> APIRouter:
    routes = APIRouter(tags=["Operation"])

    @routes.get("/healthz")
    async def healthz() -> Health:
        """Whether the server answers; no token is asked for."""
        return Health(status="ok", version=__version__)

    return routes
