"""Clients that read slowly, leave, or send very many header lines."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from lsp_server.http.guard import Guard, client_key
from lsp_server.http.policy import Policy
from lsp_server.http.serving import HttpServer, listen, server_of
from lsp_server.limits import HttpLimits

GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
LARGE = b"x" * (64 << 20)
PATIENCE = 30


class Small:
    """A server in this process, with a page, a large one, and one that is never answered."""

    def __init__(self, limits: HttpLimits) -> None:
        self.asked, self.given_up = asyncio.Event(), asyncio.Event()
        pages = {"/": self._page, "/large": self._large, "/never": self._never}
        app = Starlette(routes=[Route(path, page) for path, page in pages.items()])
        self.listener = listen("127.0.0.1", 0)
        self.server: HttpServer = server_of(Guard(app, Policy(), limits), limits, lambda: None)

    async def _page(self, _: Request) -> Response:
        return PlainTextResponse("page")

    async def _large(self, _: Request) -> Response:
        return Response(LARGE)

    async def _never(self, _: Request) -> Response:
        self.asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.given_up.set()
        return PlainTextResponse("")

    async def client(self, first: bytes = b"") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection on which something was sent."""
        reader, writer = await asyncio.open_connection(*self.listener.getsockname(), limit=1 << 16)
        writer.write(first)
        return reader, writer

    async def asks(self, head: bytes = GET) -> bytes:
        """What a client hears until the server closes."""
        reader, writer = await self.client(head + b"Connection: close\r\n\r\n")
        said = await asyncio.wait_for(reader.read(), PATIENCE)
        writer.close()
        return said


Starter = Callable[..., Any]


@pytest.fixture
def small() -> Starter:
    @contextlib.asynccontextmanager
    async def start(**limits: Any) -> AsyncIterator[Small]:
        made = Small(HttpLimits(**limits))
        running = asyncio.create_task(made.server.serve([made.listener]))
        while not made.server.started:
            await asyncio.sleep(0)
        try:
            yield made
        finally:
            made.server.should_exit = True
            for one in list(made.server.server_state.connections):
                one.transport.abort()
            await running

    return start


async def test_a_client_that_reads_slowly_gets_all(small: Starter) -> None:
    async with small(seconds=0.5) as server:
        said = await server.asks(GET.replace(b"/ ", b"/large "))
        assert said.endswith(LARGE[:1000]) and len(said) > len(LARGE)


async def test_answers_are_sent_at_once(small: Starter) -> None:
    """Not held back until the client has acknowledged the part before."""
    async with small() as server:
        _reader, _writer = await server.client(GET)
        while not server.server.server_state.connections:
            await asyncio.sleep(0)
        [one] = server.server.server_state.connections
        opened = one.transport.get_extra_info("socket")
        assert opened.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


async def test_work_for_a_client_that_has_left_ends(small: Starter) -> None:
    async with small() as server:
        _, writer = await server.client(GET.replace(b"/ ", b"/never ") + b"\r\n")
        await asyncio.wait_for(server.asked.wait(), PATIENCE)
        writer.close()
        await asyncio.wait_for(server.given_up.wait(), PATIENCE)


async def test_half_a_body_is_not_worked_on(small: Starter) -> None:
    async with small() as server:
        head = GET.replace(b"/ ", b"/never ") + b"Content-Length: 10\r\n\r\nhalf"
        _, writer = await server.client(head)
        while not server.server.server_state.tasks:
            await asyncio.sleep(0)
        writer.close()
        while server.server.server_state.tasks:
            await asyncio.sleep(0)
        assert not server.asked.is_set()


async def test_too_many_header_lines_are_refused(small: Starter) -> None:
    async with small() as server:
        assert b" 200 " in await server.asks(GET + b"a: b\r\n" * 90)
        for fields in (b"a: b\r\n" * 1000, b"a: " + b"b" * 100_000 + b"\r\n"):
            assert b" 431 " in await server.asks(GET + fields)
        assert b" 200 " in await server.asks(b"GET /?query=" + b"x" * 400_000 + GET[5:])


@pytest.mark.parametrize(
    ("address", "same"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
    ],
)
def test_one_household_is_one_client(address: str, same: str) -> None:
    assert client_key(address) == same
