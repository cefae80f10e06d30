"""Hostile clients of the HTTP server: the worst inputs, slow and fuzzed requests, and how others fare."""

from __future__ import annotations

import json
import random
import re
import select
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.hostile.http_clients import Ask, Fairness, ask, half_open, measure, post, worst_asks
from tests.hostile.shapes import LEXICAL, STATES, TERMS
from tests.hostile.tries.ground import STATE, Ground, end, group_members
from tests.hostile.tries.report import HANG_SECONDS, LEFT, SLOW, UNANSWERED, WRONG, Effort, Report

PART = "web server"
HEALTHZ_SECONDS = 0.2
"""Within which `/healthz` is answered, at the 99th percentile."""
_LINE = re.compile(rb"premise-suggest http: (http://\S+)")
_START_SECONDS = 60
_ALLOWED = {"states": 8.0}
"""Seconds for what asks for more than one piece of work: 64 rankings."""
_SOCKETS = 400
_ODD: tuple[Any, ...] = (-1, 2**63, 1.5, None, True, [], {}, "", "\ud800", "\0", [[[]]], {"a": {}}, 10**400)


def run(ground: Ground, effort: Effort, report: Report) -> None:
    """Fairness beside the worst inputs, half-open connections, fuzzed requests, and the server's end."""
    with _served(ground, report) as url:
        _fairness(url, effort, report)
        _half_open(url, report)
        _fuzzed(url, effort, report)


@contextmanager
def _served(ground: Ground, report: Report) -> Iterator[str]:
    """A server's address; in the end it has to go on SIGTERM, and to have written little."""
    log = ground.folder / "http.log"
    with log.open("wb") as errors:
        arguments = ("http", "--port", "0", "--project", ground.library)
        process = ground.start(*arguments, stdout=subprocess.PIPE, stderr=errors)
    assert process.stdout is not None
    try:
        ready, _, _ = select.select([process.stdout], [], [], _START_SECONDS)
        found = _LINE.match(process.stdout.readline() if ready else b"")
        if not found:
            raise RuntimeError("the server did not start: " + log.read_text(errors="replace")[-500:])
        yield found[1].decode()
    finally:
        if not end(process):
            report.found(LEFT, PART, "the server did not end on SIGTERM")
        process.stdout.close()
        if left := group_members(process.pid):
            report.found(LEFT, PART, f"{len(left)} processes of a server that has ended")
        report.figures["web server: bytes on standard error"] = log.stat().st_size
        report.check_log(PART, log.read_text(errors="replace"))


def _fairness(url: str, effort: Effort, report: Report) -> None:
    shapes = [*effort.random(PART).sample(sorted({**LEXICAL, **STATES}), 3), "the goal: arrows"]
    asks = list(worst_asks(shapes if effort.quick else ()))
    found = measure(url, asks, 20 if effort.quick else 300)
    report.tried(PART, sum(found.answers.values()))
    _judge(found, effort.patience, report)


def _judge(found: Fairness, patience: float, report: Report) -> None:
    p99 = found.percentile(99)
    report.figures["web server: /healthz beside the worst inputs, p50 in ms"] = 1000 * found.percentile(50)
    report.figures["web server: /healthz beside the worst inputs, p99 in ms"] = 1000 * p99
    report.figures["web server: slowest answer in s"] = max(found.slowest.values(), default=0.0)
    if p99 > HEALTHZ_SECONDS * patience:
        report.found(SLOW, PART, f"/healthz within {1000 * p99:.0f} ms at the 99th percentile")
    for name, seconds in found.slowest.items():
        if seconds > _ALLOWED.get(name, HANG_SECONDS) * patience:
            report.found(SLOW, PART, f"{name} was answered after {seconds:.1f} s")
    for name, status in found.answers:
        if status == 0:
            report.found(UNANSWERED, PART, name)
        elif status >= 500 and status not in (503, 504):
            report.found(WRONG, PART, f"{name} was answered {status}")


def _half_open(url: str, report: Report) -> None:
    """Connections that never finish their request do not keep others out for ever."""
    with half_open(url, _SOCKETS) as sockets:
        report.tried(PART, len(sockets))
        statuses = [ask(url, Ask("", "GET", "/healthz"), timeout=30) for _ in range(3)]
        if 200 not in statuses:
            report.found(WRONG, PART, f"beside {len(sockets)} half-open connections: {statuses}")
    if ask(url, Ask("", "GET", "/healthz"), timeout=30) != 200:
        report.found(WRONG, PART, "not answered after half-open connections were closed")


def _fuzzed(url: str, effort: Effort, report: Report) -> None:
    chance = effort.random(PART + " fuzzed")
    for _ in range(effort.of(300, 3_000)):
        one = _odd_request(chance)
        report.tried(PART)
        status = ask(url, one, timeout=60)
        if status == 0:
            report.found(UNANSWERED, PART, f"{one.method} {one.path!r:.200} {one.body!r:.200}")
        elif status >= 500 and status not in (503, 504):
            report.found(WRONG, PART, f"{status}: {one.method} {one.path!r:.200} {one.body!r:.200}")
    if ask(url, post("sane", "/retrieve", {"state": STATE, "k": 3}), timeout=30) != 200:
        report.found(WRONG, PART, "after the fuzzed requests a sane one is not answered")


def _odd_request(chance: random.Random) -> Ask:
    if chance.random() < 0.3:
        path = chance.choice(["/api/premises", "/api/search", "/api/collections/lean/x", "/nothing"])
        value = chance.choice(
            ["%00", "%ED%A0%80", "%ff", "%", "⊢".encode().hex(), "a" * 5_000, "-1", "1e400"]
        )
        key = chance.choice(["query", "k", "results", "rev", "module", "imports", "in_scope"])
        return Ask("", chance.choice(["GET", "POST", "PUT"]), f"{path}?query=a&{key}={value}")
    path = chance.choice(["/", "/retrieve", "/generate"])
    shape = chance.choice([*LEXICAL.values(), *TERMS.values(), *STATES.values()])
    body: dict[str, Any] = {
        "state": chance.choice([STATE, shape(2_000), [STATE, STATE]]),
        "k": 4,
        "input": STATE,
        "name": "x",
        "prefix": "",
        "tactic_state": shape(2_000),
        "context": shape(2_000),
    }
    for _ in range(chance.randrange(3)):
        body[chance.choice([*body, "new_premises", "local_premises", "imported_modules"])] = chance.choice(
            _ODD
        )
    data = json.dumps(body).encode()
    if chance.random() < 0.2:
        at = chance.randrange(len(data))
        data = data[:at] + bytes([chance.randrange(256)]) + data[at + chance.randrange(3) :]
    return Ask("", "POST", path, data)
