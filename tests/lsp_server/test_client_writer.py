"""What goes to the client: all of it in order, none of it for ever, and no more held than the limit."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Iterator
from io import FileIO
from threading import Event

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from lsp_server.engine.settings import Settings
from lsp_server.protocol import json_rpc
from lsp_server.protocol.client_writer import PipeWriter, SocketWriter
from lsp_server.serving.features import create_server
from tests.hostile.raw_client import SCRIPT, RawClient


@pytest.fixture
def pipe() -> Iterator[tuple[int, PipeWriter]]:
    """A pipe's reading end, and a writer for the other that holds 1,000 bytes."""
    ours, theirs = os.pipe()
    yield ours, PipeWriter(FileIO(theirs, "wb"), most=1000)
    os.close(ours)


@pytest.mark.parametrize("waits", [True, False])
def test_what_is_written_comes_in_order(waits: bool) -> None:
    ours, theirs = os.pipe()
    os.set_blocking(theirs, waits)
    writer = PipeWriter(FileIO(theirs, "wb"))
    sent = b"".join(b"%d " % number * 1000 for number in range(300))
    for start in range(0, len(sent), 5000):
        writer.write(sent[start : start + 5000])
    with open(ours, "rb") as stream:
        assert stream.read(len(sent)) == sent
        writer.close()
        writer.write(b"too late")
        assert stream.read() == b""


def test_a_pipe_that_nobody_reads_is_given_up(pipe: tuple[int, PipeWriter]) -> None:
    _, writer = pipe
    stuck = Event()
    writer.on_stuck = stuck.set
    writer.write(b"x" * (1 << 17))  # more than a pipe holds
    assert writer.is_stuck and stuck.is_set()
    writer.write(b"y")
    writer.close()


async def test_a_socket_that_nobody_reads_is_given_up() -> None:
    ours, theirs = socket.socketpair()
    _, stream = await asyncio.open_connection(sock=theirs)
    writer = SocketWriter(stream, most=1000)
    stuck = asyncio.Event()
    writer.on_stuck = stuck.set
    writer.write(b"x" * (1 << 22))
    assert writer.is_stuck and stuck.is_set()
    writer.write(b"y")
    ours.close()


async def test_a_client_that_never_answers_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_rpc, "ANSWER_SECONDS", 0.01)
    server = create_server(Settings())
    with pytest.raises(JsonRpcException, match="did not answer workspace/configuration"):
        await server.workspace_configuration_async(types.ConfigurationParams([]))


def test_a_port_that_is_sent_nonsense_is_left(bare_environment: dict[str, str]) -> None:
    server = RawClient(bare_environment, command=[str(SCRIPT), "serve", "--tcp", "0"])
    port = int(server.line().rsplit(":", 1)[1])
    with socket.create_connection(("127.0.0.1", port), timeout=20) as stream:
        stream.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert server.wait() == 1
        assert b"window/showMessage" in stream.recv(10_000)
    assert "no colon: 'GET / HTTP/1.1'. The server is shutting down." in server.said.decode()
    server.close()
