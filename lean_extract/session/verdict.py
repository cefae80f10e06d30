"""What Lean's messages about a copy say of the tactic in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from lean_extract.errors import BadState
from lean_extract.goals import parse_state
from lean_extract.records import Goal, Position, ProofState, TacticOutcome
from lean_extract.session.shadow import Place, Shadow
from lean_extract.tactic_text import has_sorry

_ERROR = 1
_UNSOLVED = re.compile(r"(?:error: )?unsolved goals\n")
_USES_SORRY = re.compile(r"declaration uses [`']sorry[`']")
# Lean says this of a hole only once nothing else is wrong, so it is no fault of the tactic.
_OTHER_HOLE = re.compile(r"don't know how to synthesize")
_GAVE_UP = "it leaves the goal to `sorry`"
_METAVARIABLE = re.compile(r"\?(\w+)\.\d+")

Anchor = tuple[str, int, int]
"""A place that stays the same whatever stands in the braces: side, line and column from there."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The messages about one copy, sorted by what they are about.

    `error`: the tactic's own first error. `remaining`: the goals it leaves; None if Lean did not say.
    `elsewhere`: first messages of the errors outside the braces. `is_unchecked`: some of those stand in
    this declaration, so that Lean looks for neither `sorry` nor recursion in it. `uses_sorry`: Lean warns
    of it in this declaration.
    """

    error: str | None
    remaining: tuple[Goal, ...] | None
    elsewhere: Mapping[Anchor, str]
    is_unchecked: bool
    uses_sorry: bool


def read(diagnostics: Iterable[Mapping[str, Any]], shadow: Shadow) -> Reading:
    """Sort the diagnostics (columns in code points) of a copy."""
    own: list[tuple[Position, str]] = []
    remaining: tuple[Goal, ...] | None = None
    elsewhere: dict[Anchor, str] = {}
    is_unchecked = uses_sorry = False
    for item in diagnostics:
        message = str(item.get("message", ""))
        place = item["range"]["start"]
        start = Position(int(place["line"]), int(place["character"]))
        if item.get("severity") != _ERROR:
            uses_sorry |= start.line >= shadow.line and _USES_SORRY.search(message) is not None
            continue
        unsolved = _UNSOLVED.match(message) if start == shadow.brace else None
        if unsolved:
            remaining = (remaining or ()) + _goals(message[unsolved.end() :])
        elif shadow.start <= start <= shadow.brace:
            own.append((start, message))
        else:
            elsewhere.setdefault(_anchor(start, shadow), message)
            is_unchecked |= start.line >= shadow.line
    return Reading(_first(own, shadow), remaining, elsewhere, is_unchecked, uses_sorry)


def same_goal(one: Goal, other: Goal) -> bool:
    """Whether two goals are printed alike, but for line breaks, case tags and metavariable numbers."""
    return _folded(one) == _folded(other)


def judge(tactic: str, reading: Reading, blank: Reading, place: Place, milliseconds: float) -> TacticOutcome:
    """What became of the goal.

    Args:
        tactic: as it was given.
        reading: the messages with the tactic between the braces.
        blank: the messages with nothing there; `remaining` is the goal itself.
        place: where it was tried.
        milliseconds: how long it took.
    """
    problem = reading.error
    if problem is None:
        new = [
            message
            for anchor, message in reading.elsewhere.items()
            if anchor not in blank.elsewhere and not _OTHER_HOLE.match(message)
        ]
        problem = new[0] if new else None
    if problem is not None:
        return TacticOutcome(tactic, "fails", None, problem.strip(), milliseconds)
    if reading.remaining:
        before = blank.remaining or ()
        if len(reading.remaining) == len(before) and all(map(same_goal, reading.remaining, before)):
            return TacticOutcome(tactic, "fails", None, "changes nothing", milliseconds)
        return TacticOutcome(tactic, "progress", ProofState(reading.remaining), "", milliseconds)
    if reading.is_unchecked:
        if place.names_itself(tactic):
            return TacticOutcome(tactic, "fails", None, "it uses what is being proved", milliseconds)
    elif reading.uses_sorry and not has_sorry(place.declaration):
        return TacticOutcome(tactic, "fails", None, _GAVE_UP, milliseconds)
    return TacticOutcome(tactic, "closes", ProofState(()), "", milliseconds)


def doubt(closes: TacticOutcome, apart: Reading, milliseconds: float) -> TacticOutcome:
    """What becomes of a tactic that closes the goal of a declaration with other holes.

    Args:
        closes: the verdict without regard to `sorry`.
        apart: the messages where the other holes are filled; if that makes errors, they tell nothing.
        milliseconds: how long both took.
    """
    is_told = apart.error is None and not apart.remaining and not apart.is_unchecked
    if is_told and apart.uses_sorry:
        return TacticOutcome(closes.tactic, "fails", None, _GAVE_UP, milliseconds)
    return replace(closes, milliseconds=milliseconds)


def _first(errors: list[tuple[Position, str]], shadow: Shadow) -> str | None:
    """The first error, but not that the braces are left open where something in them cannot be read."""
    telling = [item for item in errors if not (item[0] == shadow.start and _UNSOLVED.match(item[1]))]
    return min(telling or errors)[1] if errors else None


def _goals(text: str) -> tuple[Goal, ...]:
    try:
        return parse_state(text).goals
    except BadState:
        # A goal that is printed in a way of its own still counts as one.
        return (Goal((), text.strip()),)


def _anchor(start: Position, shadow: Shadow) -> Anchor:
    if start < shadow.start:
        return "before", start.line, start.column
    lines = start.line - shadow.brace.line
    return "after", lines, start.column - (shadow.brace.column if lines == 0 else 0)


def _folded(goal: Goal) -> tuple[object, ...]:
    hypotheses = tuple((item.names, _fold(item.type), _fold(item.value or "")) for item in goal.hypotheses)
    return hypotheses, _fold(goal.target)


def _fold(text: str) -> str:
    return _METAVARIABLE.sub(r"?\1", " ".join(text.split()))
