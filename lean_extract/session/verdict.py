"""What Lean's messages about a copy say of the tactic in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from lean_extract.errors import BadState
from lean_extract.goals import parse_state
from lean_extract.records import Goal, Position, ProofState, TacticOutcome
from lean_extract.session.faults import Fault, faults_of, mentions_sorry
from lean_extract.session.linting import Lint, lint_of
from lean_extract.session.shadow import Shadow, TacticSite
from lean_extract.syntax.tactic_text import has_sorry

_ERROR = 1
_UNSOLVED = re.compile(r"(?:error: )?unsolved goals\n")
_USES_SORRY = re.compile(r"declaration uses [`']sorry[`']")
# Lean says this of a hole only once nothing else is wrong, so it is no fault of the tactic.
_OTHER_HOLE = re.compile(r"don't know how to synthesize")
_GAVE_UP = "it leaves the goal to `sorry`"
_GIVEN_UP = "Lean gives it up half-way, and only says so where nothing else is wrong"
_METAVARIABLE = re.compile(r"\?(\w+)\.\d+")

Anchor = tuple[str, int, int]
"""A place that stays the same whatever stands in the braces: side, line and column from there."""


@dataclass(frozen=True, slots=True)
class CopyMessages:
    """The messages about one copy, sorted by what they are about.

    `error`: the tactic's own first error. `remaining`: the goals it leaves; None if Lean did not say.
    `elsewhere`: first messages of the errors outside the braces. `is_unchecked`: some of those stand in
    this declaration, so that Lean looks for neither `sorry` nor recursion in it. `uses_sorry`: Lean warns
    of it in this declaration. `above`: the errors before the braces, and the warnings of `sorry` above this
    declaration, as faults. `lints`: what linters have against the tactic.
    """

    error: str | None
    remaining: tuple[Goal, ...] | None
    elsewhere: Mapping[Anchor, str]
    is_unchecked: bool
    uses_sorry: bool
    above: tuple[Fault, ...] = ()
    lints: tuple[Lint, ...] = ()


def read(diagnostics: Iterable[Mapping[str, Any]], shadow: Shadow) -> CopyMessages:
    """Sort the diagnostics (columns in code points) of a copy."""
    own: list[tuple[Position, str]] = []
    remaining: tuple[Goal, ...] | None = None
    elsewhere: dict[Anchor, str] = {}
    above: list[Fault] = []
    lints: list[Lint] = []
    is_unchecked = uses_sorry = False
    for item in diagnostics:
        message = str(item.get("message", ""))
        start = _position(item["range"]["start"])
        is_own = shadow.start <= start <= shadow.brace
        if item.get("severity") != _ERROR:
            if _USES_SORRY.search(message):
                uses_sorry |= start.line >= shadow.line
                above += [Fault(start, message, is_sorry=True)] * (start.line < shadow.line)
            elif is_own:
                lints += lint_of(message, start, _position(item["range"]["end"]))
            continue
        unsolved = _UNSOLVED.match(message) if start == shadow.brace else None
        if unsolved:
            remaining = (remaining or ()) + _goals(message[unsolved.end() :])
        elif is_own:
            own.append((start, message))
        else:
            elsewhere.setdefault(_anchor(start, shadow), message)
            is_unchecked |= start.line >= shadow.line
            above += [Fault(start, message)] * (start < shadow.start)
    first = _first(own, shadow)
    return CopyMessages(
        first, remaining, elsewhere, is_unchecked, uses_sorry, tuple(sorted(above)), tuple(lints)
    )


def same_goal(one: Goal, other: Goal) -> bool:
    """Whether two goals are printed alike, but for line breaks, case tags and metavariable numbers."""
    return _folded(one) == _folded(other)


def same_outcome(one: TacticOutcome, other: TacticOutcome) -> bool:
    """Whether two tactics come to the same: the same verdict, and goals that are printed alike."""
    if one.status != other.status or (one.state is None) != (other.state is None):
        return False
    left, right = (outcome.state.goals if outcome.state else () for outcome in (one, other))
    return len(left) == len(right) and all(map(same_goal, left, right))


def judge(
    tactic: str, reading: CopyMessages, blank: CopyMessages, site: TacticSite, milliseconds: float
) -> TacticOutcome:
    """What became of the goal.

    Args:
        tactic: as it was given.
        reading: the messages with the tactic between the braces.
        blank: the messages with nothing there; `remaining` is the goal itself.
        site: where it was tried.
        milliseconds: how long it took.
    """
    problem = _problem(tactic, reading, blank, site)
    if problem is not None:
        return TacticOutcome(tactic, "fails", None, problem.strip(), milliseconds)
    left = ProofState(reading.remaining or ())
    outcome = TacticOutcome(tactic, "progress" if left.goals else "closes", left, "", milliseconds)
    faults = faults_of(reading.above, site.line)
    return cast_doubt(outcome, faults[0]) if faults else outcome


def _problem(tactic: str, reading: CopyMessages, blank: CopyMessages, site: TacticSite) -> str | None:
    """Why the tactic does not count as accepted."""
    if reading.error is not None:
        return reading.error
    for anchor, message in reading.elsewhere.items():
        if anchor not in blank.elsewhere and not _OTHER_HOLE.match(message):
            return message
    if reading.remaining:
        before = blank.remaining or ()
        if len(reading.remaining) == len(before) and all(map(same_goal, reading.remaining, before)):
            return "changes nothing"
        if any(map(mentions_sorry, reading.remaining)):
            return "it leaves a goal that mentions `sorry`"
    elif reading.is_unchecked:
        return "it uses what is being proved" if site.names_itself(tactic) else None
    elif reading.uses_sorry and not has_sorry(site.declaration):
        return _GAVE_UP
    return None


def cast_doubt(outcome: TacticOutcome, fault: Fault) -> TacticOutcome:
    """What is to be said of a tactic that Lean accepts where something is at fault above."""
    if outcome.status not in ("closes", "progress"):
        return outcome
    return replace(outcome, status="unjudged", message=f"cannot be judged: {fault}")


def insisted(accepted: TacticOutcome, strict: CopyMessages, milliseconds: float) -> TacticOutcome:
    """What becomes of a tactic that is accepted in a declaration with errors.

    Args:
        accepted: the verdict of a copy in which Lean may have given the tactic up without a word.
        strict: the messages of one in which it has to say so.
        milliseconds: how long both took.
    """
    if strict.error is not None:
        return TacticOutcome(accepted.tactic, "fails", None, _GIVEN_UP, milliseconds)
    return replace(accepted, milliseconds=milliseconds)


def doubt(closes: TacticOutcome, apart: CopyMessages, milliseconds: float) -> TacticOutcome:
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


def _position(position: Mapping[str, Any]) -> Position:
    return Position(int(position["line"]), int(position["character"]))


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
