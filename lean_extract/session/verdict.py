"""Derives the verdict on a tactic from Lean's messages about a copy that contains it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lean_extract.common.errors import BadState
from lean_extract.goals import parse_state
from lean_extract.records import Goal, Position, ProofState, TacticOutcome
from lean_extract.session.faults import Fault, faults_of, mentions_sorry
from lean_extract.session.inserted import is_misparsed, uses_sorry
from lean_extract.session.linting import Lint, lint_of
from lean_extract.session.suggested import suggested_in
from lean_extract.session.tactic_sites import PatchedDocument, TacticSite

_ERROR = 1
_UNSOLVED = re.compile(r"(?:error: )?unsolved goals\n")
_GIVEN_UP = "Lean abandons it half-way, which it reports only if there are no other errors"
_METAVARIABLE = re.compile(r"\?(\w+)\.\d+")
_MOST_LINES, _MOST_CHARACTERS = 24, 2000
"""Of an error of a tactic. A failed `grind` prints pages."""


@dataclass(frozen=True, slots=True)
class CopyMessages:
    """The messages about one copy, sorted by what they are about.

    `error`: the tactic's own first error. `remaining`: the goals that it leaves; None if Lean did not report any.
    `is_unchecked`: the declaration has errors elsewhere, so that Lean may abandon a tactic silently. `above`: the
    errors before the braces and the warnings about `sorry` above this declaration, as faults. `lints`: the
    warnings of linters about the tactic. `suggestions`: what Lean says to try in its place. `error_at`: where in the
    tactic's first line its first error is, in code points; None if it is elsewhere.
    """

    error: str | None
    remaining: tuple[Goal, ...] | None
    is_unchecked: bool
    above: tuple[Fault, ...] = ()
    lints: tuple[Lint, ...] = ()
    suggestions: tuple[str, ...] = ()
    error_at: int | None = None


def read(diagnostics: Iterable[Mapping[str, Any]], patched: PatchedDocument) -> CopyMessages:
    """Sort the diagnostics (columns in code points) of a copy."""
    own: list[tuple[Position, str]] = []
    remaining: tuple[Goal, ...] | None = None
    above: list[Fault] = []
    lints: list[Lint] = []
    suggestions: list[str] = []
    is_unchecked = False
    for item in diagnostics:
        message = str(item.get("message", ""))
        start = _position(item["range"]["start"])
        is_own = patched.start <= start <= patched.brace
        if item.get("severity") != _ERROR:
            if uses_sorry(message):
                above += [Fault(start, message, is_sorry=True)] * (start.line < patched.line)
            elif is_own:
                lints += lint_of(message, start, _position(item["range"]["end"]))
                suggestions += suggested_in(message)
            continue
        unsolved = _UNSOLVED.match(message) if start == patched.brace else None
        if unsolved:
            remaining = (remaining or ()) + _goals(message[unsolved.end() :])
        elif is_own:
            own.append((start, message))
        else:
            is_unchecked |= start.line >= patched.line
            above += [Fault(start, message)] * (start < patched.start)
    error = _first(own)
    at = error[0].column - patched.inside.column if error and error[0].line == patched.inside.line else None
    said = error[1] if error else None
    return CopyMessages(
        said, remaining, is_unchecked, tuple(sorted(above)), tuple(lints), tuple(suggestions), at
    )


def same_goal(one: Goal, other: Goal) -> bool:
    """Whether two goals print the same, apart from line breaks, case tags and metavariable numbers."""
    return _folded(one) == _folded(other)


def same_outcome(one: TacticOutcome, other: TacticOutcome) -> bool:
    """Whether two outcomes are equivalent: the same verdict, and goals that print the same."""
    if one.status != other.status or (one.state is None) != (other.state is None):
        return False
    left, right = (outcome.state.goals if outcome.state else () for outcome in (one, other))
    return len(left) == len(right) and all(map(same_goal, left, right))


def judge(tactic: str, reading: CopyMessages, blank: CopyMessages, site: TacticSite) -> TacticOutcome:
    """The outcome of a tactic between braces.

    Args:
        tactic: the tactic.
        reading: the messages with the tactic between the braces.
        blank: the messages with nothing between the braces; `remaining` is the goal itself.
        site: where it was tried.
    """
    problem = _problem(reading, blank)
    if problem is not None:
        return TacticOutcome(tactic, "fails", None, shortened(problem.strip()), error_at=reading.error_at)
    left = ProofState(reading.remaining or ())
    outcome = TacticOutcome(tactic, "progress" if left.goals else "closes", left)
    # What is not there without the tactic is its own doing, which the document that its edit makes will show.
    faults = [fault for fault in faults_of(reading.above, site.line) if fault in blank.above]
    return mark_unjudged(outcome, faults[0]) if faults else outcome


def _problem(reading: CopyMessages, blank: CopyMessages) -> str | None:
    """Why the tactic does not count as accepted; None if it does."""
    if reading.error is not None:
        return _without_brace(reading.error) if is_misparsed(reading.error) else reading.error
    if reading.remaining:
        before = blank.remaining or ()
        if len(reading.remaining) == len(before) and all(map(same_goal, reading.remaining, before)):
            return "changes nothing"
        if any(map(mentions_sorry, reading.remaining)):
            return "it leaves a goal that mentions `sorry`"
    return None


def mark_unjudged(outcome: TacticOutcome, fault: Fault) -> TacticOutcome:
    """The outcome of an accepted tactic, changed to `unjudged` because of a fault above it."""
    if outcome.status not in ("closes", "progress"):
        return outcome
    return replace(outcome, status="unjudged", message=f"cannot be judged: {fault}")


def judge_strict(accepted: TacticOutcome, strict: CopyMessages) -> TacticOutcome:
    """The outcome of a tactic that was accepted in a declaration with errors.

    Args:
        accepted: the outcome in a copy in which Lean may have abandoned the tactic silently.
        strict: the messages about a copy in which Lean has to report this.
    """
    if strict.error is not None:
        return TacticOutcome(accepted.tactic, "fails", None, _GIVEN_UP)
    return accepted


def _first(errors: Sequence[tuple[Position, str]]) -> tuple[Position, str] | None:
    """The first error that says what is wrong: where the text cannot be parsed, Lean has run only a part of it, and
    goals are also left unsolved by what failed."""
    misparsed = [item for item in errors if is_misparsed(item[1])]
    failed = [item for item in errors if not _UNSOLVED.match(item[1])]
    return min(misparsed or failed or errors) if errors else None


def shortened(message: str) -> str:
    """The beginning of a long message."""
    lines = message[:_MOST_CHARACTERS].splitlines()
    kept = "\n".join(lines[:_MOST_LINES])
    return kept if len(kept) == len(message) else f"{kept}\n…"


def _without_brace(message: str) -> str:
    """An error of the parser for somebody who does not see the closing brace of the copy."""
    return message.replace("token '}'", "end of the tactic").removesuffix("; expected '}'")


def _goals(text: str) -> tuple[Goal, ...]:
    try:
        return parse_state(text).goals
    except BadState:
        # A goal that cannot be parsed still counts as a goal.
        return (Goal((), text.strip()),)


def _position(found: Mapping[str, Any]) -> Position:
    return Position(int(found["line"]), int(found["character"]))


def _folded(goal: Goal) -> tuple[object, ...]:
    hypotheses = tuple((item.names, _fold(item.type), _fold(item.value or "")) for item in goal.hypotheses)
    return hypotheses, _fold(goal.target)


def _fold(text: str) -> str:
    return _METAVARIABLE.sub(r"?\1", " ".join(text.split()))
