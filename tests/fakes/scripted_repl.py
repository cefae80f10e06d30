"""A process that speaks the protocol of leanprover-community/repl as its sources define it, from a table.

Run as `python scripted_repl.py SCENARIO DIARY`. Into the file DIARY goes one line for each start and each request.

Its habits: requests are JSON up to an empty line; answers are JSON over several lines, and an empty line. Commands
without `env` start anew, and only they may import. Each `sorry` of a command has a position, whose lines count from 1,
a goal and a state of its own. A tactic that Lean refuses gives an object with a `message` alone.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from pathlib import Path
from typing import Any

Object = dict[str, Any]
GOAL = "a b : Nat\n⊢ a + b = b + a"
SORRY = re.compile(r"(?<![\w.])sorry(?![\w'])")
DECLARES = re.compile(r"(?:theorem|example|def)\b")
STEPS: dict[str, Object] = {
    "exact Nat.add_comm a b": {"goals": [], "proofStatus": "Completed"},
    "exact Lib.plus_swap _ _": {"goals": [], "proofStatus": "Completed"},
    "exact?": {
        "goals": [],
        "proofStatus": "Completed",
        "messages": [
            {
                "severity": "info",
                "pos": {"line": 0, "column": 0},
                "endPos": {"line": 0, "column": 6},
                "data": "Try this:\n  [apply] exact Nat.add_comm a b",
            }
        ],
    },
    "rw [Nat.add_comm]": {
        "goals": ["a b : Nat\n⊢ b + a = b + a"],
        "proofStatus": "Incomplete: open goals remain",
    },
    "skip": {"goals": [GOAL], "proofStatus": "Incomplete: open goals remain"},
    "exact unchecked": {
        "goals": [],
        "proofStatus": "Error: kernel type check failed: (kernel) declaration has free variables",
    },
    "exact given_up": {"goals": [], "proofStatus": "Incomplete: contains sorry"},
    "half": {
        "goals": [],
        "proofStatus": "Completed",
        "messages": [
            {
                "severity": "error",
                "pos": {"line": 0, "column": 0},
                "endPos": None,
                "data": "half of it failed",
            }
        ],
    },
    "first | sorry": {
        "goals": [],
        "proofStatus": "Incomplete: contains sorry",
        "sorries": [{"goal": GOAL, "proofState": 0}],
    },
    "constructor": {
        "goals": ["case left\na b : Nat\n⊢ True", "case right\na b : Nat\n⊢ False"],
        "proofStatus": "Incomplete: open goals remain",
    },
}


class Repl:
    """The state of one process."""

    def __init__(self, scenario: str, diary: Path) -> None:
        self.scenario = scenario
        self.diary = diary
        self.environments = 0
        self.states = 0
        self.is_first = not diary.exists()
        self.note("start")

    def note(self, line: str) -> None:
        with self.diary.open("a", encoding="utf-8") as stream:
            stream.write(f"{line}\n")

    def answer(self, request: Object) -> Object:
        if "tactic" in request:
            self.note(f"tactic {request['tactic']}")
            return self.step(request)
        self.note(f"cmd {request.get('env', '-')} {json.dumps(request['cmd'])}")
        return self.command(request)

    def command(self, request: Object) -> Object:
        text, env = request["cmd"], request.get("env")
        if env is not None and env >= self.environments:
            return {"message": "Unknown environment."}
        if env is None and "import Missing" in text:
            return {
                "message": "unknown module prefix 'Missing'\n\nNo directory 'Missing' or file 'Missing.olean'"
            }
        self.environments += 1
        found: Object = {"env": self.environments - 1}
        messages = []
        if text == "#eval Lean.versionString":
            messages.append(message("info", 0, 0, '"4.33.0-rc2"'))
        for number, line in enumerate(text.split("\n")):
            if (column := line.find("broken")) >= 0:
                messages.append(message("error", number, column, "unknown identifier 'broken'"))
        sorries = []
        for match in SORRY.finditer(re.sub(r"--.*", lambda comment: " " * len(comment[0]), text)):
            line, column = (
                text[: match.start()].count("\n"),
                match.start() - text.rfind("\n", 0, match.start()) - 1,
            )
            sorries.append(
                {
                    "proofState": self.states,
                    "pos": {"line": line + 1, "column": column},
                    "goal": GOAL,
                    "endPos": {"line": line + 1, "column": column + 5},
                }
            )
            self.states += 1
            above = text[: match.start()].split("\n")
            declared = max(n for n, one in enumerate(above) if n == 0 or DECLARES.match(one))
            if "warn.sorry false" not in text[: match.start()]:
                messages.append(message("warning", declared, 0, "declaration uses 'sorry'"))
        return {
            **({"sorries": sorries} if sorries else {}),
            **({"messages": messages} if messages else {}),
            **found,
        }

    def step(self, request: Object) -> Object:
        if request["proofState"] >= self.states:
            return {"message": "Unknown proof state."}
        tactic = request["tactic"]
        if tactic == "loop":
            signal.pause()
        if tactic == "die":
            print("INTERNAL PANIC: out of memory", file=sys.stderr, flush=True)
            os._exit(1)
        if tactic == "babble":
            return {"goals": 3}
        found = STEPS.get(tactic)
        if found is None:
            return {"message": f"Lean error:\n<input>:1:0: unknown tactic '{tactic}'"}
        if self.scenario == "old":
            found = {key: value for key, value in found.items() if key != "proofStatus"}
        self.states += 1
        return {"proofState": self.states - 1, **found}


def message(severity: str, line: int, column: int, data: str) -> Object:
    pos = {"line": line + 1, "column": column}
    return {"severity": severity, "pos": pos, "endPos": {**pos, "column": column + 1}, "data": data}


def read() -> str:
    lines = []
    for line in sys.stdin:
        if not line.strip():
            if lines:
                break
            continue
        lines.append(line)
    return "".join(lines)


def main() -> None:
    scenario, diary = sys.argv[1], Path(sys.argv[2])
    repl = Repl(scenario, diary)
    if scenario == "dies at once":
        sys.exit("lake: no such target")
    while text := read():
        if scenario == "silent":
            signal.pause()
        if scenario == "no JSON":
            print("Segmentation fault\n", flush=True)
            continue
        if scenario == "endless":
            while True:
                print("[" * 65536, flush=True)
        print(json.dumps(repl.answer(json.loads(text)), ensure_ascii=False, indent=1) + "\n", flush=True)


if __name__ == "__main__":
    main()
