"""The server on standard input and output: what is no message is answered, and signals end it with its input open."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.limits import MCP_RUNNING_CALLS
from tests.forked import run_of
from tests.lsp_server.conftest import all_end, descendants, watch
from tests.mcp.conftest import FAR_AWAY, TOKEN, Workplace

pytestmark = pytest.mark.lean

CLIENT = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
SECONDS = 120


def request(id: Any, method: str, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode()


def call(arguments: str, id: str = "2", tool: str = "search") -> bytes:
    """A call of a tool; its arguments and its id are JSON."""
    params = f'{{"name":"{tool}","arguments":{arguments}}}'
    return f'{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}'.encode()


def deep(levels: int) -> str:
    return '{"a":' * levels + "1" + "}" * levels


class Agent:
    """A client that writes whatever lines it likes."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None and process.stdout is not None
        self.process, self._stdin, self._stdout = process, process.stdin, process.stdout

    def send(self, line: bytes) -> None:
        self._stdin.write(line + b"\n")
        self._stdin.flush()

    def answer(self) -> dict[str, Any]:
        """The next message."""
        found: dict[str, Any] = json.loads(self._stdout.readline())
        return found

    def ask(self, line: bytes) -> dict[str, Any]:
        self.send(line)
        return self.answer()

    def greet(self) -> None:
        assert "result" in self.ask(request("hello", "initialize", **CLIENT))
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')


@contextmanager
def connected(workplace: Workplace) -> Iterator[Agent]:
    """A client of a server of its own, which is killed if it takes too long."""
    with subprocess.Popen(
        workplace.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=workplace.environment
    ) as process:
        watchdog = threading.Timer(SECONDS, process.kill)
        watchdog.start()
        try:
            yield Agent(process)
        finally:
            watchdog.cancel()
            process.kill()


@pytest.fixture(scope="module")
def agent(workplace: Workplace) -> Iterator[Agent]:
    with connected(workplace) as found:
        found.greet()
        yield found


@pytest.mark.parametrize(
    ("line", "code", "id"),
    [
        (call(deep(150)), -32600, 2),
        (call(deep(100_000), '"deep"'), -32700, None),
        (b"[" * 100_000, -32700, None),
        (b"[" + call("{}") + b"]", -32600, None),
        (b"[]", -32600, None),
        (b"no json", -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"', -32700, None),
        (b"\xff" + call("{}"), -32700, None),
        (b"{}", -32600, None),
        (b'"text"', -32600, None),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":3,"method":"tools/list","params":[1]}', -32600, 3),
        (b'{"jsonrpc":"2.0","id":4,"method":5}', -32600, 4),
        (b'{"jsonrpc":"2.0","id":5,"method":"no/such"}', -32601, 5),
        (call(json.dumps({"query": "x" * 5_000_000})), -32600, None),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_is_no_message_is_answered_with_an_error(agent: Agent, line: bytes, code: int, id: Any) -> None:
    answer = agent.ask(line)
    assert (answer["error"]["code"], answer["id"]) == (code, id)
    assert answer["error"]["message"]
    assert agent.ask(request("still", "ping")) == {"jsonrpc": "2.0", "id": "still", "result": {}}


@pytest.mark.parametrize("escaped", [r"\ud800", r"n : Nat \udfff", r"\ud800\ud800", r"\ud83d\ude00"])
@pytest.mark.parametrize("tool", ["search", "premises", "declaration"])
def test_lone_surrogates_in_arguments_are_answered(agent: Agent, tool: str, escaped: str) -> None:
    name = {"search": "query", "premises": "state", "declaration": "name"}[tool]
    answer = agent.ask(call(f'{{"{name}":"{escaped}"}}', tool=tool))
    assert answer["id"] == 2 and answer["result"]["content"]


def test_a_lone_surrogate_in_an_id_comes_back(agent: Agent) -> None:
    assert agent.ask(rb'{"jsonrpc":"2.0","id":"\ud800","method":"ping"}')["id"] == "\ud800"


@pytest.mark.parametrize("line", [call(deep(50_000)), call(r'{"query":"\ud800"}'), b"[" + call("{}") + b"]"])
async def test_the_same_is_answered_over_http(url: str, line: bytes) -> None:
    headers = {"Accept": "application/json, text/event-stream", "Authorization": f"Bearer {TOKEN}"}
    headers |= {"Content-Type": "application/json"}
    async with httpx.AsyncClient(headers=headers, timeout=SECONDS) as client:
        hello = await client.post(url, content=request(1, "initialize", **CLIENT))
        session = {"mcp-session-id": hello.headers["mcp-session-id"]}
        answer = await client.post(url, content=line, headers=session)
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"], answer.text


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
@pytest.mark.parametrize("after", ["nothing", "a greeting", "half a line", "a suggestion"])
def test_a_signal_ends_it_while_its_input_is_open(
    workplace: Workplace, number: signal.Signals, code: int, after: str
) -> None:
    place = json.dumps({"file": FAR_AWAY, "line": 11})
    with connected(workplace) as agent:
        agent.greet()
        if after == "half a line":
            agent._stdin.write(b'{"jsonrpc":')
            agent._stdin.flush()
        elif after == "a suggestion":
            assert "result" in agent.ask(call(place, tool="suggest"))
        below = descendants(run_of(agent.process.pid))
        assert bool(below) is (after == "a suggestion")
        handles = [*watch(below)]
        if after == "a suggestion":  # another one is at work
            agent.send(call(place, "3", tool="suggest"))
        agent.process.send_signal(number)
        assert agent.process.wait(SECONDS) == code
        assert all_end(handles, SECONDS)


def test_searches_hold_up_each_other_only_and_a_cancelled_one_makes_room(workplace: Workplace) -> None:
    place = {"file": FAR_AWAY, "line": 16, "seconds": 600}
    ids = [f"search {number}" for number in range(MCP_RUNNING_CALLS)]
    with connected(workplace) as agent:
        agent.greet()
        for id in ids:
            arguments = {"name": "prove", "arguments": place, "_meta": {"progressToken": id}}
            agent.send(request(id, "tools/call", **arguments))
        begun: set[str] = set()
        while begun != {*ids}:
            message = agent.answer()
            assert message.get("method") == "notifications/progress", message
            if re.search(r", [1-9]\d* states?", message["params"]["message"]):
                begun.add(message["params"]["progressToken"])

        def answered(id: str) -> dict[str, Any]:
            while "id" not in (message := agent.answer()):
                pass
            assert message["id"] == id, message
            return message

        agent.send(call("{}", '"short"', tool="index_status"))
        assert answered("short")["result"]["structuredContent"]["index"]["state"] == "consulted"
        agent.send(call(json.dumps({"file": FAR_AWAY}), '"next"', tool="repair"))
        for id in ids:
            params = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}
            agent.send(json.dumps(params).encode())
        while (message := agent.answer()).get("id") != "next":
            pass
        assert message["result"]["structuredContent"]["errors"] == []


def test_a_client_that_does_not_read_on_does_not_stop_the_server(workplace: Workplace) -> None:
    line = workplace.command()
    done = subprocess.run(
        ["sh", "-c", '"$@" | head -c 1', "sh", *line],
        input=request(1, "initialize", **CLIENT) + b"\n" + request(2, "tools/list") + b"\n",
        capture_output=True,
        env=workplace.environment,
        timeout=SECONDS,
    )
    assert (done.stdout, done.stderr) == (b"{", b"")


def test_of_a_line_that_is_too_long_the_rest_is_passed_over() -> None:
    from lsp_server.limits import MCP_LINE_BYTES
    from lsp_server.mcp.lines import read_line

    stream = BytesIO(b"x" * (2 * MCP_LINE_BYTES) + b"\na\n\nb")
    found = list(iter(lambda: read_line(stream), b""))
    assert [len(found[0]), *found[1:]] == [MCP_LINE_BYTES + 1, b"a\n", b"\n", b"b"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)
MESSAGES = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("jsonrpc", "id", "method", "params", "result", "error"), JSON)
)


@given(
    st.binary(max_size=40)
    | MESSAGES.map(lambda one: json.dumps(one).encode())
    | JSON.map(json.dumps).map(str.encode)
)
def test_any_line_is_a_message_or_has_an_error_for_its_answer(line: bytes) -> None:
    from lsp_server.mcp.lines import error_line, line_of, message_in
    from lsp_server.protocol.messages import BadMessage

    try:
        message = message_in(line)
    except BadMessage as bad:
        answer = json.loads(error_line(bad))
        assert answer["error"]["message"] and answer.keys() == {"jsonrpc", "id", "error"}
    else:
        assert json.loads(line_of(message))["jsonrpc"] == "2.0"
