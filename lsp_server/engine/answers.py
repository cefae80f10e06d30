"""The last step of a request: what was found as the documented object (`schema.py`). Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lean_extract.errors import PremiseSuggestError
from lean_extract.records import TacticOutcome
from lsp_server.documents.insertion import with_by
from lsp_server.engine.items import tactic_item
from lsp_server.engine.schema import Suggestion, TacticItem

_FIRST_GOAL_ONLY = (
    "No tactics were tried: Lean tries them on the first goal alone. Leave the goal's number out."
)


def shown_tactics(outcomes: Sequence[TacticOutcome], *, is_term: bool) -> list[TacticItem]:
    """Outcomes as items; where a term stands, each tactic is shown behind `by`."""
    items = [tactic_item(outcome) for outcome in outcomes]
    return [replace(item, tactic=with_by(item.tactic)) for item in items] if is_term else items


def with_tactics(
    answer: Suggestion, outcomes: Sequence[TacticOutcome], warnings: Sequence[str] = (), *, is_term: bool
) -> Suggestion:
    """The answer with what Lean said of tactics, and with further warnings before its own."""
    tactics = shown_tactics(outcomes, is_term=is_term)
    return replace(answer, tactics=tactics, warnings=[*warnings, *answer.warnings])


def with_goal_broken(answer: Suggestion, error: PremiseSuggestError) -> Suggestion:
    """The answer where an error above the goal keeps tactics from being tried."""
    return replace(answer, warnings=[str(error), *answer.warnings])


def with_failure(answer: Suggestion, error: PremiseSuggestError) -> Suggestion:
    """The answer where trying tactics failed."""
    return replace(answer, warnings=[f"No tactics were tried: {error}", *answer.warnings])


def with_first_goal_only(answer: Suggestion) -> Suggestion:
    """The answer where tactics were asked for on another goal than the first."""
    return replace(answer, warnings=[_FIRST_GOAL_ONLY, *answer.warnings])
