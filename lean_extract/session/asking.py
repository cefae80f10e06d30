"""Lean's goals at a position of a file, or why there are none."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leanclient.aio import DocState

from lean_extract.errors import BadSource, BadState, GoalBroken, NoGoalHere, ProjectBroken
from lean_extract.files.reading import read_source
from lean_extract.goals import parse_goal, parse_plain_goal
from lean_extract.records import Position, ProofState
from lean_extract.session.document import LeanDocument
from lean_extract.session.faults import Fault, telling
from lean_extract.session.imports import blocked_import, broken_imports, broken_module
from lean_extract.session.server import LeanServer
from lean_extract.session.shadow import snap, tactic_starts
from lean_extract.syntax.lexer import unread_at
from lean_extract.toolchains.compile import CircularImports

_ERROR = 1
_PROBE = "_premise_suggest_imported_by_"
_WHERE_GOALS_ARE = "Put the cursor on a tactic after `by`, on a `sorry` or on a hole `_`."
HOLE = "sorry"
"""What stands for a term that is still to be written."""


@dataclass(frozen=True, slots=True)
class GoalsFound:
    """Lean's goals, where it shows them, and whether they are a term's."""

    state: ProofState
    position: Position
    is_term: bool


async def ask(server: LeanServer, path: Path, document: LeanDocument, position: Position) -> GoalsFound:
    """The goals at a position; Lean elaborates no more than what stands above them, if it can be helped.

    Raises:
        NoGoalHere, ProjectBroken: there is no goal, or the imports cannot be loaded.
        LeanError: what `LeanServer` raises.
    """
    if inside := unread_at(document.text, document.offset(position)):
        raise NoGoalHere(
            f"Line {position.line + 1} of {path.name} is inside a {inside} at column {position.column + 1}, "
            "where there is no goal.",
            _WHERE_GOALS_ARE,
        )
    position = snap(document, position)
    shown = document.text[: document.declaration(document.offset(position))[1]]
    state = await server.sync(path, shown)
    found = await _goals(server, path, position)
    if found is None:
        # A null answer may come from a half elaborated text, or from one cut off too early.
        await server.settle(path)
        found = await _goals(server, path, position)
    if found is None and shown != document.text and not state.fatal_error:
        state = await server.sync(path, document.text)
        await server.settle(path)
        found = await _goals(server, path, position)
    if found is None:
        if state.fatal_error:
            errors = _errors(state)
            said = str(errors[0]["message"]) if errors else ""
            raise await _broken_imports(server, path, document, said)
        raise _no_goal(path, state, document, position)
    if not found.state.goals:
        for start in tactic_starts(document, position):
            before = await _goals(server, path, start)
            if before is not None and before.state.goals:
                return before
    return found


async def _broken_imports(server: LeanServer, path: Path, document: LeanDocument, said: str) -> ProjectBroken:
    """What keeps the file's imports from loading, with Lean's own word on the module at fault."""
    project, toolchain = server.project, server.toolchain
    try:
        blocked = await asyncio.to_thread(blocked_import, path, document.text, project, toolchain)
    except CircularImports as error:
        return error
    if blocked is not None and blocked.path is not None:
        rejected = broken_module(path, blocked, await _errors_of(server, path, blocked.path))
        if rejected is not None:
            return rejected
    return broken_imports(path, said, project, toolchain, blocked)


async def _errors_of(server: LeanServer, path: Path, other: Path) -> list[dict[str, Any]]:
    """Lean's errors about another file as it is on disk, under a name of its own: it may be open as well."""
    probe = path.with_name(f"{_PROBE}{path.name}")
    try:
        state = await server.sync(probe, LeanDocument(read_source(other)).text)
        await server.settle(probe)
        return _errors(state)
    except BadSource:
        return []
    finally:
        await server.forget(probe)


async def ask_expected(
    server: LeanServer, path: Path, document: LeanDocument, position: Position
) -> GoalsFound:
    """What Lean expects of the `sorry` at a position where a term stands, whatever tactic is around it.

    Raises: what `ask` raises.
    """
    shown = document.text[: document.declaration(document.offset(position))[1]]
    state = await server.sync(path, shown)
    printed = await server.expected_type(path, position, len(HOLE))
    if printed is None:
        await server.settle(path)
        printed = await server.expected_type(path, position, len(HOLE))
    try:
        goal = None if printed is None else parse_goal(printed)
    except BadState:
        goal = None
    if goal is None:
        raise _no_goal(path, state, document, position)
    return GoalsFound(ProofState((goal,)), position, is_term=True)


def error_above(state: DocState, document: LeanDocument, position: Position) -> str:
    """What to correct first: the first error of the declaration, up to the position; else nothing."""
    first = _first_line(document, position)
    faults = [fault for fault in _faults(state) if first <= fault.position.line <= position.line]
    fault = telling(faults, first, Position(position.line + 1, 0))
    return f"Correct the error in line {fault.position.line + 1} first: {fault.said}" if fault else ""


async def broken_goal(
    server: LeanServer, path: Path, document: LeanDocument, position: Position
) -> GoalBroken:
    """Why no tactic can be judged at a goal that mentions `sorry`: the error that has put it there."""
    faults = _faults(await server.settle(path))
    fault = telling(faults, _first_line(document, position), position)
    if fault is None:
        return GoalBroken("The goal mentions `sorry`.", "Until that is filled in no tactic can be judged.")
    message = f"Line {fault.position.line + 1} has an error: {fault.said}"
    return GoalBroken(message, "Until it is mended no tactic can be judged.")


def _first_line(document: LeanDocument, position: Position) -> int:
    return document.position(document.declaration(document.offset(position))[0]).line


def _faults(state: DocState) -> list[Fault]:
    return [
        Fault(Position(place["line"], place["character"]), str(item["message"]))
        for item in _errors(state)
        for place in [item["range"]["start"]]
    ]


async def _goals(server: LeanServer, path: Path, position: Position) -> GoalsFound | None:
    answer = await server.tactic_goals(path, position)
    if answer is not None:
        return GoalsFound(parse_plain_goal(answer), position, is_term=False)
    printed = await server.term_goal(path, position)
    if printed is None:
        return None
    try:
        return GoalsFound(ProofState((parse_goal(printed),)), position, is_term=True)
    except BadState:
        return None


def _no_goal(path: Path, state: DocState, document: LeanDocument, position: Position) -> NoGoalHere:
    return NoGoalHere(
        f"Lean has no goal in line {position.line + 1} of {path.name}, column {position.column + 1}.",
        error_above(state, document, position) or _WHERE_GOALS_ARE,
    )


def _errors(state: DocState) -> list[dict[str, Any]]:
    """Lean's errors about a document, from top to bottom."""
    errors = [item for item in state.diagnostics if item.get("severity") == _ERROR]
    return sorted(
        errors, key=lambda item: (item["range"]["start"]["line"], item["range"]["start"]["character"])
    )
