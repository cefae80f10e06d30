"""The last step of a request: puts the results into the documented object (`schema.py`). Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lean_extract.common.errors import NoGoalHere, PremiseSuggestError
from lean_extract.records import TacticOutcome
from lsp_server.engine.items import tactic_item
from lsp_server.engine.schema import Suggestion, TacticItem, TacticsStatus
from lsp_server.engine.tactic_runner import TrialResults

_FIRST_GOAL_ONLY = (
    "No tactics were tried: Lean tries them on the first goal only. Leave out the goal's number."
)


def shown_tactics(outcomes: Sequence[TacticOutcome]) -> list[TacticItem]:
    """Outcomes as items."""
    return [tactic_item(outcome) for outcome in outcomes]


def without_file(answer: Suggestion) -> Suggestion:
    """The answer if tactics were requested, but there is no file to try them in."""
    return replace(answer, tactics_status=TacticsStatus.NO_FILE)


def while_trying(answer: Suggestion, outcomes: Sequence[TacticOutcome]) -> Suggestion:
    """The answer so far, with the tactics that Lean has judged by now."""
    tactics = shown_tactics(outcomes)
    return replace(answer, tactics=tactics, tactics_status=TacticsStatus.RUNNING)


def with_tactics(answer: Suggestion, results: TrialResults) -> Suggestion:
    """The answer with all of Lean's verdicts, and with further warnings before its own."""
    tactics = shown_tactics(results.outcomes)
    warnings = [*results.warnings, *answer.warnings]
    return replace(answer, tactics=tactics, warnings=warnings, tactics_status=results.status)


def with_goal_broken(answer: Suggestion, error: PremiseSuggestError) -> Suggestion:
    """The answer if an error above the goal prevents trials."""
    warnings = [str(error), *answer.warnings]
    return replace(answer, warnings=warnings, tactics_status=TacticsStatus.GOAL_BROKEN)


def with_failure(answer: Suggestion, error: PremiseSuggestError, *, has_project: bool) -> Suggestion:
    """The answer if a failure prevented all trials."""
    status = TacticsStatus.NO_GOAL if isinstance(error, NoGoalHere) else TacticsStatus.LEAN_FAILED
    if not has_project:
        status = TacticsStatus.NO_FILE
    warnings = [f"No tactics were tried: {error}", *answer.warnings]
    return replace(answer, warnings=warnings, tactics_status=status)


def with_first_goal_only(answer: Suggestion) -> Suggestion:
    """The answer if tactics were requested for a goal other than the first."""
    warnings = [_FIRST_GOAL_ONLY, *answer.warnings]
    return replace(answer, warnings=warnings, tactics_status=TacticsStatus.GOAL_NOT_FIRST)
