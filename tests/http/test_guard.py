"""Who is refused, and with what."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from lean_extract.common.errors import Busy
from lean_extract.common.onnx_runtime import find_cuda
from lsp_server.http.guard import Guard, Rates
from lsp_server.http.policy import Policy
from lsp_server.http.problems import Refusal, register
from lsp_server.limits import HttpLimits
from tests.http.conftest import ADD_COMM, TOKEN, Served


def refused(response: httpx.Response, status: int) -> str:
    """The sentence of a refusal, which has the documented form."""
    assert response.status_code == status, response.text
    body = response.json()
    assert set(body) == {"error", "schema"} and set(body["schema"]) == {"description"}
    return str(body["error"])


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8765", "127.0.0.1.evil.example", "", "localhost.x:1"]
)
def test_another_host_name_is_refused(server: Served, host: str) -> None:
    """DNS rebinding: the page of a site whose name points here sends the site's name."""
    assert "host name" in refused(server.client.get("/healthz", headers={"Host": host}), 403)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:99", "[::1]:80", "[::1]"])
def test_the_loopback_names_are_answered(server: Served, host: str) -> None:
    assert server.client.get("/healthz", headers={"Host": host}).status_code == 200


def test_pages_of_other_sites_are_refused_and_get_no_data(server: Served) -> None:
    for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
        response = server.post("/retrieve", {"state": ADD_COMM, "k": 1}, **headers)
        assert "web sites" in refused(response, 403)
        assert "access-control-allow-origin" not in response.headers
    preflight = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    refused(server.client.options("/retrieve", headers=preflight), 403)
    own = {"Origin": server.url, "Sec-Fetch-Site": "same-origin"}
    assert server.post("/retrieve", {"state": ADD_COMM, "k": 1}, **own).status_code == 200


def test_a_link_from_elsewhere_may_be_followed(server: Served) -> None:
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert server.client.get("/?query=x", headers=headers).status_code == 200
    for site in ("cross-site", "same-site"):
        for path in ("/api/premises?query=x", "/api/search?query=%E2%8A%A2+p", "/docs", "/indexed-premises"):
            response = server.client.get(path, headers={**headers, "Sec-Fetch-Site": site})
            assert "web sites" in refused(response, 403)
    refused(server.client.post("/", headers=headers, json={"tactic_state": ADD_COMM}), 403)


def test_beyond_loopback_a_token_is_asked_for(open_server: Served) -> None:
    client = open_server.client
    for headers in (
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Basic ?"},
        {"Authorization": TOKEN},
    ):
        response = client.get("/max-new-premises", headers=headers)
        assert "token" in refused(response, 401)
        assert response.headers["www-authenticate"].startswith("Basic ")
    assert client.get("/max-new-premises", headers={"Authorization": f"Bearer {TOKEN}"}).json() == 2048
    assert client.get("/max-new-premises", auth=("x", TOKEN)).json() == 2048
    assert client.get("/healthz").status_code == 200


def test_too_many_requests_are_refused_for_a_while(open_server: Served) -> None:
    answers = [open_server.client.get("/healthz") for _ in range(40)]
    late = [one for one in answers if one.status_code != 200]
    assert late
    assert "Too many" in refused(late[0], 429)
    assert int(late[0].headers["retry-after"]) >= 1


def test_a_body_that_is_too_large_is_refused_before_it_is_read(server: Served) -> None:
    """By its length, and where none is given, as soon as it is too long."""
    body = b'{"state": "' + b"x" * (17 << 20) + b'", "k": 1}'
    headers = {"Content-Type": "application/json"}
    assert "too large" in refused(server.client.post("/retrieve", content=body, headers=headers), 413)
    with socket.create_connection((server.client.base_url.host, server.client.base_url.port or 80)) as raw:
        raw.settimeout(60)
        head = "POST /retrieve HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        raw.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        chunk = b"100000\r\n" + b" " * (1 << 20) + b"\r\n"
        try:
            for _ in range(18):
                raw.sendall(chunk)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it has answered and closed
        assert b" 413 " in raw.recv(64)


def test_goals_are_in_no_log(server: Served, server_log: Path) -> None:
    secret = "my_unpublished_hypothesis"
    state = f"{secret} : 1 = 1\n⊢ 2 = 2"
    server.get("/api/search", query=state)
    server.get("/api/search", query=f"{secret} and no goal")
    server.get("/api/premises", query=secret)
    server.retrieve(state=state, k=1)
    server.post("/retrieve", {"state": secret, "k": 1})
    server.post("/retrieve", {"state": {secret: 1}, "k": secret})
    server.client.get(f"/{secret}")
    figures = server.client.get("/metrics").text  # by then, the earlier lines are in the log
    log = server_log.read_text(encoding="utf-8")
    assert "POST /retrieve 200" in log
    assert "GET other 404" in log
    assert secret not in log
    assert secret not in figures


def test_the_figures_count_what_was_asked(server: Served) -> None:
    line = 'premise_suggest_http_requests_total{method="GET",route="/max-new-premises",status="200"}'

    def counted() -> float:
        rows = server.client.get("/metrics").text.splitlines()
        return sum(float(row.rpartition(" ")[2]) for row in rows if row.startswith(line))

    before = counted()
    server.client.get("/max-new-premises")
    assert counted() == before + 1


def test_the_figures_say_where_the_models_run(server: Served) -> None:
    place = "cuda" if find_cuda().is_usable else "cpu"
    assert f'premise_suggest_models_info{{device="{place}"}} 1.0' in server.client.get("/metrics").text


def asked(app: Any, path: str, **options: Any) -> httpx.Response:
    """What an application answers, in this process."""

    async def post() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.post(path, **options)

    return asyncio.run(post())


async def _never(_: Request) -> PlainTextResponse:
    await asyncio.Event().wait()
    return PlainTextResponse("")


def test_guesses_at_the_token_count_as_requests() -> None:
    app = Guard(Starlette(), Policy(TOKEN), HttpLimits(rate=0.001, burst=2.0))
    refused(asked(app, "/", headers={"Authorization": "Bearer a"}), 401)
    refused(asked(app, "/", headers={"Authorization": "Bearer b"}), 401)
    refused(asked(app, "/", headers={"Authorization": "Bearer c"}), 429)


def test_an_answer_that_takes_too_long_is_given_up() -> None:
    app = Guard(Starlette(routes=[Route("/", _never, methods=["POST"])]), Policy(), HttpLimits(seconds=0.05))
    assert "longer than 0.05 s" in refused(asked(app, "/"), 504)


def test_a_body_that_does_not_arrive_is_given_up() -> None:
    app = Guard(Starlette(), Policy(), HttpLimits(seconds=0.05))

    async def body() -> Any:
        yield b"begun"
        await asyncio.Event().wait()

    # ASGITransport waits for `receive` as a real server does, so the guard's own limit has to end it.
    assert "did not arrive" in refused(asked(app, "/", content=body()), 408)


def test_a_busy_server_says_when_to_ask_again() -> None:
    app = FastAPI()
    register(app)

    @app.post("/")
    async def busy() -> None:
        raise Busy("The server is busy.", "Try again.")

    response = asked(app, "/")
    assert "The server is busy." in refused(response, 503)
    assert response.headers["Retry-After"] == "1"


def test_a_rate_allows_a_burst_and_then_so_many_a_second() -> None:
    now = 0.0
    rates = Rates(2.0, 3.0, lambda: now)

    def taken(address: str) -> bool:
        try:
            rates.take(address)
        except Refusal:
            return False
        return True

    assert [taken("a") for _ in range(4)] == [True, True, True, False]
    assert taken("b")
    now = 1.0
    assert [taken("a") for _ in range(3)] == [True, True, False]
