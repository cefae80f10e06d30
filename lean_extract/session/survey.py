"""Surveys: several tactics, each tried on its own copy of the goal, in one text that Lean elaborates once.

`refine ite True ?_ ?_` makes two goals of one, whatever it states. The first is given to a tactic in a bullet, where
Lean reports an error or what the tactic leaves, and goes on with the second. So a survey says at the price of one
trial what many tactics would do. What is shown to the user is tried by itself afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lean_extract.records import Goal, ProofState, TacticOutcome
from lean_extract.session.faults import is_error, position_of
from lean_extract.session.tactic_sites import PatchedDocument
from lean_extract.session.verdict import goals_in, refused_goals, shortened, unsolved_in

_COPY = "refine ite True ?_ ?_"
_BULLET = "· "


def survey_of(tactics: Sequence[str]) -> str:
    """The text that tries these tactics of one line each."""
    return "\n".join(f"{_COPY}\n{_BULLET}{tactic}" for tactic in tactics)


def surveyed_in(text: str) -> list[str]:
    """The tactics that a survey tries; none if the text is no survey."""
    lines = text.split("\n")
    is_survey = all(
        line.startswith(_BULLET) if number % 2 else line == _COPY for number, line in enumerate(lines)
    )
    return [line.removeprefix(_BULLET) for line in lines[1::2]] if is_survey else []


def survey_results(
    diagnostics: Iterable[Mapping[str, Any]], patched: PatchedDocument, tactics: Sequence[str], goal: Goal
) -> tuple[TacticOutcome, ...]:
    """What each tactic of a survey does, in order, as far as Lean came before it gave up.

    Args:
        diagnostics: those of the copy that holds the survey, with columns in code points.
        goal: the goal of which each tactic got a copy.
    """
    errors: dict[int, list[str]] = {}
    for item in diagnostics:
        start = position_of(item["range"]["start"])
        if is_error(item) and patched.inside <= start <= patched.brace:
            errors.setdefault(start.line - patched.inside.line, []).append(str(item.get("message", "")))
    is_whole = patched.brace.line - patched.inside.line in errors  # the last copy is left
    reached = tactics if is_whole else tactics[: (max(errors, default=-1) + 1) // 2]
    return tuple(
        _outcome(tactic, errors.get(2 * number + 1, ()), goal) for number, tactic in enumerate(reached)
    )


def _outcome(tactic: str, messages: Sequence[str], goal: Goal) -> TacticOutcome:
    left: list[Goal] = []
    for message in messages:
        unsolved = unsolved_in(message)
        if unsolved is None:
            return TacticOutcome(tactic, "fails", message=shortened(message.strip()))
        left += goals_in(unsolved)
    refused = refused_goals(left, [goal])
    if refused is not None:
        return TacticOutcome(tactic, "fails", message=refused)
    return TacticOutcome(tactic, "progress" if left else "closes", ProofState(tuple(left)))
