"""The application: all interfaces on one port, after the guard, with metrics around everything.

To add an interface, write one module with `router` and add it to `INTERFACES`.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Protocol, cast

from fastapi import APIRouter, FastAPI
from pydantic import BaseModel

from lsp_server import __version__
from lsp_server.engine.tasks import Gate
from lsp_server.http.backend import HttpBackend
from lsp_server.http.chosen import Chosen
from lsp_server.http.decoding import JsonRoute
from lsp_server.http.guard import Guard
from lsp_server.http.metrics import Measured, Metrics
from lsp_server.http.policy import Policy
from lsp_server.http.problems import RESPONSES, register
from lsp_server.http.revisions import Libraries
from lsp_server.limits import HttpLimits

_ABOUT = (
    "Premises for a Lean 4 goal, and search in words and by pattern, from indexes on this machine. The interfaces of "
    "LeanStateSearch, LeanPremise, LeanSearch, Loogle, Lean Finder and two tactic generators, OpenAI's for our own "
    "models, and a search page."
)


INTERFACES = (
    "lsp_server.http.state_search",
    "lsp_server.http.lean_search",
    "lsp_server.http.loogle",
    "lsp_server.http.lean_finder",
    "lsp_server.http.premise_retrieval",
    "lsp_server.http.tactic_servers",
    "lsp_server.http.openai_models",
    "lsp_server.http.search_page",
)
"""The modules of the interfaces."""


class _Interface(Protocol):
    """What an interface's module provides."""

    def router(self, backend: HttpBackend) -> APIRouter:
        """The interface's routes, those that take a JSON body of the class `JsonRoute`."""
        ...


class Health(BaseModel):
    """The answer of the health check."""

    status: str
    version: str


def create_app(
    libraries: Libraries,
    policy: Policy | None = None,
    limits: HttpLimits | None = None,
    *,
    log_goals: bool = False,
    interfaces: Sequence[str] = INTERFACES,
) -> FastAPI:
    """The application over these indexes; it closes them when it ends."""
    limits, policy = limits or HttpLimits(), policy or Policy()
    metrics = Metrics()
    metrics.runs_on(libraries.place)
    gate = Gate(limits.workers, limits.waiting, metrics.admitted.set)
    backend = HttpBackend(libraries, gate, limits, policy)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        watching = asyncio.create_task(libraries.watch())
        yield
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching
        await libraries.close()

    app = FastAPI(
        title="premise-suggest",
        description=_ABOUT,
        version=__version__,
        docs_url=None,  # its page would load scripts from elsewhere
        redoc_url=None,
        responses=RESPONSES,
        lifespan=lifespan,
    )
    register(app)
    served = [cast(_Interface, importlib.import_module(name)).router(backend) for name in interfaces]
    for routes in (*served, metrics.router(), _health()):
        app.include_router(routes)
    app.add_middleware(Guard, policy=policy, limits=limits, bodies=_bodies(served, limits))
    app.add_middleware(Chosen)
    app.add_middleware(Measured, metrics=metrics, log_goals=log_goals)
    return app


def _bodies(served: Sequence[APIRouter], limits: HttpLimits) -> dict[str, int]:
    """The largest JSON body, in bytes, of each path that takes one."""
    every = [route for routes in served for route in routes.routes if isinstance(route, JsonRoute)]
    routes = [route for route in every if "POST" in (route.methods or ())]
    return {route.path: route.most_bytes(limits) for route in routes}


def _health() -> APIRouter:
    routes = APIRouter(tags=["Operation"])

    @routes.get("/healthz")
    async def healthz() -> Health:
        """The health check; it needs no token."""
        return Health(status="ok", version=__version__)

    return routes
