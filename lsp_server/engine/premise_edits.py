"""The edit that inserts a premise: an accepted tactic that uses it, else a form of it, which Lean tries first."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import dataclass

from lean_extract.common.errors import GoalBroken, LeanError, NoGoalHere, PremiseIndexError, TextUnread
from lean_extract.records import Premise, TacticOutcome
from lsp_server.engine.given_tactics import TacticEdit, Trials, guessed, judged
from lsp_server.engine.goal_places import GoalFound
from lsp_server.engine.listing import names_at
from lsp_server.engine.pipeline import Pipeline
from lsp_server.engine.premise_ranking import DEPTH
from lsp_server.engine.project_index import ProjectIndex
from lsp_server.engine.request_context import RequestContext
from lsp_server.engine.requests import main_goal
from lsp_server.engine.schema_items import TacticVerdict
from lsp_server.limits import TRIED_FORMS
from prover.forms import PremiseForms
from prover.used import ListedPremises
from prover.verify import GoalPosition
from retriever.lean.eligibility import RankRequest
from retriever.lean.spelling import in_full, respelled


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A premise at a goal."""

    place: GoalFound
    forms: list[str]
    names: ListedPremises


async def premise_edit(
    context: RequestContext, pipeline: Pipeline, position: GoalPosition, name: str, tried: Trials
) -> TacticEdit:
    """The edit for a premise; see `Engine.premise_edit`. `tried`: how Lean tries its forms."""
    usual = f"exact {name}"
    if not context.lean.is_running:  # a client that runs Lean itself needs no second one for this
        shown = await asyncio.to_thread(pipeline.edits.form, position, name)
        return await guessed(position, shown or usual)
    try:
        chosen = await _chosen(context, pipeline, position, name)
    except (LeanError, PremiseIndexError, TextUnread):
        return await guessed(position, usual)
    accepted = await asyncio.to_thread(pipeline.edits.accepted, chosen.place.asked, imports=True)
    using = next((one for one in accepted if chosen.names.used_by(one.shown)), None)
    if using is not None:
        return judged(chosen.place, using)
    form = chosen.forms[0]
    if not context.settings.tactics.enabled:
        return await guessed(chosen.place, form)
    outcomes = await _tried(context, pipeline, chosen, tried)
    accepted = [one for one in outcomes if one.edit is not None and one.state is not None]
    if accepted:
        return judged(chosen.place, min(accepted, key=lambda one: _place(one, chosen.forms)))
    verdict = next((one.status for one in outcomes if one.tactic == form), TacticVerdict.UNTRIED)
    return await guessed(chosen.place, form, TacticVerdict(verdict))


async def _chosen(context: RequestContext, pipeline: Pipeline, position: GoalPosition, name: str) -> _Chosen:
    """What is known of the premise at the goal. Raises NoGoalHere, GoalBroken, LeanError, PremiseIndexError."""
    await context.catch_up()
    place = await pipeline.states.find(context.lean, position)
    goal = main_goal(place.state)
    ranked = await pipeline.rank(context, RankRequest(goal, k=DEPTH), place.asked)
    index = ranked.current.index
    premise = next((one.premise for one in ranked.premises if one.premise.written == name), None)
    return await asyncio.to_thread(_with_forms, index, place, name, premise)


def _with_forms(index: ProjectIndex, place: GoalFound, name: str, premise: Premise | None) -> _Chosen:
    goal = main_goal(place.state)
    if premise is None:
        known, _ = index.described(name, None)
        premise = known.premise if known is not None else Premise(name, "theorem", "")
    spelled, names = names_at(index, goal, [name], place.asked)
    forms = PremiseForms(goal).of(premise)[:TRIED_FORMS]
    full = {
        name: in_full(name, way) for name, way in spelled.items()
    }  # where a short name means something else
    written = [respelled(form, way) for way in (spelled, full) for form in forms]
    return _Chosen(place, list(dict.fromkeys(written)), names)


def _place(outcome: TacticOutcome, forms: list[str]) -> tuple[int, bool, int]:
    """Where an accepted form comes among others: what closes the goal is first, then the likeliest."""
    statuses = ("closes", "progress", "unjudged")
    return statuses.index(outcome.status), outcome.rests_on_sorry, forms.index(outcome.tactic)


def _is_settled(found: list[TacticOutcome], forms: list[str]) -> bool:
    """Whether a form closes the goal, and those likelier than it have their verdicts: they are tried at once."""
    judged = {one.tactic: one for one in found}
    for form in forms:
        outcome = judged.get(form)
        if outcome is None:
            return False
        if outcome.status == "closes" and not outcome.rests_on_sorry:
            return True
    return False


async def _tried(
    context: RequestContext, pipeline: Pipeline, chosen: _Chosen, tried: Trials
) -> list[TacticOutcome]:
    """Lean's verdicts, until the likeliest form that closes the goal is known, within the time for one tactic."""
    found: list[TacticOutcome] = []
    try:
        verdicts = tried(chosen.place, chosen.forms, context.settings.lean.tactic_seconds)
        async with aclosing(verdicts):
            async for outcome in verdicts:
                found.append(outcome)
                pipeline.edits.keep(chosen.place.asked, outcome)
                if _is_settled(found, chosen.forms):
                    break
    except (LeanError, NoGoalHere, GoalBroken):
        return found
    return found
