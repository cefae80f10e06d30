"""A new Lean process for each file over the example library, and how its messages judge a tactic in it.

Used by `check_shown_tactics.py`.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lean_extract.common.errors import LeanError
from lean_extract.goals import parse_goal, parse_state
from lean_extract.records import Position, ProofState
from lean_extract.session.document import LeanDocument
from lean_extract.toolchains import packaged
from lean_extract.toolchains.compile import lean_messages
from lean_extract.toolchains.toolchain import project_oleans
from lsp_server.commands.demo import EXAMPLE
from lsp_server.documents.positions import offset_of
from lsp_server.engine.schema_items import EditItem, TacticItem
from prover.states import nameless_fingerprint

_AXIOMS = {"propext", "Classical.choice", "Quot.sound"}
_DEPENDS = re.compile(r"depends on axioms: \[([^\[\]]*)\]")
_UNSOLVED = "unsolved goals\n"
_SORRY = re.compile(r"(?<![\w.'])sorry(?![\w.'])")
_LEAN_SECONDS = 120


class FreshLean:
    """A new Lean process for each file, on top of the compiled library; at most `jobs` at once."""

    def __init__(self, jobs: int = 1) -> None:
        lean = packaged.prepare()
        oleans = project_oleans(EXAMPLE)
        packaged.build_library(EXAMPLE, oleans, lean)
        self._command = lean.lean_command
        self._environment = lean.environment_for(oleans, EXAMPLE)
        self._slots = asyncio.Semaphore(jobs)

    async def remarks(self, text: str, place: Position | None, axioms_of: str = "") -> list[dict[str, Any]]:
        """Lean's messages on a file, up to the end of the declaration at the place if there is one.

        `axioms_of`: a theorem whose axioms are listed, too.
        """
        if place is not None:
            document = LeanDocument(text)
            text = document.text[: document.declaration(document.offset(place))[1]]
        if axioms_of:
            text += f"\n#print axioms {axioms_of}\n"
        async with self._slots:
            return await asyncio.to_thread(self.messages, text)

    async def against(
        self, text: str, place: Position, tactic: TacticItem, theorem: str, lines_down: int = 0
    ) -> str:
        """Lean's objection to a tactic that is shown as closing its goal; empty without one.

        `theorem`: the one that holds the goal, if nothing else in it is left to `sorry`. `lines_down`: how many lines
        further down the tactic's place is in this text.
        """
        if tactic.edit is None:
            return "it came without an edit"
        messages = await self.remarks(edited(text, tactic.edit, lines_down), place, theorem)
        return closes_amiss(messages, is_whole=bool(theorem), on_sorry=tactic.rests_on_sorry)

    def messages(self, text: str) -> list[dict[str, Any]]:
        """Lean's messages on a file; a crash or a timeout is an error, too."""
        try:
            return lean_messages(self._command, self._environment, text, _LEAN_SECONDS)
        except LeanError as error:
            return [{"severity": "error", "data": error.message}]


def edited(text: str, edit: EditItem, lines_down: int = 0) -> str:
    """A file after an edit; `lines_down`: how many lines further down its place is in this file."""
    lines = text.split("\n")
    start = Position(edit.line - 1 + lines_down, edit.column - 1)
    end = Position(edit.end_line - 1 + lines_down, edit.end_column - 1)
    return text[: offset_of(lines, start)] + edit.text + text[offset_of(lines, end) :]


def errors(messages: Sequence[dict[str, Any]]) -> list[str]:
    """The errors among Lean's messages."""
    return [one["data"].removeprefix("error: ") for one in messages if one["severity"] == "error"]


def closes_amiss(messages: Sequence[dict[str, Any]], *, is_whole: bool, on_sorry: bool = False) -> str:
    """Why a tactic does not close its goal; empty: it does.

    `is_whole`: nothing else is left to `sorry`. `on_sorry`: it is shown as resting on `sorry`.
    """
    if found := errors(messages):
        return found[0]
    amiss = _axioms_amiss(messages) if is_whole else ""
    if not (on_sorry and is_whole):
        return amiss
    return "" if "sorryAx" in amiss else "it is shown as resting on `sorry`, and does not"


def leaves_amiss(messages: Sequence[dict[str, Any]], left: Sequence[str]) -> str:
    """Why a tactic does not leave these goals, perhaps followed by others; empty: it does."""
    found = errors(messages)
    if not found or not all(one.startswith(_UNSOLVED) for one in found):
        return "; ".join(found) or "no goal is left"
    goals = [goal for one in found for goal in parse_state(one.removeprefix(_UNSOLVED)).goals]
    expected = ProofState(tuple(parse_goal(goal) for goal in left))
    if nameless_fingerprint(ProofState(tuple(goals[: len(left)]))) != nameless_fingerprint(expected):
        return f"other goals are left: {'; '.join(found)}"
    return ""


def with_done(edit: EditItem) -> EditItem:
    """An edit with `done` for each `sorry`, where Lean then reports the goal that is left there."""
    return replace(edit, text=_SORRY.sub("done", edit.text))


def _axioms_amiss(messages: Sequence[dict[str, Any]]) -> str:
    for message in messages:
        if found := _DEPENDS.search(message["data"]):
            others = {name.strip() for name in found[1].split(",")} - _AXIOMS
            return f"it rests on {', '.join(sorted(others))}" if others else ""
        if "does not depend on any axioms" in message["data"]:
            return ""
    return "Lean did not name its axioms"
