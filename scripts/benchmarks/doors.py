"""How soon other tools' requests are answered, and how many agents one server answers at once: real processes.

First the interfaces of the remote tools of lean-lsp-mcp and of Mathlib's `#` commands at `premise-suggest http`, one
client, each request new. Then agents with a session each at `premise-suggest mcp --http`, which ask `premises` for the
same goals again and again; each answer is compared with the first one for its goal. Without --project both
answer from the bundled index, where Loogle's interface can match names alone. The clients run on the same machine;
the CPU time is the server's alone, for a machine that others use. With --start, instead: how soon a command that
starts `premise-suggest mcp` on standard input has answered `initialize`, the first start not counted.
"""

from __future__ import annotations

import argparse
import http.client
import json
import shlex
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psutil

from scripts.benchmarks.harness import median_and_tail
from scripts.benchmarks.memory import QUERIES, STATES
from scripts.benchmarks.serving import server, state

_JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
_ABOUT = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "b", "version": "1"}}
_INITIALIZE = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": _ABOUT}
_STARTS = 5
_PARTS = ("compact", "bounded", "Summable", "gcd", "injective", "continuous", "subset", "finite")


class Agent:
    """One session at the server."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self._headers = dict(_JSON)
        self._send(_INITIALIZE)
        self._send({"method": "notifications/initialized"})

    def premises(self, goal: str) -> str:
        """The text that the tool answers, but for its last line, which says how fresh the index is."""
        called = {"name": "premises", "arguments": {"state": goal}}
        result = self._send({"id": 1, "method": "tools/call", "params": called})["result"]
        assert not result.get("isError"), result
        text: str = result["content"][0]["text"]
        return text.partition("\nSearched: ")[0]

    def _send(self, message: dict[str, Any]) -> Any:
        self._connection.request("POST", "/mcp", json.dumps({"jsonrpc": "2.0", **message}), self._headers)
        answer = self._connection.getresponse()
        text = answer.read().decode()
        assert answer.status in (200, 202), text
        if session := answer.headers["mcp-session-id"]:
            self._headers["mcp-session-id"] = session
        lines = [
            line.removeprefix("data: ") for line in text.splitlines() if line.startswith(("data: {", "{"))
        ]
        return json.loads(lines[-1]) if lines else None


def requests() -> Iterator[tuple[str, Callable[[int], tuple[str, str, Any]]]]:
    """For each interface its name, and the method, path and body of its n-th request."""

    def words(n: int) -> str:
        return f"{QUERIES[n % len(QUERIES)]} {_PARTS[n // len(QUERIES) % len(_PARTS)]}"

    yield "LeanSearch", lambda n: ("POST", "/search", {"query": [words(n)], "num_results": 6})
    yield "Lean Finder", lambda n: ("POST", "/leanfinder", {"inputs": words(n), "top_k": 5})
    yield "Loogle", lambda n: ("GET", f"/json?q={quote(_loogle(n))}", None)
    yield "LeanStateSearch", lambda n: ("GET", f"/api/search?query={quote(state())}&results=6", None)
    yield "LeanPremise (hammer)", lambda n: ("POST", "/retrieve", {"state": state(), "k": 32})
    yield "LeanCopilot", lambda n: ("POST", "/generate", {"name": "any", "input": state(), "prefix": ""})


def _loogle(n: int) -> str:
    return f'"{_PARTS[n % len(_PARTS)]}", "{_PARTS[(n // len(_PARTS) + n + 1) % len(_PARTS)]}"'


def timed(port: int, make: Callable[[int], tuple[str, str, Any]], count: int) -> list[float]:
    """Milliseconds of so many requests, one after the other, after two that are not counted."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    taken = []
    for number in range(count + 2):
        method, path, body = make(number)
        began = time.perf_counter()
        connection.request(method, path, body and json.dumps(body), _JSON)
        answer = connection.getresponse()
        text = answer.read()
        taken.append(1000 * (time.perf_counter() - began))
        assert answer.status == 200, text
    return taken[2:]


def agents_together(
    port: int, agents: int, goals: Sequence[str], seconds: float
) -> tuple[float, list[float], int]:
    """(calls a second, the milliseconds of each, how many answers were not those of their goals)."""
    first = Agent(port)
    right = {goal: first.premises(goal) for goal in goals}
    asking = [Agent(port) for _ in range(agents)]
    taken: list[float] = []
    mixed: list[str] = []
    until = time.perf_counter() + seconds

    def ask(number: int) -> None:
        turn = number
        while (began := time.perf_counter()) < until:
            goal = goals[turn % len(goals)]
            if asking[number].premises(goal) != right[goal]:
                mixed.append(goal)
            taken.append(1000 * (time.perf_counter() - began))
            turn += 1

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(agents)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(taken) / (time.perf_counter() - began), taken, len(mixed)


def ready(command: Sequence[str]) -> float:
    """Milliseconds from a command's start to its answer to `initialize`."""
    began = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(f"{json.dumps(_INITIALIZE)}\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        taken = 1000 * (time.perf_counter() - began)
        process.stdin.close()
    assert "result" in answer, answer
    return taken


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--project", type=Path, metavar="FOLDER")
    parser.add_argument("--agents", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--requests", type=int, default=40, help="of each interface (default: 40)")
    text = "such as 'uvx --from WHEEL[mcp] premise-suggest mcp --project FOLDER'"
    parser.add_argument("--start", type=shlex.split, metavar="COMMAND", help=text)


def run(options: argparse.Namespace) -> None:
    if options.start:
        taken = [ready(options.start) for _ in range(_STARTS + 1)][1:]
        print(f"ready in {median_and_tail(taken)[0]:.0f} ms, median of {_STARTS}")
        return
    print(f"{'interface':<22} {'median ms':>10} {'p95 ms':>8} {'CPU ms':>8}")
    with server(options.project, "http", "--rate", "1000000") as (pid, port):
        for name, make in requests():
            timed(port, make, 0)
            before = cpu(pid)
            taken = timed(port, make, options.requests)
            show(name, taken, cpu(pid) - before)
    goals = [f"h{number} : True\n{one}" for number in range(8) for one in STATES]
    with server(options.project, "mcp", "--http") as (pid, port):
        before = cpu(pid)
        rate, taken, mixed = agents_together(port, options.agents, goals, options.seconds)
        used = cpu(pid) - before
    print(
        f"\n{options.agents} agents, {len(goals)} goals again and again: {rate:.0f} calls a second, {mixed} mixed up"
    )
    show("premises (MCP)", taken, used)


def show(name: str, milliseconds: Sequence[float], used: float) -> None:
    """Print a row; `used`: the server's CPU time for all of them, in seconds."""
    median, tail = median_and_tail(milliseconds)
    print(f"{name:<22} {median:>10.0f} {tail:>8.0f} {1000 * used / len(milliseconds):>8.1f}", flush=True)


def cpu(pid: int) -> float:
    """The seconds that a process has computed."""
    times = psutil.Process(pid).cpu_times()
    return times.user + times.system
