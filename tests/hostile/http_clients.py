"""Clients that mean no good, and how the server answers others meanwhile. Standard library only."""

from __future__ import annotations

import http.client
import json
import socket
import statistics
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any
from urllib.parse import quote, urlsplit

from tests.hostile.shapes import GOALS, LEAN, Shape

JSON = {"Content-Type": "application/json"}
STATE, CONTEXT, QUERY = 200_000, 1_000_000, 40_000
"""The largest state and context of a body, and the largest query of a URL, in characters."""
_URL = 500_000
"""The largest query of a URL once it is escaped, in bytes."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One request."""

    name: str
    method: str
    path: str
    body: bytes | None = None


@dataclass(slots=True)
class Fairness:
    """How one client was answered while others sent the worst that they are allowed to."""

    healthz: list[float] = field(default_factory=list)
    """Seconds of each answer of `/healthz`, each over a connection of its own."""
    answers: Counter[tuple[str, int]] = field(default_factory=Counter)
    """What the others got: request and status; status 0 is no answer."""
    slowest: dict[str, float] = field(default_factory=dict)
    """Seconds of the slowest answer to each of the others' requests."""

    def percentile(self, percent: int) -> float:
        """Seconds."""
        return statistics.quantiles(self.healthz, n=100, method="inclusive")[percent - 1]

    def __str__(self) -> str:
        statuses = dict(sorted(Counter(status for _, status in self.answers.elements()).items()))
        return (
            f"/healthz {len(self.healthz)} times: p50 {1000 * self.percentile(50):.0f} ms, p99 "
            f"{1000 * self.percentile(99):.0f} ms, most {1000 * max(self.healthz):.0f} ms; beside {statuses}"
        )


def worst_asks(shapes: Sequence[str] = ()) -> Iterator[Ask]:
    """The worst requests that the limits allow: each shape (all, or those named) to each interface."""
    yield from sizes()
    for name, shape in GOALS.items():
        if not shapes or name in shapes:
            yield from _of_a_state(name, shape)
    for name, shape in LEAN.items():
        if not shapes or name in shapes:
            context = shape(CONTEXT)
            yield post(f"/ context: {name}", "/", {"tactic_state": "n : Nat\n⊢ n = n", "context": context})


def _of_a_state(name: str, shape: Shape) -> Iterator[Ask]:
    state, query = shape(STATE), quote(shape(QUERY).encode(errors="replace"))[:_URL]
    query = query.rpartition("%")[0] if "%" in query[-2:] else query
    yield post(f"/retrieve {name}", "/retrieve", {"state": state, "k": 1024})
    yield post(f"/generate {name}", "/generate", {"name": "any", "input": state, "prefix": ""})
    yield post(f"/ {name}", "/", {"tactic_state": state, "prefix": "", "context": ""})
    yield Ask(f"/api/premises {name}", "GET", f"/api/premises?k=1000&query={query}")
    yield Ask(f"/api/search {name}", "GET", f"/api/search?results=1000&query={query}")


def sizes() -> Iterator[Ask]:
    """Requests that are large, whatever they say."""
    goal = "n : Nat\n⊢ n + 0 = n"
    names = [f"Mathlib.Some.Module.name_{number}" for number in range(400_000)]
    new = [{"name": f"n{number}", "decl": "theorem x (n : Nat) : n = n"} for number in range(20_000)]
    yield post("numbers", "/retrieve", {"state": goal, "k": 1024, "local_premises": list(range(1_000_000))})
    yield post("names", "/retrieve", {"state": goal, "k": 1024, "local_premises": names})
    yield post("of no type", "/retrieve", {"state": goal, "k": 1, "local_premises": [None] * 500_000})
    yield post("new premises", "/retrieve", {"state": goal, "k": 1024, "new_premises": new})
    yield post("states", "/retrieve", {"state": [f"h : {n} = n\n{goal}" for n in range(64)], "k": 1024})
    for path in ("/retrieve", "/", "/generate"):
        for name, unit in (("lists", b"[],"), ("objects", b'{"":1},'), ("commas", b"1,")):
            body = b'{"state":[' + unit * ((1 << 24) // len(unit) - 100) + b"1]}"
            yield Ask(f"{path} {name}", "POST", path, body)
    yield Ask("many parameters", "GET", "/api/premises?query=x" + "&a=1" * 100_000)
    yield Ask("all premises", "GET", "/indexed-premises")


def post(name: str, path: str, body: Mapping[str, Any]) -> Ask:
    """A request with a JSON body, written as Lean and Python do: nothing beyond ASCII."""
    return Ask(name, "POST", path, json.dumps(body).encode())


def measure(url: str, asks: Sequence[Ask], seconds: float, clients: int = 1, pause: float = 0.02) -> Fairness:
    """Ask `/healthz` again and again while `clients` others send the requests in turn, for so long.

    Args:
        url: the server's.
        asks: what the others send, again from the start where they are through.
        seconds: for how long; answers that are still awaited then are not.
        clients: how many of the others there are.
        pause: seconds between two questions for `/healthz`.
    """
    found, stop, lock = Fairness(), threading.Event(), threading.Lock()
    turns = cycle(asks)

    def bother() -> None:
        while not stop.is_set():
            with lock:
                one = next(turns)
            began = time.monotonic()
            status = ask(url, one, timeout=90)
            with lock:
                found.answers[one.name, status] += 1
                took = time.monotonic() - began
                found.slowest[one.name] = max(took, found.slowest.get(one.name, 0.0))

    threads = [threading.Thread(target=bother, daemon=True) for _ in range(clients)]
    for thread in threads:
        thread.start()
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            began = time.perf_counter()
            status = ask(url, Ask("", "GET", "/healthz"), timeout=90)
            assert status == 200, status
            found.healthz.append(time.perf_counter() - began)
            stop.wait(pause)
    finally:
        stop.set()
    return found


def ask(url: str, one: Ask, timeout: float) -> int:
    """The status of the answer, which is read to its end; 0 where the connection was closed without one."""
    host = urlsplit(url)
    connection = http.client.HTTPConnection(host.hostname or "", host.port, timeout=timeout)
    try:
        connection.request(one.method, one.path, one.body, JSON if one.body is not None else {})
        answer = connection.getresponse()
        answer.read()
        return answer.status
    except (BrokenPipeError, ConnectionResetError):  # it has answered before it read all, and closed
        return _said(connection)
    except (http.client.HTTPException, OSError):
        return 0
    finally:
        connection.close()


def _said(connection: http.client.HTTPConnection) -> int:
    try:
        return connection.getresponse().status
    except (http.client.HTTPException, OSError, AttributeError):
        return 0


@contextmanager
def half_open(url: str, count: int, first: bytes = b"GET / HTTP/1.1\r\n") -> Iterator[list[socket.socket]]:
    """Connections that send the beginning of a request and then nothing; as many as could be had."""
    host = urlsplit(url)
    found: list[socket.socket] = []
    try:
        for _ in range(count):
            try:
                one = socket.create_connection((host.hostname or "", host.port or 80), timeout=2)
                found.append(one)
                one.sendall(first)
            except OSError:
                continue
        yield found
    finally:
        for one in found:
            one.close()
