"""A further interface is one module with `router`, and one name in the list."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from lsp_server.engine.engine import Engine
from lsp_server.http.app import INTERFACES, create_app
from lsp_server.http.revisions import Libraries, ServedIndex

ADDED = """
from fastapi import APIRouter
from pydantic import BaseModel

from lsp_server.http.decoding import JsonRoute


class Question(BaseModel):
    state: str


def router(backend):
    routes = APIRouter(route_class=JsonRoute)

    @routes.get("/added")
    async def names() -> list[str]:
        return [library.name for library in backend.libraries.all]

    @routes.post("/added")
    async def target(question: Question) -> str:
        return (await backend.goal_of(question.state)).target

    return routes
"""


@asynccontextmanager
async def served(*interfaces: str) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the application over one index, which no test here opens."""
    app = create_app(Libraries([ServedIndex("the only one", Engine(None), ())]), interfaces=interfaces)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module with an interface."""
    (tmp_path / "added_interface.py").write_text(ADDED, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return "added_interface"


async def test_an_added_interface_is_served_beside_the_others(added: str) -> None:
    async with served(*INTERFACES, added) as client:
        assert (await client.get("/added")).json() == ["the only one"]
        answer = await client.post("/added", json={"state": "n : Nat\n⊢ Eq n n"})
        assert (answer.status_code, answer.json()) == (200, "n = n")
        refused = await client.post("/added", content=b'{"state": "\\u0000"}')
        assert (refused.status_code, "control characters" in refused.json()["error"]) == (400, True)
        assert "/added" in (await client.get("/openapi.json")).json()["paths"]
        assert (await client.get("/max-new-premises")).status_code == 200


async def test_what_is_not_listed_is_not_served(added: str) -> None:
    async with served(*INTERFACES) as client:
        assert (await client.get("/added")).status_code == 404
