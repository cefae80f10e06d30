"""How messages are parted on a stream, whatever its pieces; one that cannot be read ends the server."""

from __future__ import annotations

import re
import signal
import subprocess
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.limits import LSP_HEADER_BYTES, LSP_MESSAGE_BYTES
from lsp_server.protocol.framing import BadFrame, read_message
from tests.forked import SCRIPT
from tests.hostile.raw_client import EDIT, RawClient, encoded, frame, request
from tests.lsp_server.wire import PARSE_ERROR, code


def taken(stream: bytes) -> list[bytes]:
    source = BytesIO(stream)
    return list(iter(lambda: read_message(source), None))


@given(st.lists(st.binary(max_size=30)))
def test_messages_are_parted(bodies: list[bytes]) -> None:
    assert taken(b"".join(map(frame, bodies))) == bodies


@given(
    st.binary(max_size=200)
    | st.lists(st.sampled_from([b"Content-Length: 2", b"\r\n", b"\n", b"{}", b"a: b"])).map(b"".join)
)
def test_any_stream_is_read_or_refused(stream: bytes) -> None:
    try:
        bodies = taken(stream)
    except BadFrame as bad:
        assert re.fullmatch(r"[ -~…]+\.", str(bad))
    else:
        assert sum(map(len, bodies)) <= len(stream)


@pytest.mark.parametrize(
    "header",
    [
        b"content-length:2",
        b"Content-Length: 2 \r\nContent-Type: application/vscode-jsonrpc; charset=utf-8",
        b"X-Other: " + b"x" * 1000 + b"\r\nContent-Length: 02",
    ],
    ids=lambda header: header[:30],
)
def test_headers_as_they_may_be(header: bytes) -> None:
    assert taken(header + b"\r\n\r\n{}") == [b"{}"]


BAD = {
    "negative": b"Content-Length: -1\r\n\r\n{}",
    "no number": b"Content-Length: two\r\n\r\n{}",
    "too large": b"Content-Length: %d\r\n\r\n{}" % (LSP_MESSAGE_BYTES + 1),
    "absurd": b"Content-Length: 1000000000000\r\n\r\n{}",
    "a number of many digits": b"Content-Length: " + b"9" * 3000 + b"\r\n\r\n{}",
    "missing": b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n{}",
    "twice": b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
    "no header": b"\r\n\r\n{}",
    "line ends": b"Content-Length: 2\n\n{}",
    "no end": b"x" * (LSP_HEADER_BYTES + 1),
    "a body longer than told": b"Content-Length: 2\r\n\r\n{}{}\r\n\r\n",
}


@pytest.mark.parametrize("stream", BAD.values(), ids=BAD)
def test_what_cannot_be_read_is_refused_at_once(stream: bytes) -> None:
    with pytest.raises(BadFrame):
        taken(stream)


@pytest.mark.parametrize(
    "stream", [b"Con", b"Content-Length: 3\r\n", b"Content-Length: 3\r\n\r\n", frame(b"{}")[:-1]]
)
def test_an_end_in_the_middle_is_told(stream: bytes) -> None:
    with pytest.raises(BadFrame, match="ended in the middle"):
        taken(stream)


@pytest.mark.parametrize(
    ("stream", "said"),
    [
        (BAD["absurd"], "1,000,000,000,000 bytes"),
        (frame(b"{}")[:-1], "ended in the middle"),
    ],
)
def test_the_server_says_so_and_ends(bare_environment: dict[str, str], stream: bytes, said: str) -> None:
    client = RawClient(bare_environment)
    client.shake_hands()
    client.check_sane()
    client.send(stream)
    client.end_input()
    assert client.wait() == 1
    (line,) = client.said.decode().splitlines()
    assert (
        line.startswith("premise-suggest: ")
        and said in line
        and line.endswith(". The server is shutting down.")
    )
    (told,) = (one for one in client.others if one.get("method") == "window/showMessage")
    assert said in told["params"]["message"]
    client.close()


def test_a_length_that_is_too_short_costs_an_answer_and_then_the_server(
    bare_environment: dict[str, str],
) -> None:
    client = RawClient(bare_environment)
    client.send(b'Content-Length: 5\r\n\r\n{"jsonrpc": "2.0", "id": 1, "method": "initialize"}\r\n\r\n')
    assert code(client.answer(None)) == PARSE_ERROR
    assert client.wait() == 1
    client.close()
    client.check_quiet()


@pytest.mark.parametrize("way", ["signal", "exit"])
def test_a_client_that_reads_nothing_keeps_no_server(bare_environment: dict[str, str], way: str) -> None:
    process = subprocess.Popen(
        [str(SCRIPT), "serve"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=bare_environment,
    )
    assert process.stdin and process.stderr
    initialize = request(0, "initialize", {"processId": None, "capabilities": {}, "rootUri": None})
    process.stdin.write(encoded(initialize))
    process.stdin.write(b"".join(encoded(request(id, "premiseSuggest/edits", EDIT)) for id in range(1, 2000)))
    process.stdin.flush()  # all of it is taken, though more comes back than a pipe holds
    if way == "signal":
        process.send_signal(signal.SIGTERM)
    else:
        process.stdin.write(encoded({"jsonrpc": "2.0", "method": "exit"}))
        process.stdin.flush()
    assert process.wait(20) == (1 if way == "exit" else 0)
    assert process.stderr.read() == b""
    for pipe in (process.stdin, process.stdout, process.stderr):
        assert pipe is not None
        pipe.close()
