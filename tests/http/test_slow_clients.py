"""Clients that send or read slowly, or not at all, or open very many connections."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from lsp_server.http.addresses import party
from lsp_server.http.connections import head_of, is_too_long
from lsp_server.http.guard import Guard, Policy
from lsp_server.http.limits import HttpLimits
from lsp_server.http.serving import HttpServer, listen, server_of
from tests.hostile.http_clients import Ask, ask, half_open
from tests.http.conftest import TOKEN, serving

GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
LARGE = b"x" * (64 << 20)
PATIENCE = 30


class Small:
    """A server in this process, with a page, a large one, and one that is never answered."""

    def __init__(self, limits: HttpLimits, policy: Policy | None = None) -> None:
        self.asked, self.given_up = asyncio.Event(), asyncio.Event()
        routes = [
            Route("/", self._page),
            Route("/large", self._large),
            Route("/never", self._never),
        ]
        bodies = {"/": limits.state_bytes}
        app = Guard(Starlette(routes=routes), policy or Policy(), limits, bodies=bodies)
        self.listener = listen("127.0.0.1", 0)
        self.server: HttpServer = server_of(app, limits, lambda: None)

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
    async def start(policy: Policy | None = None, **limits: Any) -> AsyncIterator[Small]:
        made = Small(HttpLimits(**limits), policy)
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


async def heard(reader: asyncio.StreamReader) -> bytes:
    """All that comes until the server closes, which it has to."""
    with contextlib.suppress(ConnectionResetError):
        return await asyncio.wait_for(reader.read(), PATIENCE)
    return b""


async def test_a_head_that_does_not_end_is_given_up(small: Starter) -> None:
    async with small(head_seconds=0.2) as server:
        reader, _ = await server.client(GET)
        said = await heard(reader)
        assert said.startswith(b"HTTP/1.1 408 ") and b"did not arrive in time" in said


async def test_a_head_that_comes_line_by_line_is_given_up(small: Starter) -> None:
    """Each line is in time, all of them are not."""
    async with small(head_seconds=0.2) as server:
        reader, writer = await server.client(GET)
        closed = asyncio.create_task(heard(reader))
        while not closed.done():
            with contextlib.suppress(ConnectionError):
                writer.write(b"a: b\r\n")
                await writer.drain()
            await asyncio.wait((closed,), timeout=0.05)
        assert b" 200 " not in await closed  # what it says may be lost, for more is on its way


async def test_a_second_head_has_no_more_time(small: Starter) -> None:
    async with small(head_seconds=0.2) as server:
        reader, writer = await server.client(GET + b"\r\n")
        assert (await reader.readuntil(b"page")).startswith(b"HTTP/1.1 200 ")
        writer.write(GET)
        assert b" 408 " in await heard(reader)


async def test_a_client_that_says_nothing_is_told_nothing(small: Starter) -> None:
    async with small(head_seconds=0.2) as server:
        reader, _ = await server.client()
        assert await heard(reader) == b""


async def test_a_body_that_nobody_reads_is_not_awaited(small: Starter) -> None:
    """The answer was given after the head; what follows must not keep the connection open."""
    async with small(Policy(TOKEN), head_seconds=0.2) as server:
        reader, writer = await server.client(GET.replace(b"GET", b"POST") + b"Content-Length: 60000\r\n\r\n")
        assert b" 401 " in await reader.readline()
        closed = asyncio.create_task(heard(reader))
        while not closed.done():
            with contextlib.suppress(ConnectionError):
                writer.write(b"x")
                await writer.drain()
            await asyncio.wait((closed,), timeout=0.05)


async def test_who_waits_longest_makes_room(small: Starter) -> None:
    async with small(connections=3) as server:
        waiting = [await server.client(GET) for _ in range(3)]
        while len(server.server.server_state.connections) < 3:
            await asyncio.sleep(0)
        assert b" 200 " in await server.asks()
        assert await heard(waiting[0][0]) == b""
        assert not waiting[1][0].at_eof()


async def test_where_all_are_at_work_the_newest_is_refused(small: Starter) -> None:
    for limits in ({"connections": 1}, {"connections_each": 1}):
        async with small(**limits) as server:
            busy, _writer = await server.client(GET.replace(b"/ ", b"/never ") + b"\r\n")
            await asyncio.wait_for(server.asked.wait(), PATIENCE)
            newest, _other = await server.client()
            said = await heard(newest)
            assert not busy.at_eof()
            assert said.startswith(b"HTTP/1.1 503 ") and b"Too many connections" in said


async def test_a_client_that_does_not_read_holds_little_and_not_for_long(small: Starter) -> None:
    async with small(write_seconds=0.3) as server:
        with socket.create_connection(server.listener.getsockname()) as deaf:
            deaf.sendall(GET.replace(b"/ ", b"/large ") + b"\r\n")
            connections = server.server.server_state.connections
            most = 0
            async with asyncio.timeout(PATIENCE):
                while not most or connections:
                    await asyncio.sleep(0)
                    most = max([most, *(one.transport.get_write_buffer_size() for one in connections)])
        assert most < 1 << 20


async def test_a_client_that_reads_slowly_gets_all(small: Starter) -> None:
    async with small(write_seconds=PATIENCE, seconds=0.5) as server:
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
        assert b" 431 " in await server.asks(GET + b"a: b\r\n" * 1000)
        assert b" 431 " in await server.asks(GET + b"\r\n" + GET + b"a: b\r\n" * 1000)
        for fields in (b"a: " + b"b" * 100_000 + b"\r\n", b"a: b\r\n b\r\n" * 20_000):
            reader, _writer = await server.client(GET + fields + b"\r\n")
            assert b" 200 " not in await heard(reader)  # it may close while still more comes


def test_the_first_line_of_a_head_may_be_long() -> None:
    line = b"GET /?query=" + b"x" * 400_000
    assert not is_too_long(head_of(line))
    assert not is_too_long(head_of(line + b" HTTP/1.1\r\na: b\r\n\r\n" + b"\n" * 10_000))


async def test_too_many_large_bodies_at_once_are_refused(small: Starter) -> None:
    async with small(held_bytes=100_000, state_bytes=1 << 20) as server:
        head = GET.replace(b"GET", b"POST") + b"Content-Length: 90001\r\n\r\n"
        both = [await server.client(head + b"x" * 90_000) for _ in range(2)]
        waiting = [asyncio.create_task(heard(reader)) for reader, _ in both]
        done, others = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        assert [b" 503 " in one.result() for one in done] == [True] and len(others) == 1
        for one in others:
            one.cancel()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit of open files there")
def test_400_slow_clients_stop_nothing_and_fill_no_log(
    environment: dict[str, str], library: Path, tmp_path: Path
) -> None:
    """With 256 files for the server: it has to refuse before it runs out of them."""
    log = tmp_path / "stderr"
    options = ("--project", library)
    with (
        serving(environment, *options, errors=log, open_files=256) as server,
        half_open(server.url, 400) as opened,
    ):
        assert len(opened) > 300
        assert [ask(server.url, Ask("", "GET", "/healthz"), 10) for _ in range(20)] == [200] * 20
    assert log.stat().st_size < 10_000


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
    assert party(address) == same
