"""Fuzzed messages over the language server's wire: every id is answered once, and nobody falls silent."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Iterator
from typing import Any

from lean_extract.session.processes import descendants, identify, running
from tests.forked import run_of
from tests.hostile.raw_client import RawClient, encoded, request
from tests.hostile.shapes import GOALS
from tests.hostile.tries.ground import STATE, Ground
from tests.hostile.tries.report import LEFT, UNANSWERED, WRONG, Effort, Report

PART = "language server"
_AT_ONCE = 50
_METHODS = (
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/codeAction",
    "textDocument/declaration",
    "codeAction/resolve",
    "completionItem/resolve",
    "workspace/executeCommand",
    "workspace/symbol",
    "premiseSuggest/suggest",
    "premiseSuggest/search",
    "premiseSuggest/edits",
    "premiseSuggest/index",
    "no/such",
    "",
)
_NOTIFICATIONS = (
    "textDocument/didOpen",
    "textDocument/didChange",
    "textDocument/didClose",
    "textDocument/didSave",
    "workspace/didChangeConfiguration",
    "$/cancelRequest",
    "$/no-such",
)
_ODD = (-1, 2**31, 2**63, 1.5, "3", None, True, [], {}, "", "\ud800", "a" * 10_000, "file:///%00", "\0")


def run(ground: Ground, effort: Effort, report: Report) -> None:
    """Some thousand requests in one session, then the end of it in each of the ways there are."""
    chance = effort.random(PART)
    client = RawClient(ground.environment)
    try:
        client.shake_hands(ground.library)
        for _ in range(effort.of(300, 3_000) // _AT_ONCE):
            _round(client, ground, chance, report)
        _reopen(client, ground)
        answer = client.ask("premiseSuggest/suggest", _suggest(ground, STATE))
        if not answer.get("result", {}).get("premises"):
            report.found(WRONG, PART, f"after the fuzzed requests a sane one is answered {answer!r:.200}")
        client.ask("shutdown")
        client.notify("exit")
        if code := client.wait():
            report.found(WRONG, PART, f"after shutdown and exit the server ended with {code}")
    finally:
        _close(client, report)
    _hostile_goals(ground, sorted(GOALS)[:: effort.of(12, 1)], report)
    _endings(ground, report)


def _reopen(client: RawClient, ground: Ground) -> None:
    """What the fuzzed changes have spoilt is whole again."""
    path = ground.library / "Unfinished" / "Demo.lean"
    client.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})
    item = {
        "uri": path.as_uri(),
        "languageId": "lean4",
        "version": 1,
        "text": path.read_text(encoding="utf-8"),
    }
    client.notify("textDocument/didOpen", {"textDocument": item})


def _round(client: RawClient, ground: Ground, chance: random.Random, report: Report) -> None:
    """Fifty messages at once, then all their answers."""
    asked = []
    for _ in range(_AT_ONCE):
        if chance.random() < 0.2:
            method, params = chance.choice(_NOTIFICATIONS), _params(ground, chance)
            client.send(encoded({"jsonrpc": "2.0", "method": method, "params": params}))
            continue
        number = f"fuzz {report.tries[PART]}"
        report.tried(PART)
        asked.append((number, chance.choice(_METHODS), _params(ground, chance)))
        client.send(encoded(request(*asked[-1])))
    for number, method, params in asked:
        try:
            client.answer(number)
        except AssertionError as error:
            report.found(UNANSWERED, PART, f"{method} {params!r:.200}: {error!s:.200}")
            raise


def _params(ground: Ground, chance: random.Random) -> Any:
    """Parameters as they should be, with some of it made odd."""
    if chance.random() < 0.1:
        return chance.choice(_ODD)
    name = chance.choice(["Unfinished/Demo.lean", "No.lean", "../../x.lean", ".."])
    document: Any = {"uri": (ground.library / name).as_uri(), "version": 1}
    params: dict[str, Any] = {
        "textDocument": document,
        "position": {"line": chance.randrange(40), "character": chance.randrange(40)},
        "context": {"diagnostics": []},
        "command": "premise-suggest.suggest",
        "arguments": [{"textDocument": document}],
        "query": chance.choice(["add_comm", "⊢ a = b", "", "-"]),
        "goal": STATE,
        "contentChanges": [{"text": "theorem x : 1 = 1 := by\n  sorry\n"}],
        "id": "fuzz 1",
        "settings": {},
        "data": {"uri": document["uri"], "version": 1},
    }
    params["range"] = {"start": dict(params["position"]), "end": dict(params["position"])}
    for _ in range(chance.randrange(3)):
        _spoil(params, chance)
    return params


def _spoil(value: dict[str, Any], chance: random.Random) -> None:
    """Make one entry odd, at some depth."""
    key = chance.choice(list(value))
    if isinstance(value[key], dict) and value[key] and chance.random() < 0.7:
        _spoil(value[key], chance)
    elif chance.random() < 0.3:
        del value[key]
        value[""] = None
    else:
        value[key] = chance.choice(_ODD)


def _suggest(ground: Ground, goal: str) -> dict[str, Any]:
    uri = (ground.library / "Unfinished" / "Demo.lean").as_uri()
    return {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}, "goal": goal}


def _hostile_goals(ground: Ground, shapes: list[str], report: Report) -> None:
    """The worst goals over the wire: answered, or refused, while another request is not held up.

    One server after another gets them: the next where one falls silent.
    """
    left = iter(shapes)
    while shape := next(left, ""):
        client = RawClient(ground.environment)
        try:
            client.shake_hands(ground.library)
            while shape:
                report.tried(PART)
                goal = _suggest(ground, GOALS[shape](1 << 20))
                client.send(encoded(request(shape, "premiseSuggest/suggest", goal)))
                client.ask("premiseSuggest/suggest", _suggest(ground, STATE))
                client.answer(shape)
                shape = next(left, "")
        except AssertionError as error:
            report.found(UNANSWERED, PART, f"a goal of a megabyte, {shape}: {error!s:.200}")
        finally:
            _close(client, report)


def _endings(ground: Ground, report: Report) -> None:
    """End of input, a signal, half a message, a wrong length: the server ends, and nobody is left."""
    for what, data in _last_words():
        report.tried(PART)
        client = RawClient(ground.environment)
        try:
            client.shake_hands(ground.library)
            client.send(data)
            if what == "a signal":
                os.kill(client.process.pid, signal.SIGTERM)
            else:
                client.end_input()
            client.wait()
        except AssertionError as error:
            report.found(WRONG, PART, f"{what}: {error!s:.300}")
        finally:
            _close(client, report)


def _last_words() -> Iterator[tuple[str, bytes]]:
    yield "end of input", b""
    yield "a signal", b""
    yield "half a message", b"Content-Length: 100\r\n\r\n{"
    yield "a length that is too short", b"Content-Length: 3\r\n\r\n" + encoded(request(1, "shutdown"))
    yield "a length beyond all memory", b"Content-Length: 1000000000000\r\n\r\n{}"
    yield "no length", b"Content-Type: x\r\n\r\n{}"
    yield "a header without end", b"a" * (1 << 20)


def _close(client: RawClient, report: Report) -> None:
    started = identify(descendants(run_of(client.process.pid)))
    client.close()
    report.check_log(PART, client.said.decode(errors="replace"))
    if left := running(started):
        report.found(LEFT, PART, f"{len(left)} processes of a language server that has ended")
