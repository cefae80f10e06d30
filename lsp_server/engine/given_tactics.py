"""Lean's verdicts on tactics that the caller sent, each of them, in the order in which they were sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial

from lean_extract.common.errors import LeanError, NoGoalHere, TextUnread, UserError
from lean_extract.goals import format_goal
from lean_extract.records import Edit, TacticOutcome
from lean_extract.session.document import LeanDocument
from lean_extract.session.places import guessed_edit
from lean_extract.syntax.tactic_text import proves_nothing
from lsp_server.documents.goal_positions import text_of
from lsp_server.engine.goal_cases import without_opening
from lsp_server.engine.goal_places import GoalFound
from lsp_server.engine.items import shown_tactic, tactic_item
from lsp_server.engine.proof_states import ProofStates
from lsp_server.engine.request_context import RequestContext
from lsp_server.engine.requests import main_goal
from lsp_server.engine.schema import TrialsAnswer
from lsp_server.engine.schema_items import TacticItem, TacticVerdict
from lsp_server.engine.tactic_runner import JudgedEdits
from lsp_server.engine.tasks import Timer
from lsp_server.limits import TACTIC_CHARACTERS, TRIED_TACTICS
from prover.candidates import Candidate
from prover.verify import GoalPosition, verify

_GIVEN = "given"


Trials = Callable[[GoalFound, Sequence[str], float], AsyncGenerator[TacticOutcome, None]]
"""Lean's verdicts on tactics at a goal, within a time in seconds for all (`trials`)."""


@dataclass(frozen=True, slots=True)
class TacticEdit:
    """An edit that inserts a tactic, the tactic as it is shown, and Lean's verdict on it.

    `import_edit` adds the import without which Lean does not accept it.
    """

    edit: Edit
    tactic: str
    status: TacticVerdict
    import_edit: Edit | None = None


async def try_given(
    context: RequestContext,
    states: ProofStates,
    edits: JudgedEdits,
    position: GoalPosition,
    tactics: Sequence[str],
) -> TrialsAnswer:
    """Lean's verdicts; see `Engine.try_tactics`."""
    checked = _checked(tactics)
    timer = Timer()
    await context.catch_up()
    place = await states.find(context.lean, position)
    goal = main_goal(place.state)
    timer.lap("goal")
    found = await _outcomes_of(context, partial(trials, context), place, checked)
    for outcome in found.values():
        edits.keep(place.asked, outcome)
    timer.lap("tactics")
    items = [_item(place, found, tactic) for tactic in checked]
    return TrialsAnswer(format_goal(goal), items, timer.total(), place.warnings)


async def edit_at(
    context: RequestContext,
    states: ProofStates,
    edits: JudgedEdits,
    position: GoalPosition,
    tactic: str,
    tried: Trials,
    *,
    is_accepted: bool,
) -> TacticEdit:
    """The edit that inserts a tactic; see `Engine.edit_at`. `tried`: how Lean tries what it has not judged yet."""
    if not (
        is_accepted or context.lean.is_running
    ):  # a client that runs Lean itself needs no second one for this
        return await guessed(position, tactic)
    outcome: TacticOutcome | None = None
    place: GoalFound | None = None
    try:
        await context.catch_up()
        place = await states.find(context.lean, position)
        main_goal(place.state)
        place, tactic = await _in_its_case(context, states, place, tactic)
        known = await asyncio.to_thread(edits.get, place.asked, tactic)
        if known is not None:
            return judged(place, known)
        outcome = (await _outcomes_of(context, tried, place, _checked([tactic]))).get(tactic.strip())
    except (LeanError, NoGoalHere, TextUnread):
        if is_accepted:
            raise
    if is_accepted and (outcome is None or outcome.status not in ("closes", "progress", "unjudged")):
        why = outcome.message if outcome is not None and outcome.message else "Lean did not judge it in time"
        raise UserError(
            f"Lean does not accept `{tactic}` there now: {why}.".replace("..", "."),
            "Ask for suggestions again.",
        )
    if place is None:
        return await guessed(position, tactic)
    if outcome is not None and outcome.edit is not None:
        return judged(place, outcome)
    verdict = outcome.status if outcome is not None else TacticVerdict.UNTRIED
    return await guessed(place, tactic, TacticVerdict(verdict))


async def _in_its_case(
    context: RequestContext, states: ProofStates, place: GoalFound, tactic: str
) -> tuple[GoalFound, str]:
    """The goal that a tactic chooses by its tag, and the tactic for it; otherwise both as they are."""
    for number, goal in enumerate(place.state.goals[1:], start=2):
        inner = without_opening(goal.case or "", tactic)
        chosen = inner and await states.chosen(context.lean, place, number)
        if inner and chosen:
            return chosen, inner
    return place, tactic


def judged(place: GoalFound, outcome: TacticOutcome) -> TacticEdit:
    """The edit of an outcome that has one."""
    found = place.outcome(outcome)
    assert found.edit is not None
    return TacticEdit(found.edit, shown_tactic(found), TacticVerdict(found.status), found.import_edit)


async def guessed(
    place: GoalFound | GoalPosition, tactic: str, status: TacticVerdict = TacticVerdict.UNTRIED
) -> TacticEdit:
    """The likeliest edit for a tactic that Lean has not accepted."""
    if isinstance(place, GoalPosition):
        return TacticEdit(await asyncio.to_thread(guessed_at, place, tactic), tactic, status)
    edit = await asyncio.to_thread(guessed_at, place.asked, tactic)
    return TacticEdit(place.edit(edit), tactic, status)


def guessed_at(position: GoalPosition, tactic: str) -> Edit:
    """The likeliest edit for a tactic at a position, which Lean has not judged. Raises BadPosition, BadSource."""
    return guessed_edit(LeanDocument(text_of(position)), position.position, tactic)


def _checked(tactics: Sequence[str]) -> list[str]:
    """The tactics without white space around them. Raises UserError: none, too many, empty or too long."""
    if not 1 <= len(tactics) <= TRIED_TACTICS:
        raise UserError(
            f"{len(tactics)} tactics were sent.", f"Send at least one and at most {TRIED_TACTICS} at once."
        )
    checked = [tactic.strip() for tactic in tactics]
    for number, tactic in enumerate(checked, start=1):
        if not tactic or "\0" in tactic:
            raise UserError(f"Tactic {number} is empty or has a zero byte.", "Send Lean's text of it.")
        if len(tactic) > TACTIC_CHARACTERS:
            raise UserError(
                f"Tactic {number} has {len(tactic):,} characters.",
                f"At most {TACTIC_CHARACTERS:,} are tried.",
            )
    return checked


async def _outcomes_of(
    context: RequestContext, tried: Trials, place: GoalFound, tactics: Sequence[str]
) -> dict[str, TacticOutcome]:
    """Lean's verdicts within the time limit, by tactic."""
    verdicts = tried(place, tactics, context.settings.tactics.seconds)
    async with aclosing(verdicts):
        return {outcome.tactic: outcome async for outcome in verdicts}


async def trials(
    context: RequestContext, place: GoalFound, tactics: Sequence[str], seconds: float
) -> AsyncGenerator[TacticOutcome, None]:
    """Lean's verdicts on these tactics as they arrive, those on failing ones, too, within a time for all.

    Raises as `verify`.
    """
    verdicts = verify(
        await context.lean.session(),
        place.asked,
        place.state,
        [Candidate(tactic, 1.0, _GIVEN) for tactic in dict.fromkeys(tactics)],
        timeout=context.settings.lean.tactic_seconds,
        within=seconds,
        keep_failures=True,
    )
    async with aclosing(verdicts):
        async for outcome in verdicts:
            yield outcome


def _item(place: GoalFound, found: dict[str, TacticOutcome], tactic: str) -> TacticItem:
    outcome = found.get(tactic)
    if outcome is not None:
        return tactic_item(place.outcome(outcome))
    reason = "The time limit was reached before its turn."
    if (refused := proves_nothing(tactic)) is not None:
        reason = f"It is not tried: {refused}."
    return TacticItem(tactic, TacticVerdict.UNTRIED, [], reason)
