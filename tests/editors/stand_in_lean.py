"""A language server that plays the Lean of another client: it knows the goals it is given, and nothing else.

Run as `python stand_in_lean.py GOALS`. GOALS is JSON: `{"plainGoal": {"7": "⊢ p"}, "plainTermGoal": {...}}`,
by line from 0; an empty goal means that none is left. On any other line the answer is null, as Lean's is.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def read() -> dict[str, Any] | None:
    length = 0
    while line := sys.stdin.buffer.readline().strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return json.loads(sys.stdin.buffer.read(length)) if length else None


def send(number: object, result: object) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": number, "result": result}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    sys.stdout.buffer.flush()


def answer(method: str, params: Any, goals: dict[str, dict[str, str]]) -> object:
    if method == "initialize":
        return {"capabilities": {"textDocumentSync": 1}, "serverInfo": {"name": "stand-in"}}
    kind = method.removeprefix("$/lean/")
    if kind not in ("plainGoal", "plainTermGoal"):
        return None
    goal = goals.get(kind, {}).get(str(params["position"]["line"]))
    if goal is None:
        return None
    if kind == "plainTermGoal":
        place = params["position"]
        return {"goal": goal, "range": {"start": place, "end": place}}
    return {"rendered": f"```lean\n{goal}\n```", "goals": [goal] if goal else []}


def main() -> None:
    goals = json.loads(sys.argv[1])
    while (message := read()) is not None:
        if message["method"] == "exit":
            return
        if "id" in message:
            send(message["id"], answer(message["method"], message.get("params"), goals))


if __name__ == "__main__":
    main()
