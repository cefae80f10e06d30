"""The REPL's answers as records: messages, `sorry`s with their proof states, and what a tactic leaves. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lean_extract.common.errors import BadState
from lean_extract.goals import parse_state
from lean_extract.records import Goal, Position
from lean_extract.session.faults import Fault
from lean_extract.session.suggested import suggested_in

_INFORMATION = 3
_SEVERITIES = {"error": 1, "warning": 2}
COMPLETED = "Completed"
"""The `proofStatus` of a proof that Lean's kernel has checked, with no `sorry`."""


@dataclass(frozen=True, slots=True)
class ReplSorry:
    """A `sorry`: where it stands in what was sent, the number of its proof state, and its goals."""

    position: Position
    proof_state: int
    goals: tuple[Goal, ...]


@dataclass(frozen=True, slots=True)
class CommandAnswer:
    """What the REPL says of commands."""

    env: int
    sorries: tuple[ReplSorry, ...]
    faults: tuple[Fault, ...]
    """Errors, and warnings of `sorry`, at their places in what was sent."""
    diagnostics: tuple[Mapping[str, Any], ...] = ()
    """All messages, as Lean's language server gives them; columns in code points."""


@dataclass(frozen=True, slots=True)
class StepAnswer:
    """What a tactic leaves."""

    goals: tuple[Goal, ...]
    status: str
    """Of the whole proof, as newer REPLs say it: `Completed`, `Incomplete: …`, `Error: …`; empty if it is not said."""
    error: str
    """The first error; empty if there is none."""
    has_sorry: bool


def refusal(answer: Mapping[str, Any]) -> str | None:
    """The message of an answer that is an error; None for others."""
    message = answer.get("message")
    return str(message) if message is not None and "env" not in answer and "goals" not in answer else None


def command_answer(answer: Mapping[str, Any]) -> CommandAnswer:
    """The answer to a command. Raises ValueError: it is none."""
    env = answer.get("env")
    if type(env) is not int:
        raise ValueError("it has no environment")
    return CommandAnswer(
        env,
        tuple(hole for entry in _entries(answer, "sorries") if (hole := _sorry(entry)) is not None),
        tuple(fault for entry in _entries(answer, "messages") if (fault := _fault(entry)) is not None),
        tuple(one for entry in _entries(answer, "messages") if (one := _diagnostic(entry)) is not None),
    )


def step_answer(answer: Mapping[str, Any]) -> StepAnswer:
    """The answer to a tactic. Raises ValueError: it is none."""
    goals = answer.get("goals")
    if not isinstance(goals, list) or not all(isinstance(goal, str) for goal in goals):
        raise ValueError("it has no goals")
    errors = [one for one in _entries(answer, "messages") if one.get("severity") == "error"]
    return StepAnswer(
        tuple(goal for printed in goals for goal in goals_of(printed)),
        str(answer.get("proofStatus", "")),
        str(errors[0].get("data", "")).strip() if errors else "",
        bool(_entries(answer, "sorries")),
    )


def suggestions_in(answer: Mapping[str, Any]) -> tuple[str, ...]:
    """What Lean says to try in place of a tactic that asks."""
    said = (suggested_in(str(one.get("data", ""))) for one in _entries(answer, "messages"))
    return tuple(text for texts in said for text in texts)


def goals_of(printed: str) -> tuple[Goal, ...]:
    """The goals in a printed state; one that cannot be parsed still counts as a goal."""
    try:
        return parse_state(printed).goals
    except BadState:
        return (Goal((), printed.strip()),)


def _entries(answer: Mapping[str, Any], name: str) -> Sequence[Mapping[str, Any]]:
    found = answer.get(name, [])
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _sorry(entry: Mapping[str, Any]) -> ReplSorry | None:
    position, number = _position(entry.get("pos")), entry.get("proofState")
    if position is None or type(number) is not int:
        return None
    return ReplSorry(position, number, goals_of(str(entry.get("goal", ""))))


def _fault(entry: Mapping[str, Any]) -> Fault | None:
    position, message = _position(entry.get("pos")), str(entry.get("data", ""))
    if position is None:
        return None
    if entry.get("severity") == "error":
        return Fault(position, message)
    uses_sorry = message.startswith("declaration uses") and "sorry" in message
    return Fault(position, message, is_sorry=True) if uses_sorry else None


def _diagnostic(entry: Mapping[str, Any]) -> Mapping[str, Any] | None:
    start, end = _position(entry.get("pos")), _position(entry.get("endPos"))
    if start is None:
        return None
    severity = _SEVERITIES.get(str(entry.get("severity")), _INFORMATION)
    ends = {"start": start, "end": end or start}
    ranged = {name: {"line": place.line, "character": place.column} for name, place in ends.items()}
    return {"message": str(entry.get("data", "")), "severity": severity, "range": ranged}


def _position(value: object) -> Position | None:
    """A position of the REPL's, whose lines count from 1."""
    if not isinstance(value, dict):
        return None
    line, column = value.get("line"), value.get("column")
    if type(line) is not int or type(column) is not int or line < 1 or column < 0:
        return None
    return Position(line - 1, column)
