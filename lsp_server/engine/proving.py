"""Searches for the proof of the goal at a position, and answers with the edit that Lean has judged."""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing
from dataclasses import replace

from lean_extract.goals import format_goal
from lean_extract.records import TacticOutcome
from lean_extract.session.document import LeanDocument
from lean_extract.session.tactic_sites import declared_name
from lsp_server.engine.goal_places import GoalFound
from lsp_server.engine.items import edit_item, position_item
from lsp_server.engine.pipeline import Pipeline
from lsp_server.engine.proposing import ProjectPremises, WrittenHere, make_proposer
from lsp_server.engine.request_context import RequestContext
from lsp_server.engine.requests import OnProofProgress, ProveRequest, main_goal
from lsp_server.engine.schema_proofs import ProofAnswer, ProofProgress, ProofStatus
from lsp_server.limits import PROOF_PROGRESS_SECONDS
from prover.refutation import unless_refuted
from prover.search.environment import LeanEnvironment
from prover.search.search import SearchLimits, SearchResult, search
from prover.search.theorem import script
from prover.verify import GoalPosition


async def prove(
    context: RequestContext,
    pipeline: Pipeline,
    request: ProveRequest,
    on_progress: OnProofProgress | None,
    stop: asyncio.Event | None,
) -> ProofAnswer:
    """The result of a search; see `Engine.prove`."""
    context.index.preload()
    await context.catch_up()
    context.lean.prepare_ahead(request.position)
    found = await pipeline.states.find(context.lean, request.position)
    goal = main_goal(found.state)
    blank = ProofAnswer(
        ProofStatus.NOT_PROVED, format_goal(goal), _declaration(found.asked), warnings=found.warnings
    )
    proposer = await _proposer(context, pipeline, found.asked)
    limits = SearchLimits(request.seconds)
    session = await context.lean.session()
    environment = LeanEnvironment(session, found.asked)
    watch = None if on_progress is None else _Progress(on_progress, request.seconds)
    begin = time.monotonic()
    searching = search(environment, proposer, limits, stop=stop, on_outcome=watch)
    result = await unless_refuted(
        searching,
        session,
        found.asked,
        found.state,
        lambda one: one.status == "proved" or (stop is not None and stop.is_set()),
    )
    if isinstance(result, str):
        seconds = round(time.monotonic() - begin, 3)
        return replace(blank, status=ProofStatus.FALSE, message=result, seconds=seconds)
    answer = replace(
        blank,
        message=result.reason,
        seconds=round(result.seconds, 3),
        states=result.nodes,
        tactics=result.tactics,
    )
    if result.status == "failed":
        return replace(answer, status=ProofStatus.FAILED)
    if result.status == "proved":
        outcome = await _judged(context, found, script(result.proof), limits)
        if outcome is not None:
            return _proved(answer, found, outcome)
    if stop is not None and stop.is_set():
        return replace(answer, status=ProofStatus.STOPPED)
    return answer


async def _proposer(context: RequestContext, pipeline: Pipeline, position: GoalPosition) -> WrittenHere:
    settings = context.settings
    await context.files.caught_up()
    current = await context.index.current()
    generator = None
    if settings.tactics.source != "templates":
        generator = await context.generator.get(
            settings.tactics.generator, download=settings.model_download, device=settings.models.device
        )
    premises = await asyncio.to_thread(ProjectPremises, context, pipeline.ranking, current, position)
    proposer = make_proposer(
        premises,
        extra=settings.tactics.extra or current.index.closers,
        source=settings.tactics.source,
        tactics=SearchLimits().tactics,
        generator=generator,
        generated=settings.tactics.generated,
        neighbours=settings.tactics.neighbours,
    )
    return WrittenHere(proposer, premises)


def _declaration(position: GoalPosition) -> str:
    document = LeanDocument(position.text or "")
    offset = document.offset(position.position)
    start, _ = document.declaration(offset)
    return declared_name(document.text, start, offset)


async def _judged(
    context: RequestContext, found: GoalFound, tactic: str, limits: SearchLimits
) -> TacticOutcome | None:
    """Lean's verdict on a script in the document, if it is accepted."""
    asked = found.asked
    session = await context.lean.session()
    seconds = limits.seconds + limits.tactic_seconds
    outcomes = session.try_tactics(asked.path, asked.text, asked.position, [tactic], timeout=seconds)
    async with aclosing(outcomes):
        async for outcome in outcomes:
            if outcome.status == "closes" and outcome.edit is not None:
                return found.outcome(outcome)
    return None


def _proved(answer: ProofAnswer, found: GoalFound, outcome: TacticOutcome) -> ProofAnswer:
    assert outcome.edit is not None
    return replace(
        answer,
        status=ProofStatus.PROVED,
        script=outcome.shown,
        edits=[edit_item(outcome.edit)],
        cursor=position_item(outcome.edit.cursor),
        proved=1,
        message="",
    )


class _Progress:
    """Reports a search, a few times a second at most."""

    def __init__(self, report: OnProofProgress, limit: float) -> None:
        self._report, self._limit = report, limit
        self._last = -PROOF_PROGRESS_SECONDS

    def __call__(self, so_far: SearchResult) -> None:
        if so_far.seconds - self._last < PROOF_PROGRESS_SECONDS:
            return
        self._last = so_far.seconds
        self._report(
            ProofProgress(
                round(so_far.seconds, 1),
                self._limit,
                so_far.nodes,
                so_far.tactics,
                proved=0,
                goals=1,
                steps="",
            )
        )
