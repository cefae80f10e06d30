"""What is no text, no JSON or no HTTP: refused at the door, wherever it stands, and without a trace."""

from __future__ import annotations

import json
import socket
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsp_server.http.decoding import check_url, decode
from lsp_server.http.problems import Refusal
from lsp_server.limits import LISTED_NAMES
from tests.hostile.http_clients import Ask, measure, sizes
from tests.http.conftest import Served

BODIES = {
    "a lone surrogate": b'{"x": "\\ud800"}',
    "a lone surrogate, a low one": b'{"x": ["a\\uDC00b"]}',
    "a lone surrogate in a name": b'{"\\udfff": 1}',
    "a surrogate in UTF-8": b'{"x": "\xed\xa0\x80"}',
    "no UTF-8": b'{"x": "\xff"}',
    "UTF-16": '{"x": "a"}'.encode("utf-16"),
    "no character": b'{"x": "\\u0000"}',
    "a control character": b'{"x": {"y": [["\\u0007"]]}}',
    "a back space": b'{"x": "\\b"}',
    "a control character as it is": b'{"x": "\x01"}',
    "a delete": b'{"x": "\x7f"}',
    "NaN": b'{"x": NaN}',
    "infinity": b'{"x": -Infinity}',
    "5,000 digits": b'{"x": ' + b"9" * 5000 + b"}",
    "deep lists": b"[" * 100_000,
    "deep objects": b'{"a":' * 100_000,
    "a name twice": b'{"x": 1, "x": 2}',
    "a name twice, below": b'[{"y": {"x": 1, "x": 1}}]',
    "more than one": b"{} {}",
}
QUERIES = ["query=%ED%A0%80", "query=a&%ed%b0%80=1", "query=%FF", "query=%00", "query=a&rev=%1f", "a&" * 64]
HEAD = b"POST /retrieve HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
RAW = {
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 9 + b"\r\n\r\n",
    "HTTP/0.9": b"GET /\r\n\r\n",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "no host": b"GET /healthz HTTP/1.1\r\n\r\n",
    "no host, of no site": b"GET /healthz HTTP/1.0\r\nOrigin: null\r\n\r\n",
    "two hosts": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
    "a tunnel": b"CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "no method": b"BREW /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "an escape": b"GET /?q=\x1b[31m HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a surrogate in the path": b"GET /api/collections/%ED%A0%80/x HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a long path": b"GET /" + b"a" * 5000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a negative length": HEAD + b"Content-Length: -1\r\n\r\n",
    "two lengths": HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
    "an endless length": HEAD + b"Content-Length: 9999999999999999999\r\n\r\n",
    "a length and chunks": HEAD + b"Content-Length: 3\r\n" + CHUNKED + b"2\r\n{}\r\n0\r\n\r\n",
    "another encoding": HEAD + b"Transfer-Encoding: gzip\r\n\r\n",
    "no chunk": HEAD + CHUNKED + b"ZZ\r\n",
    "no chunk after one": HEAD + CHUNKED + b"2\r\n{}\r\nZZ\r\n",
}


@pytest.mark.parametrize("path", ["/retrieve", "/generate", "/"])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_bodies_that_are_no_text_or_no_json(served: Served, path: str, body: bytes) -> None:
    response = served.client.post(path, content=body, headers={"Content-Type": "application/json"})
    assert response.status_code == 400 and response.json()["schema"]["description"], response.text


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize(
    "path", ["/api/premises", "/api/search", "/api/collections/a/b", "/healthz", "/none"]
)
def test_urls_that_are_no_text(served: Served, path: str, query: str) -> None:
    response = served.client.get(f"{path}?{query}")
    assert response.status_code == 400 and response.json()["error"], response.text


@pytest.mark.parametrize("sent", RAW.values(), ids=RAW)
def test_what_is_no_http(served: Served, sent: bytes) -> None:
    assert first_bytes(served, sent).startswith(b"HTTP/1.1 4")


def first_bytes(served: Served, sent: bytes) -> bytes:
    """The first bytes of the answer to what is sent on a connection."""
    address = (served.client.base_url.host, served.client.base_url.port or 80)
    with socket.create_connection(address, timeout=30) as raw:
        raw.sendall(sent)
        return raw.recv(64)


@pytest.fixture
def served(server: Served, server_log: Any) -> Any:
    """The server, which has to live on, and to have written no traceback."""
    yield server
    assert server.client.get("/healthz").json()["status"] == "ok"
    assert "Traceback" not in server_log.read_text(encoding="utf-8")


def test_large_requests_hold_nobody_up(served: Served) -> None:
    """Before there was a limit, one body of a million wrong names held all others up for 20 seconds."""
    found = measure(served.url, list(sizes()), seconds=5)
    assert found.answers and set(found.answers.elements()).isdisjoint({("", 0)})
    assert max(found.healthz) < 2, found


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8", exclude_categories=["Cc"])),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cc", "Cs"])), inner)
    ),
    max_leaves=20,
)


@given(JSON, st.booleans())
@settings(max_examples=60)
def test_other_json_is_read_as_it_is(value: Any, ascii_only: bool) -> None:
    assert decode(json.dumps(value, ensure_ascii=ascii_only).encode()) == value


@given(st.binary(max_size=60) | st.text(max_size=40).map(lambda text: json.dumps([text]).encode()))
@settings(max_examples=200)
def test_whatever_comes_is_read_or_refused(body: bytes) -> None:
    try:
        found = decode(body)
    except Refusal as refusal:
        assert refusal.status == 400
    else:
        json.dumps(found, ensure_ascii=False).encode()


def test_a_state_as_terminals_print_it_is_text() -> None:
    text = "\x1b[31mh : a\x1b[0m\n\t⊢ 𝔸 \u2028"
    assert decode(json.dumps({"state": text}).encode()) == {"state": text}
    check_url(b"/api/search", b"query=%1B%5B31m%0A%09%E2%8A%A2+%F0%9D%94%B8")


@pytest.mark.parametrize("unit", [b"[],", b'{"":1},', b"1,"])
def test_far_too_many_parts_are_not_even_read(unit: bytes) -> None:
    with pytest.raises(Refusal) as refusal:
        decode(b"[" + unit * ((16 << 20) // len(unit)) + b"1]")
    assert refusal.value.status == 413


def test_all_premises_of_a_large_library_may_be_named() -> None:
    names = [f"Some.Module.name_{number}" for number in range(400_000)]
    assert decode(json.dumps(names).encode()) == names
    numbers = list(range(LISTED_NAMES))
    assert decode(json.dumps(numbers).encode()) == numbers


def test_a_file_that_is_too_long_is_refused_with_a_sentence(served: Served) -> None:
    body = {"tactic_state": "n : Nat\n⊢ n = n", "context": "-" * 1_000_001}
    response = served.post("/", body)
    assert response.status_code == 422 and "context" in response.text and "1000000" in response.text


def test_new_premises_that_are_too_long_are_refused_with_a_sentence(served: Served) -> None:
    new = [{"name": "x", "decl": "theorem x : " + "p" * 1_000_000}] * 5
    response = served.post("/retrieve", {"state": "⊢ a", "k": 3, "new_premises": new})
    assert response.status_code == 413 and "4,000,000" in response.text


def test_a_whole_address_as_target_is_judged_by_its_host_line(served: Served) -> None:
    head = b"GET http://localhost/healthz HTTP/1.1\r\nHost: "
    assert first_bytes(served, head + b"evil.example\r\n\r\n").split()[1] == b"403"
    assert first_bytes(served, head + b"localhost\r\n\r\n").split()[1] == b"404"


def test_the_requests_of_the_measuring_are_distinct() -> None:
    asks = list(sizes())
    assert len({one.name for one in asks}) == len(asks)
    assert all(isinstance(one, Ask) and one.path for one in asks)
