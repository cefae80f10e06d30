"""What goes to the client: all of it in order, none of it for ever, and no more held than the limit."""

from __future__ import annotations

import os
import socket
from io import FileIO
from threading import Event

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from lsp_server.protocol import json_rpc
from lsp_server.protocol.client_writer import ClientWriter
from lsp_server.serving.features import create_server
from tests.forked import program
from tests.hostile.raw_client import RawClient


@pytest.mark.parametrize("waits", [True, False])
def test_what_is_written_comes_in_order(waits: bool) -> None:
    ours, theirs = os.pipe()
    os.set_blocking(theirs, waits)
    writer = ClientWriter(FileIO(theirs, "wb"), lambda: None)
    sent = b"".join(b"%d " % number * 1000 for number in range(300))
    for start in range(0, len(sent), 5000):
        writer.write(sent[start : start + 5000])
    with open(ours, "rb") as stream:
        assert stream.read(len(sent)) == sent
        writer.close()
        writer.write(b"too late")
        assert stream.read() == b""


def test_a_pipe_that_nobody_reads_is_given_up() -> None:
    ours, theirs = os.pipe()
    stuck = Event()
    writer = ClientWriter(FileIO(theirs, "wb"), stuck.set, most=1000)
    writer.write(b"x" * (1 << 17))  # more than a pipe holds
    assert stuck.is_set()
    writer.write(b"y")
    writer.close()
    os.close(ours)


async def test_a_client_that_never_answers_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_rpc, "CLIENT_ANSWER_SECONDS", 0.01)
    server = create_server({})
    with pytest.raises(JsonRpcException, match="did not answer workspace/configuration"):
        await server.workspace_configuration_async(types.ConfigurationParams([]))


def test_a_port_that_is_sent_nonsense_is_left(bare_environment: dict[str, str]) -> None:
    server = RawClient(bare_environment, command=[program(), "serve", "--tcp", "0"])
    port = int(server.line().rsplit(":", 1)[1])
    with socket.create_connection(("127.0.0.1", port), timeout=20) as stream:
        stream.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert server.wait() == 1
        assert b"window/showMessage" in stream.recv(10_000)
    assert "does not have one Content-Length: 'GET / HTTP/1.1" in server.said.decode()
    server.close()
