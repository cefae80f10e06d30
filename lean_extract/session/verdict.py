"""The verdict on a tactic, from Lean's messages about a copy that contains it, and about the document of its edit.

The document is compared with the same one with `sorry`: a tactic closes its goal if the document has no error that the
one with `sorry` has not. A tactic that leaves goals may have caused only "unsolved goals" above it, and errors in the
steps after it, which expected fewer goals. Pure functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lean_extract.common.errors import BadState
from lean_extract.goals import parse_state
from lean_extract.limits import MAX_ERROR_CHARACTERS, MAX_ERROR_LINES
from lean_extract.records import Goal, Position, ProofState, TacticOutcome
from lean_extract.session.faults import (
    Fault,
    faults_of,
    is_about_compiling,
    is_error,
    is_misparsed,
    mentions_sorry,
    position_of,
)
from lean_extract.session.suggested import Lint, lint_of, suggested_in
from lean_extract.session.tactic_sites import Inserted, PatchedDocument, TacticSite
from lean_extract.syntax.axioms import axioms_in, is_doubtful, refuses_axioms

_UNSOLVED = re.compile(r"(?:error: )?unsolved goals\n")
_METAVARIABLE = re.compile(r"\?(\w+)\.\d+")
# With the options `pp.sorrySource` or `pp.explicit` more follows, or the constant that `sorry` stands for.
_USES_SORRY = re.compile(r"declaration uses [`']@?sorry(?:Ax)?(?![\w.]*\w)")
_TURNSTILE = re.compile(r"^⊢", re.MULTILINE)

GAVE_UP = "it leaves the goal to `sorry`"
_GIVEN_UP = "Lean abandons it half-way, which it reports only if there are no other errors"

_Anchor = tuple[str, int, int]
"""A position that does not depend on what an edit wrote: before or after it, relative line and column."""


@dataclass(frozen=True, slots=True)
class DocumentMessages:
    """The messages about a document after an edit.

    `begin`: where the edit wrote. `own`: the errors in what it wrote, relative to that. `elsewhere`: the errors
    before and after it, as far as the declaration goes.
    `is_unchecked`: the declaration has an error, so that Lean checks neither its recursion nor its `sorry`s.
    `uses_sorry`: Lean warns about `sorry` in the declaration. `axioms`: the axioms of each declaration that
    `#print axioms` named, in order; a name that Lean does not know is missing.
    """

    begin: Position
    own: tuple[tuple[Position, str], ...]
    elsewhere: Mapping[_Anchor, tuple[str, ...]]
    is_unchecked: bool
    uses_sorry: bool
    axioms: tuple[frozenset[str], ...]

    @property
    def doubtful(self) -> frozenset[str] | None:
        """The axioms that do not count as a proof, of the last declaration that `#print axioms` named; None if Lean
        did not report them."""
        if not self.axioms:
            return None
        return frozenset(filter(is_doubtful, self.axioms[-1]))


def read_inserted(diagnostics: Iterable[Mapping[str, Any]], document: Inserted) -> DocumentMessages:
    """Sort the diagnostics (columns in code points) of a document after an edit."""
    own: list[tuple[Position, str]] = []
    elsewhere: dict[_Anchor, tuple[str, ...]] = {}
    axioms: list[frozenset[str]] = []
    has_sorry = is_unchecked = False
    for item in diagnostics:
        message = str(item.get("message", ""))
        start = position_of(item["range"]["start"])
        if (found := axioms_in(message)) is not None:
            axioms.append(frozenset(found))
        elif refuses_axioms(message):
            continue
        elif not is_error(item):
            has_sorry |= uses_sorry(message) and start.line >= document.line
        elif document.start <= start < document.end:
            own.append((_relative(start, document.start), message))
            is_unchecked = True
        elif start <= document.last:
            anchor = _anchor(start, document)
            elsewhere[anchor] = (*elsewhere.get(anchor, ()), message)
            is_unchecked |= start.line >= document.line and not is_about_compiling(message)
    return DocumentMessages(
        document.start, tuple(sorted(own)), elsewhere, is_unchecked, has_sorry, tuple(axioms)
    )


def uses_sorry(message: str) -> bool:
    """Whether a message is Lean's warning that a declaration uses `sorry`."""
    return _USES_SORRY.search(message) is not None


def faults_in_file(diagnostics: Iterable[Mapping[str, Any]]) -> list[Fault]:
    """The errors among diagnostics and the warnings about `sorry`, from top to bottom."""
    found = [
        Fault(position_of(one["range"]["start"]), message, is_sorry=not is_error(one))
        for one in diagnostics
        if is_error(one) | uses_sorry(message := str(one.get("message", "")))
    ]
    return sorted(found)


def problem(
    found: DocumentMessages, with_sorry: DocumentMessages, *, closes: bool, in_term: bool
) -> str | None:
    """Why a tactic is not accepted in the document that its edit makes; None if it is.

    Args:
        found: the messages with the tactic.
        with_sorry: the messages with `sorry` at the same place.
        closes: whether it closes the goal; otherwise it leaves goals.
        in_term: whether the tactic comes after `by`, which reports the goals that it leaves.
    """
    for position, message in found.own:
        may_leave = not closes and in_term and position.line == 0 and position.column <= 1
        if not (may_leave and _UNSOLVED.match(message)):
            return message
    for anchor, messages in found.elsewhere.items():
        known = list(with_sorry.elsewhere.get(anchor, ()))
        for message in messages:
            same = next((one for one in known if _is_same(message, one)), None)
            if same is not None:
                known.remove(same)
            elif closes or not _is_left(message, is_before=anchor[0] == "before"):
                return message
    return None


def same_errors(found: DocumentMessages, with_sorry: DocumentMessages) -> bool:
    """Whether a document has exactly the errors that it has with `sorry`."""
    missing = with_sorry.elsewhere.keys() - found.elsewhere.keys()
    return not missing and problem(found, with_sorry, closes=True, in_term=False) is None


def _is_left(message: str, *, is_before: bool) -> bool:
    """Whether an error only reports that the goals of a step are still open."""
    if is_before:
        return _UNSOLVED.match(message) is not None
    return not is_misparsed(message)


def _is_same(message: str, known: str) -> bool:
    """Whether an error is one that is known already: other goals may print differently now, but are not more."""
    if _UNSOLVED.match(message) and _UNSOLVED.match(known):
        return len(_TURNSTILE.findall(message)) <= len(_TURNSTILE.findall(known))
    return _first_line(message) == _first_line(known)


def _first_line(message: str) -> str:
    return _METAVARIABLE.sub("?", message.strip().partition("\n")[0])


def _anchor(start: Position, document: Inserted) -> _Anchor:
    if start < document.start:
        return "before", start.line, start.column
    moved = _relative(start, document.end)
    return "after", moved.line, moved.column


def _relative(position: Position, start: Position) -> Position:
    lines = position.line - start.line
    return Position(lines, position.column - (start.column if lines == 0 else 0))


@dataclass(frozen=True, slots=True)
class CopyMessages:
    """The messages about one copy, sorted by what they are about.

    `error`: the tactic's own first error. `remaining`: the goals that it leaves; None if Lean did not report any.
    `is_unchecked`: the declaration has errors elsewhere, so that Lean may abandon a tactic silently. `above`: the
    errors before the braces and the warnings about `sorry` above this declaration, as faults. `lints`: the
    warnings of linters about the tactic. `suggestions`: what Lean suggests in its place. `error_at`: where in the
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
        start = position_of(item["range"]["start"])
        is_own = patched.start <= start <= patched.brace
        if not is_error(item):
            if uses_sorry(message):
                above += [Fault(start, message, is_sorry=True)] * (start.line < patched.line)
            elif is_own:
                lints += lint_of(message, start, position_of(item["range"]["end"]))
                suggestions += suggested_in(message)
            continue
        unsolved = unsolved_in(message) if start == patched.brace else None
        if unsolved is not None:
            remaining = (remaining or ()) + goals_in(unsolved)
        elif is_own:
            own.append((start, message))
        else:
            is_unchecked |= start.line >= patched.line
            above += [Fault(start, message)] * (start < patched.start)
    error = _first(own)
    at = error[0].column - patched.inside.column if error and error[0].line == patched.inside.line else None
    first_error = error[1] if error else None
    return CopyMessages(
        first_error, remaining, is_unchecked, tuple(sorted(above)), tuple(lints), tuple(suggestions), at
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
    return refused_goals(reading.remaining or (), blank.remaining or ())


def refused_goals(left: Sequence[Goal], before: Sequence[Goal]) -> str | None:
    """Why the goals that a tactic leaves are not accepted, given those before it; None if they are."""
    if left and len(left) == len(before) and all(map(same_goal, left, before)):
        return "changes nothing"
    if any(map(mentions_sorry, left)):
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
    """The most specific of the errors: where the text cannot be parsed, Lean has run only a part of it, and
    goals are also left unsolved by what failed."""
    misparsed = [item for item in errors if is_misparsed(item[1])]
    failed = [item for item in errors if not _UNSOLVED.match(item[1])]
    return min(misparsed or failed or errors) if errors else None


def shortened(message: str) -> str:
    """The beginning of a long message."""
    lines = message[:MAX_ERROR_CHARACTERS].splitlines()
    kept = "\n".join(lines[:MAX_ERROR_LINES])
    return kept if len(kept) == len(message) else f"{kept}\n…"


def _without_brace(message: str) -> str:
    """An error of the parser for somebody who does not see the closing brace of the copy."""
    return message.replace("token '}'", "end of the tactic").removesuffix("; expected '}'")


def unsolved_in(message: str) -> str | None:
    """The printed goals in an error that says only that they are left; None for other errors."""
    found = _UNSOLVED.match(message)
    return message[found.end() :] if found is not None else None


def goals_in(text: str) -> tuple[Goal, ...]:
    """The goals in a printed state; one that cannot be parsed still counts as a goal."""
    try:
        return parse_state(text).goals
    except BadState:
        return (Goal((), text.strip()),)


def _folded(goal: Goal) -> tuple[object, ...]:
    hypotheses = tuple((item.names, _fold(item.type), _fold(item.value or "")) for item in goal.hypotheses)
    return hypotheses, _fold(goal.target)


def _fold(text: str) -> str:
    return _METAVARIABLE.sub(r"?\1", " ".join(text.split()))
