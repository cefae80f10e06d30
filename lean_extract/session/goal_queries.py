"""Queries Lean for the goals at a position in a file, and finds out why there are none."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leanclient.aio import DocState

from lean_extract.common.errors import BadSource, BadState, GoalBroken, NoGoalHere, ProjectBroken
from lean_extract.common.files.reading import read_source
from lean_extract.goals import parse_goal, parse_plain_goal
from lean_extract.records import Position, ProofState, Span
from lean_extract.session.document import LeanDocument
from lean_extract.session.faults import Fault, fault_to_name, faults_in, is_error, position_of
from lean_extract.session.imports import (
    blocked_import,
    broken_configuration,
    broken_imports,
    broken_module,
    lake_failure,
)
from lean_extract.session.places import HOLE, hole_at
from lean_extract.session.server import LeanServer
from lean_extract.session.tactic_sites import snap, tactic_starts
from lean_extract.syntax.lexer import unread_at
from lean_extract.toolchains.compile import CircularImports

_WHERE_GOALS_ARE = "Put the cursor on a tactic after `by`, on a `sorry` or on a hole `_`."
_BY = "(by "
_COMMENT = re.compile(r"[ \t]*(?:/-(?!-)|--)")


@dataclass(frozen=True, slots=True)
class GoalsFound:
    """Lean's goals, the position at which it shows them, whether they are the goals of a term, and whether a `sorry`
    or another hole is there."""

    state: ProofState
    position: Position
    is_term: bool
    is_hole: bool = False


async def query_goals(
    server: LeanServer, path: Path, document: LeanDocument, position: Position
) -> GoalsFound:
    """The goals at a position. If possible, Lean elaborates only the text up to the end of the declaration.

    Raises:
        NoGoalHere: there is no goal at the position.
        ProjectBroken: the imports cannot be loaded.
        LeanError: as `LeanServer` raises.
    """
    await asyncio.to_thread(refuse_unread, path, document, position)
    position = snap(document, position)
    shown = document.text[: document.declaration(document.offset(position))[1]]
    state = await server.sync(path, shown, document.text)
    hole = hole_at(document, document.offset(position))
    found = await _goals(server, path, position, hole)
    if found is None:
        # Lean also answers null if the text is not fully elaborated yet, or was cut off too early.
        await server.wait_elaborated(path)
        found = await _goals(server, path, position, hole)
    if found is None and state.text != document.text and not state.fatal_error:
        state = await server.sync(path, document.text)
        await server.wait_elaborated(path)
        found = await _goals(server, path, position, hole)
    if found is None:
        if state.fatal_error:
            errors = _errors(state)
            message = str(errors[0]["message"]) if errors else ""
            raise await _broken_imports(server, path, document, message)
        raise _no_goal(path, state, document, position)
    if hole is not None and found.is_term:
        return await _goals_of_by(server, path, document, hole) or found
    if not found.state.goals:
        for start in tactic_starts(document, position):
            before = await _goals(server, path, start, None)
            if before is not None and before.state.goals:
                return before
    return found


def refuse_unread(path: Path, document: LeanDocument, position: Position) -> None:
    """Raise NoGoalHere where a position is inside a comment or a string; BadPosition where it is outside the text."""
    if inside := unread_at(document.text, document.offset(position)):
        raise NoGoalHere(
            f"Line {position.line + 1} of {path.name} is inside a {inside} at column {position.column + 1}, "
            "where there is no goal.",
            _WHERE_GOALS_ARE,
        )


async def _broken_imports(
    server: LeanServer, path: Path, document: LeanDocument, message: str
) -> ProjectBroken:
    """The error for a file whose imports cannot be loaded, with Lean's error in the module at fault."""
    project, toolchain = server.project, server.toolchain
    failure = lake_failure(message)
    if failure is not None and failure.needs_restart:
        server.give_up()  # so that the next request starts one that reads the configuration again
    if failure is not None and failure.is_configuration:
        return broken_configuration(project, failure)
    try:
        blocked = await asyncio.to_thread(blocked_import, path, document.text, project, toolchain)
    except CircularImports as error:
        return error
    if blocked is not None and blocked.path is not None:
        rejected = broken_module(path, blocked, await _errors_of(server, blocked.path))
        if rejected is not None:
            return rejected
    return broken_imports(path, message, project, toolchain, blocked)


async def _errors_of(server: LeanServer, other: Path) -> list[dict[str, Any]]:
    """Lean's errors about another file on disk, of which a copy is opened, as it may be open already."""
    try:
        found = await server.fresh_messages(other, LeanDocument(read_source(other)).text)
    except BadSource:
        return []
    return sorted(filter(is_error, found), key=lambda item: position_of(item["range"]["start"]))


async def query_expected(
    server: LeanServer, path: Path, document: LeanDocument, position: Position
) -> GoalsFound:
    """The goal of the `sorry` at the position of a term, regardless of any tactic around it.

    Raises: as `query_goals`.
    """
    shown = document.text[: document.declaration(document.offset(position))[1]]
    state = await server.sync(path, shown, document.text)
    printed = await server.expected_type(path, position, len(HOLE))
    if printed is None:
        await server.wait_elaborated(path)
        printed = await server.expected_type(path, position, len(HOLE))
    try:
        goal = None if printed is None else parse_goal(printed)
    except BadState:
        goal = None
    if goal is None:
        raise _no_goal(path, state, document, position)
    return GoalsFound(ProofState((goal,)), position, is_term=True)


async def query_errors(
    server: LeanServer, path: Path, document: LeanDocument, position: Position, part: Span
) -> list[Fault]:
    """Lean's errors in the declaration at a position, from top to bottom, once it is past the lines of a part.

    Raises LeanError as `LeanServer` raises.
    """
    first, end = document.declaration(document.offset(position))
    text = document.text
    # A comment may be in the middle of a proof, where Lean would miss the rest.
    shown = text if _COMMENT.match(text, end) else text[:end]
    await server.sync(path, shown, text)
    faults = sorted(faults_in(await server.errors_of(path, part)))
    begin, stop = document.position(first), document.position(end)
    # An error at its first word is about the end of what is above it.
    return [fault for fault in faults if begin < fault.position <= stop]


def error_above(state: DocState, document: LeanDocument, position: Position) -> str:
    """A hint to fix the first error in the declaration up to the position; empty if there is none."""
    first = _first_line(document, position)
    faults = [fault for fault in faults_in(_errors(state)) if first <= fault.position.line <= position.line]
    fault = fault_to_name(faults, first, Position(position.line + 1, 0))
    return f"Fix the error in line {fault.position.line + 1} first: {fault.first_line}" if fault else ""


async def broken_goal(
    server: LeanServer, path: Path, document: LeanDocument, position: Position
) -> GoalBroken:
    """Why no tactic can be judged at a goal that mentions `sorry`: the error that caused the `sorry`."""
    faults = faults_in(_errors(await server.wait_elaborated(path)))
    fault = fault_to_name(faults, _first_line(document, position), position)
    if fault is None:
        return GoalBroken(
            "The goal mentions `sorry`.", "No tactic can be judged until the `sorry` is replaced."
        )
    message = f"Line {fault.position.line + 1} has an error: {fault.first_line}"
    return GoalBroken(message, "No tactic can be judged until it is fixed.")


def _first_line(document: LeanDocument, position: Position) -> int:
    return document.position(document.declaration(document.offset(position))[0]).line


async def _goals(
    server: LeanServer, path: Path, position: Position, hole: tuple[int, int] | None
) -> GoalsFound | None:
    """The goals of the hole at the position, of the tactic block there, or else of the term there."""
    request = asyncio.create_task(server.tactic_goals(path, position))
    try:
        printed = None if hole is None else await server.expected_type(path, position, hole[1] - hole[0])
        answer = await request
    finally:
        request.cancel()
    if printed is None:
        if answer is not None:
            return GoalsFound(parse_plain_goal(answer), position, is_term=False, is_hole=hole is not None)
        printed = await server.term_goal(path, position)
    if printed is None:
        return None
    try:
        goal = parse_goal(printed)
    except BadState:
        return None
    return GoalsFound(ProofState((goal,)), position, is_term=True, is_hole=hole is not None)


async def _goals_of_by(
    server: LeanServer, path: Path, document: LeanDocument, hole: tuple[int, int]
) -> GoalsFound | None:
    """The goals of `by` in place of a hole in a term; None if Lean shows none there.

    They are what tactics are tried on. They can differ from the goal of the term: for a statement `∀ {x}, p x`, Lean
    introduces `x` for a term, but not for `by`.
    """
    _, end = document.declaration(hole[0])
    start = document.position(hole[0])
    text = f"{document.text[: hole[0]]}{_BY}{HOLE}){document.text[hole[1] : end]}"
    await server.sync(path, text)
    answer = await server.tactic_goals(path, Position(start.line, start.column + len(_BY)))
    if answer is None or not answer["goals"]:
        return None
    return GoalsFound(parse_plain_goal(answer), start, is_term=True, is_hole=True)


def _no_goal(path: Path, state: DocState, document: LeanDocument, position: Position) -> NoGoalHere:
    return NoGoalHere(
        f"Lean has no goal in line {position.line + 1} of {path.name}, column {position.column + 1}.",
        error_above(state, document, position) or _WHERE_GOALS_ARE,
    )


def _errors(state: DocState) -> list[dict[str, Any]]:
    """Lean's errors about a document, from top to bottom."""
    return sorted(filter(is_error, state.diagnostics), key=lambda item: position_of(item["range"]["start"]))
