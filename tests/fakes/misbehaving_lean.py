"""A language server that plays Lean, and misbehaves as it is told.

Run as `python misbehaving_lean.py SCENARIO DIARY`. Into the file DIARY it writes "x" when it starts,
"m" when it misbehaves and "c" when a request is cancelled. Only the first start misbehaves; later
ones play an honest Lean, whose every goal is `⊢ ¬FILE` (the file's name), and for which `good` is the
one tactic that closes a goal.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Message = dict[str, Any]
BRACES = re.compile(r"\{ /-\w*-/ (?P<tactic>[^\n]*)\n *(?P<close>\})")


def send(message: Message, *, said_length: int | None = None) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    length = len(body) if said_length is None else said_length
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % length + body)
    sys.stdout.buffer.flush()


def send_raw(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def receive() -> Message | None:
    length = None
    while line := sys.stdin.buffer.readline().strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    if length is None:
        return None
    message: Message = json.loads(sys.stdin.buffer.read(length))
    return message


def note(diary: Path, letter: str) -> None:
    with diary.open("a") as stream:
        stream.write(letter)


def stem(uri: str) -> str:
    return uri.rsplit("/", 1)[-1].removesuffix(".lean")


class HonestLean:
    """Answers what the session asks, at once and in order."""

    def __init__(self, diary: Path) -> None:
        self.diary = diary
        self.texts: dict[str, str] = {}

    def run(self) -> None:
        while (message := receive()) is not None:
            self.handle(message)

    def handle(self, message: Message) -> None:
        method, params = message.get("method", ""), message.get("params", {})
        if method in ("textDocument/didOpen", "textDocument/didChange"):
            document = params["textDocument"]
            changes = params.get("contentChanges", [document])
            self.texts[document["uri"]] = changes[-1]["text"]
            self.publish(document["uri"], document["version"])
        elif method == "$/cancelRequest":
            note(self.diary, "c")
        elif "id" in message and method:
            send({"id": message["id"], "result": self.answer(method, params)})

    def answer(self, method: str, params: Message) -> Any:
        if method == "initialize":
            return {"capabilities": {}}
        if method == "$/lean/plainGoal":
            goal = f"⊢ ¬{stem(params['textDocument']['uri'])}"
            return {"rendered": f"```lean\n{goal}\n```", "goals": [goal]}
        return None if method.startswith("$/lean/") else {}

    def publish(self, uri: str, version: int) -> None:
        diagnostics = []
        text = self.texts[uri]
        braces = BRACES.search(text)
        if braces is not None and braces["tactic"] != "good":
            before = text[: braces.start("close")]
            place = {"line": before.count("\n"), "character": len(before) - before.rfind("\n") - 1}
            diagnostics.append(
                {
                    "range": {"start": place, "end": place},
                    "severity": 1,
                    "message": "unsolved goals\n⊢ " + (braces["tactic"] or "¬A"),
                }
            )
        send(
            {
                "method": "textDocument/publishDiagnostics",
                "params": {"uri": uri, "version": version, "diagnostics": diagnostics},
            }
        )


class MisbehavingLean(HonestLean):
    """Honest until it is first asked for a goal (or, in some scenarios, until something else)."""

    def __init__(self, scenario: str, diary: Path) -> None:
        super().__init__(diary)
        self.scenario = scenario
        self.held: list[Message] = []

    def handle(self, message: Message) -> None:
        method = message.get("method")
        text = str(message.get("params", {}))
        is_due = {
            "never-starts": method == "initialize",
            "dies-at-start": method == "initialize",
            "dies-at-tactic": "die here" in text,
            "hangs-at-tactic": method == "textDocument/waitForDiagnostics" and "-/ hang" in str(self.texts),
        }.get(self.scenario, method == "$/lean/plainGoal")
        if is_due:
            misdeeds: dict[str, Callable[[Message], None]] = {
                "bad-json": lambda _: send_raw(b"Content-Length: 9\r\n\r\n{not json"),
                "not-an-object": lambda _: send_raw(b"Content-Length: 2\r\n\r\n[]"),
                "length-too-big": lambda m: send({"id": m["id"], "result": None}, said_length=10**6),
                "length-too-small": lambda m: send({"id": m["id"], "result": None}, said_length=5),
                "negative-length": lambda m: send({"id": m["id"], "result": None}, said_length=-5),
                "no-length": lambda _: send_raw(b"Content-Type: lean\r\n\r\n{}"),
                "half-an-answer": self.half_an_answer,
                "dies": self.die,
                "dies-at-start": self.die,
                "dies-at-tactic": self.die,
                "closes-stdout": lambda _: os.close(1),
                "wrong-shape": lambda m: send({"id": m["id"], "result": "a goal"}),
                "wrong-id": lambda _: send({"id": 987654, "result": None}),
                "never-answers": lambda _: None,
                "never-starts": lambda _: None,
                "hangs-at-tactic": lambda _: None,
                "error-answer": lambda m: send(
                    {"id": m["id"], "error": {"code": -32603, "message": "oh no"}}
                ),
                "out-of-order": self.hold_two,
                "floods-stderr": self.flood,
            }
            note(self.diary, "m")
            misdeeds[self.scenario](message)
        else:
            super().handle(message)

    def half_an_answer(self, message: Message) -> None:
        send_raw(b'Content-Length: 200\r\n\r\n{"jsonrpc": "2.0", "id": ')
        sys.exit(0)

    def die(self, message: Message) -> None:
        print("Stack overflow detected. Aborting.", file=sys.stderr, flush=True)
        sys.exit(134)

    def hold_two(self, message: Message) -> None:
        """Answer requests in pairs, the later first, with an answer nobody asked for between them."""
        self.held.append(message)
        if len(self.held) == 2:
            for held in reversed(self.held):
                send({"id": held["id"], "result": self.answer("$/lean/plainGoal", held["params"])})
                send({"id": 10**6, "result": None})
            self.held = []

    def flood(self, message: Message) -> None:
        for _ in range(64):
            os.write(2, b"warning: " * 40_000)
        super().handle(message)


class BusyLean(HonestLean):
    """Never done with line 0, past all others before it reports the error in line 1, as Lean on a busy machine."""

    def handle(self, message: Message) -> None:
        if message.get("method") != "textDocument/waitForDiagnostics":
            super().handle(message)

    def publish(self, uri: str, version: int) -> None:
        place = {"line": 1, "character": 2}
        error = {"range": {"start": place, "end": place}, "severity": 1, "message": "no"}
        left = {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}}
        document = {"uri": uri, "version": version}
        found = [error] if version > 1 else []
        send({"method": "$/lean/fileProgress", "params": {"textDocument": document, "processing": [left]}})
        send({"method": "textDocument/publishDiagnostics", "params": {**document, "diagnostics": found}})


def main() -> None:
    scenario, diary = sys.argv[1], Path(sys.argv[2])
    is_first = not diary.exists()
    note(diary, "x")
    first = BusyLean(diary) if scenario == "busy" else MisbehavingLean(scenario, diary)
    (first if is_first else HonestLean(diary)).run()
    while scenario == "closes-stdout" and is_first:
        signal.pause()


if __name__ == "__main__":
    main()
