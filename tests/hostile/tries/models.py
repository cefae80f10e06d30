"""A model at a server that answers with hostile texts: what is shown a fresh Lean accepts, and nothing runs.

Everything that Lean is sent is kept: no text in which code would run may be part of it, since Lean runs what it reads.
"""

from __future__ import annotations

import itertools
import random
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lean_extract.session.processes import descendants, identify, running
from lean_extract.toolchains import packaged
from lsp_server.engine.schema_items import EditItem
from scripts.fresh_lean import FreshLean, closes_amiss, edited, leaves_amiss, with_done
from tests.fakes.model_server import Call, Served, serving
from tests.forked import run_of
from tests.hostile.raw_client import RawClient
from tests.hostile.tries.answers import EVIL, hostile_answer
from tests.hostile.tries.ground import Ground
from tests.hostile.tries.report import LEFT, WRONG, Effort, Report

PART = "models"
_FILE = """theorem hole (p : Prop) : p := by
  sorry

theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := by
  sorry

theorem wrong (p q : Prop) (h : p ∨ q) : p := by
  sorry

theorem within (p q : Prop) (h : p ∧ q) : q ∧ p := by
  have second : q := by
    sorry
  exact ⟨second, h.1⟩

theorem either (p q : Prop) (h : p ∨ q) : q ∨ p := by
  sorry
"""
_RIGHT = {
    "swap": "exact ⟨h.2, h.1⟩",
    "wrong": "exact h.elim id id",  # nothing is right there
    "within": "exact h.2",
    "either": "exact h.elim Or.inr Or.inl",
}
_PROOFS_EVERY = 10
_SECONDS = 300.0
_UNKNOWN = f"Unknown identifier `{EVIL}`"
_WATCHED = """#!/bin/sh
case "$*" in
*--server*|*--stdin*) tee -a {log} | {lean} "$@" ;;
*) exec {lean} "$@" ;;
esac
"""


@dataclass(frozen=True, slots=True)
class _WatchedLean:
    """The packaged Lean behind a command that keeps what it is sent."""

    command: Path
    log: Path
    variables: dict[str, str]

    @classmethod
    def within(cls, folder: Path) -> _WatchedLean:
        lean, log = packaged.prepare(), folder / "sent-to-lean"
        command = folder / "watched" / "lean"
        command.parent.mkdir()
        words = shlex.join(lean.lean_command)
        command.write_text(_WATCHED.format(log=shlex.quote(str(log)), lean=words), encoding="utf-8")
        command.chmod(0o700)
        return cls(command, log, dict(lean.environment))


@dataclass(slots=True)
class _Judge:
    """A fresh Lean that says the same of all that is shown, or not. Each claim is looked into once."""

    report: Report
    lean: FreshLean = field(default_factory=FreshLean)
    known: dict[tuple[str, ...], str] = field(default_factory=dict)

    def tactic(self, text: str, name: str, shown: dict[str, Any]) -> None:
        """What is said of a tactic."""
        edit, left = EditItem(**shown["edit"]), shown["remaining_goals"]
        if shown["status"] == "closes":
            self.closes(text, name, [edit], on_sorry=shown["rests_on_sorry"])
        else:
            text = edited(text, with_done(edit))
            self._judge(text, shown, lambda: leaves_amiss(self._messages(text), left))

    def closes(self, text: str, name: str, edits: list[EditItem], *, on_sorry: bool = False) -> None:
        """That a goal is closed by edits, the last of which is made first."""
        for edit in sorted(edits, key=lambda one: (one.line, one.column), reverse=True):
            text = edited(text, edit)
        question = f"{text}\n#print axioms {name}\n"
        amiss = lambda: closes_amiss(self._messages(question), is_whole=True, on_sorry=on_sorry)  # noqa: E731
        self._judge(question, {"on_sorry": on_sorry}, amiss)

    def _messages(self, text: str) -> list[dict[str, Any]]:
        """Lean's messages, and one more where the text declares what only a hostile one would."""
        messages = self.lean.messages(f"{text}\n#check @{EVIL}\n")
        others = [one for one in messages if not one["data"].startswith(_UNKNOWN)]
        if len(others) == len(messages):
            others.insert(0, {"severity": "error", "data": f"it declares `{EVIL}`, or hides what follows"})
        return others

    def _judge(self, text: str, claim: Any, amiss: Callable[[], str]) -> None:
        key = (text, repr(claim))
        if key not in self.known:
            self.known[key] = amiss()
        if why := self.known[key]:
            self.report.found(WRONG, PART, f"shown as accepted: {why}\n{text}")


def run(ground: Ground, effort: Effort, report: Report) -> None:
    """Some hundred answers, as tactics and as whole proofs, to a language server with a real Lean."""
    lean, judge = _WatchedLean.within(ground.folder), _Judge(report)
    canary, numbers, asked = ground.folder / "canary", itertools.count(), ["swap"]

    def answers(call: Call) -> None:
        chance = random.Random(f"{effort.seed} {PART} {next(numbers)}")
        (name,) = asked
        text = hostile_answer(chance, name, _RIGHT[name], str(canary))
        call.text(*_cut(chance, text))

    with serving(answers) as served:
        client = RawClient({**ground.environment, **lean.variables}, seconds=_SECONDS)
        try:
            _try_all(client, ground, served, effort, judge, asked, lean)
        finally:
            started = identify(descendants(run_of(client.process.pid)))
            client.close()
        report.check_log(PART, client.said.decode(errors="replace"))
        if left := running(started):
            report.found(LEFT, PART, f"{len(left)} processes of a language server that has ended")
    sent = lean.log.read_text(encoding="utf-8", errors="replace")
    report.figures["models: kinds of claims that a fresh Lean looked into"] = len(judge.known)
    for text in sorted(set(re.findall(rf".{{0,200}}{re.escape(str(canary))}.{{0,50}}", sent))):
        report.found(WRONG, PART, f"Lean was sent what runs code: {text}")
    if canary.exists():
        report.found(WRONG, PART, "what a model wrote was run")
    if not any(right in sent for right in _RIGHT.values()):
        report.found(WRONG, PART, "nothing that the model wrote was tried")


def _cut(chance: random.Random, text: str) -> Iterator[str]:
    """The text in pieces."""
    while text:
        size = chance.choice([1, 7, 40, 4_000, 60_000])
        yield text[:size]
        text = text[size:]


def _try_all(
    client: RawClient,
    ground: Ground,
    served: Served,
    effort: Effort,
    judge: _Judge,
    asked: list[str],
    lean: _WatchedLean,
) -> None:
    generator = {"generator": f"{served.url}#scripted", "source": "generator", "generated": 16, "seconds": 30}
    options = {
        "tactics": generator,
        "premises": {"outOfScope": False},
        "index": {"auto": False, "onSave": False},
        "lean": {"command": shlex.quote(str(lean.command)), "tacticSeconds": 2},
    }
    client.shake_hands(ground.library, options=options)
    uri = (ground.library / "Answered.lean").as_uri()
    client.open(uri, _FILE)
    names, shown = itertools.cycle(_RIGHT), 0
    for number in itertools.count():
        before = len(served.asked)
        asked[0] = name = next(names)
        text = f"-- {number}\n{_FILE}"  # or the answers to the prompt would be known
        client.change(uri, [{"text": text}], version=number + 2)
        place = {"textDocument": {"uri": uri}, "position": _place(name), "partialResultToken": number}
        if number % _PROOFS_EVERY:
            shown += _suggested(client, judge, text, name, place)
        else:
            shown += _proved(client, judge, text, name, place)
        judge.report.tried(PART, len(served.asked) - before)
        if len(served.asked) == before:
            judge.report.found(WRONG, PART, "the model was not asked")
            break
        if len(served.asked) >= effort.of(100, 1_000):
            break
    judge.report.figures["models: tactics and proofs shown as accepted"] = shown


def _place(name: str) -> dict[str, int]:
    """Where the `sorry` of a theorem is, below a line with a number."""
    start = _FILE.index("sorry", _FILE.index(f"theorem {name} "))
    before = _FILE[:start]
    return {"line": before.count("\n") + 1, "character": start - before.rfind("\n") - 1}


def _suggested(client: RawClient, judge: _Judge, text: str, name: str, place: dict[str, Any]) -> int:
    """Check all tactics that are shown, also those that later ones replace; how many are shown in the end."""
    answer = client.ask("premiseSuggest/suggest", {**place, "tactics": True})["result"]
    parts = [one["params"]["value"] for one in client.others if one.get("method") == "$/progress"]
    client.others.clear()
    for part in (*parts, answer):
        for tactic in part.get("tactics", ()):
            judge.tactic(text, name, tactic)
    return len(answer["tactics"])


def _proved(client: RawClient, judge: _Judge, text: str, name: str, place: dict[str, Any]) -> int:
    """Check a whole proof; how many are shown."""
    answer = client.ask("premiseSuggest/prove", {**place, "seconds": 4})["result"]
    client.others.clear()
    if answer["status"] != "proved":
        return 0
    judge.closes(text, name, [EditItem(**edit) for edit in answer["edits"]])
    return 1
