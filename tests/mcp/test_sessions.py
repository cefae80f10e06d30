"""Many agents on one server over HTTP: sessions that nobody closes, and one Lean for a project."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from lsp_server.engine.settings import Settings
from lsp_server.http.policy import Policy
from lsp_server.http.serving import limits_for, listen, policy_for, server_of
from lsp_server.mcp.offer import Offer
from lsp_server.mcp.over_http import PATH, create_app
from lsp_server.mcp.server import create_server
from lsp_server.mcp.workspace import Workspace as Served
from tests.lsp_server.conftest import descendants
from tests.mcp.conftest import FAR_AWAY, TOKEN, Workplace, over_http
from tests.mcp.test_stdio import CLIENT, request

pytestmark = pytest.mark.lean
HELLO = json.loads(request(1, "initialize", **CLIENT))
HEADERS = {"Accept": "application/json, text/event-stream", "Authorization": f"Bearer {TOKEN}"}


@asynccontextmanager
async def serving(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch, **bounds: float
) -> AsyncIterator[str]:
    """The address of a server in this process, with these bounds on its sessions."""
    for name, value in workplace.environment.items():
        monkeypatch.setenv(name, value)
    policy: Policy = policy_for("127.0.0.1", TOKEN)
    limits = limits_for(policy, None)
    served = Served([workplace.root], lambda root: Settings())
    app = create_app(create_server(served, Offer()), policy, limits, **bounds)  # type: ignore[arg-type]
    started = asyncio.Event()
    with listen("127.0.0.1", 0) as listener:
        server = server_of(app, limits, started.set)
        running = asyncio.create_task(server.serve([listener]))
        await started.wait()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}{PATH}"
        finally:
            server.should_exit = True
            await running


async def test_sessions_that_are_never_closed_are_bounded(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(workplace, monkeypatch, most=2) as url, httpx.AsyncClient(headers=HEADERS) as client:
        answers = [await client.post(url, json=HELLO) for _ in range(3)]
        known = {**HEADERS, "mcp-session-id": answers[0].headers["mcp-session-id"]}
        ping = await client.post(url, json={"jsonrpc": "2.0", "id": 2, "method": "ping"}, headers=known)
    assert [one.status_code for one in answers] == [200, 200, 503]
    assert "Too many open sessions" in answers[2].text
    assert ping.status_code == 200  # those that are open go on


async def test_a_session_without_requests_makes_room_for_another(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    bounds = {"most": 1, "idle_seconds": 0.2}
    async with serving(workplace, monkeypatch, **bounds) as url, httpx.AsyncClient(headers=HEADERS) as client:
        first = await client.post(url, json=HELLO)
        async with asyncio.timeout(60):
            while (second := await client.post(url, json=HELLO)).status_code == 503:
                pass
        gone = {**HEADERS, "mcp-session-id": first.headers["mcp-session-id"]}
        ping = await client.post(url, json={"jsonrpc": "2.0", "id": 2, "method": "ping"}, headers=gone)
    assert (first.status_code, second.status_code, ping.status_code) == (200, 200, 404)


async def test_agents_share_one_lean_for_a_project(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = [{"file": FAR_AWAY, "line": 11}, {"file": "Unfinished/SeveralGoals.lean", "line": 15}]
    async with (
        serving(workplace, monkeypatch) as url,
        over_http(url) as one,
        over_http(url) as other,
    ):
        calls = [
            client.call_tool("suggest", {**place, "k": 1, "tactics": False})
            for client in (one, other)
            for place in places
        ]
        answers = await asyncio.gather(*calls)
        commands = [
            Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0") for pid in descendants(os.getpid())
        ]
    assert not any(answer.is_error for answer in answers)
    assert answers[0].content[0].text == answers[2].content[0].text != answers[1].content[0].text
    assert [b"--server" in command for command in commands].count(True) == 1, commands
