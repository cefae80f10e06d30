"""The interfaces of tactic generators: LeanCopilot's `POST /generate` and llmstep's `POST /`.

They get the generator's tactics and those made from templates over the ranked premises and from the goal's
shape, likeliest first. Lean has not seen them: both clients try each one in Lean themselves and show what it
accepts.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from lean_extract.common.cancellation import check_cancelled
from lean_extract.common.errors import ModelError, NoGoalHere
from lean_extract.limits import MAX_CONTEXT_CHARACTERS
from lean_extract.records import Goal, Position, Premise
from lsp_server.engine.candidate_tactics import template_candidates
from lsp_server.engine.engine import Engine
from lsp_server.engine.project_index import ProjectIndex
from lsp_server.http.backend import HttpBackend
from lsp_server.http.decoding import JsonRoute
from lsp_server.http.prefixes import starting_with
from lsp_server.http.revisions import ServedIndex
from lsp_server.limits import PREFIX_CHARACTERS
from prover.candidates import Candidate
from prover.generator.source import as_candidates
from prover.mentions import DEFINITIONS, definitions_to_try
from prover.odds import shipped_odds
from prover.verify import GoalPosition
from retriever.lean.eligibility import RankRequest
from retriever.lean.goal_context import GoalContext

log = logging.getLogger("premise_suggest.http")

_COPILOT_OUTPUTS = 16
"""How many tactics LeanCopilot is sent."""
_LLMSTEP_SUGGESTIONS = 10
"""How many tactics llmstep is sent, as its own server does."""
_PREMISES = 32
_POOL = 64
_POOL_FOR_PREFIX = 1000
_STEP_DOWN = 0.999
"""The factor for a score that would not be below the one before it."""

_Prefix = Annotated[str, StringConstraints(max_length=PREFIX_CHARACTERS)]
_Context = Annotated[str, StringConstraints(max_length=MAX_CONTEXT_CHARACTERS)]


class GeneratorRequest(BaseModel):
    """LeanCopilot's request."""

    model_config = ConfigDict(strict=True)
    name: str = Field(description="The generator's name; there is one, so any will do.")
    input: str = Field(description="The tactic state.", examples=["n : ℕ\n⊢ n + 0 = n"])
    prefix: _Prefix | None = Field(None, description="What every tactic has to begin with.")


class Generation(BaseModel):
    """One tactic."""

    output: str = Field(description="The whole tactic, prefix included.")
    score: float = Field(
        description="Above 0, at most 1, each below the one before: the chance that Lean accepts the tactic "
        "and the proof keeps it."
    )


class GeneratorResponse(BaseModel):
    """LeanCopilot's answer."""

    outputs: list[Generation]


class StepRequest(BaseModel):
    """llmstep's request."""

    model_config = ConfigDict(strict=True)
    tactic_state: str = Field(description="The tactic state.", examples=["n : ℕ\n⊢ n + 0 = n"])
    prefix: _Prefix = Field("", description="What every tactic has to begin with.")
    context: _Context = Field(
        "", description="The file up to the tactic: it shows what is imported and declared."
    )


class StepResponse(BaseModel):
    """llmstep's answer."""

    suggestions: list[str]


def router(backend: HttpBackend) -> APIRouter:
    """Both interfaces over these indexes."""
    routes = APIRouter(tags=["Tactic generators"], route_class=JsonRoute)

    @routes.post("/generate")
    async def generate(request: GeneratorRequest, asked: Request) -> GeneratorResponse:
        """LeanCopilot: tactics for a state, best first."""
        library = backend.library(asked)
        found = await _tactics(backend, library, request.input, request.prefix or "", "", _COPILOT_OUTPUTS)
        return GeneratorResponse(
            outputs=[
                Generation(output=one.tactic, score=score)
                for one, score in zip(found, _falling([one.score for one in found]), strict=True)
            ]
        )

    @routes.post("/")
    async def step(request: StepRequest, asked: Request) -> StepResponse:
        """llmstep: tactics for a state, best first."""
        library, state, prefix = backend.library(asked), request.tactic_state, request.prefix
        found = await _tactics(backend, library, state, prefix, request.context, _LLMSTEP_SUGGESTIONS)
        return StepResponse(suggestions=[one.tactic for one in found])

    return routes


async def _tactics(
    backend: HttpBackend, library: ServedIndex, state: str, prefix: str, context: str, count: int
) -> list[Candidate]:
    """At most `count` tactics that begin with the prefix; none where nothing is left to prove."""
    try:
        goal = await backend.goal_of(state)
    except NoGoalHere:
        return []
    return await backend.work(lambda: _propose(library, goal, prefix, _position_after(context), count))


async def _propose(
    library: ServedIndex, goal: Goal, prefix: str, position: GoalPosition | None, count: int
) -> list[Candidate]:
    engine = library.engine
    index = await engine.project_index()
    source = engine.settings.tactics.source
    where = await asyncio.to_thread(index.context_of, position)
    ranked = await asyncio.to_thread(index.rank, RankRequest(goal, where, _PREMISES))
    theorems = [one.premise for one in ranked if one.in_scope is not False]
    check_cancelled()
    generated = await _generated(engine, goal, theorems) if source != "templates" else []
    fitting = [one for one in generated if one.tactic.startswith(prefix.lstrip())]
    check_cancelled()
    made = (
        await asyncio.to_thread(_made, index, goal, prefix, where, theorems) if source != "generator" else []
    )
    return shipped_odds().weighed([fitting, made])[:count]


async def _generated(engine: Engine, goal: Goal, premises: Sequence[Premise]) -> list[Candidate]:
    """The generator's tactics. Raises ModelError: it failed and is the only source."""
    try:
        found = await engine.generated([goal], premises)
    except ModelError as error:
        if engine.settings.tactics.source == "generator":
            raise
        log.error("The generator gave no tactics: %s", error)
        return []
    return as_candidates(found)


def _made(
    index: ProjectIndex, goal: Goal, prefix: str, where: GoalContext | None, theorems: Sequence[Premise]
) -> list[Candidate]:
    """The tactics that need no generator, best first."""
    ranked = index.rank(RankRequest(goal, where, DEFINITIONS, "definitions"))
    definitions = [one.premise for one in ranked if one.in_scope is not False]
    premises = [*theorems, *definitions_to_try(goal, definitions)]
    size = _POOL_FOR_PREFIX if prefix.strip() else _POOL
    return starting_with(prefix, template_candidates(goal, premises, index.closers, size), premises)


def _position_after(context: str) -> GoalPosition | None:
    """The position at the end of a text that is not in a file; None if there is no text."""
    if not context.strip():
        return None
    text = f"{context.rstrip()}\n"
    return GoalPosition(Path("llmstep.lean"), text, Position(text.count("\n"), 0))


def _falling(scores: Sequence[float]) -> list[float]:
    """The same scores, each strictly below the one before and in (0, 1]."""
    found: list[float] = []
    highest = 1.0
    for score in scores:
        highest = min(max(score, 1e-9), highest)
        found.append(highest)
        highest *= _STEP_DOWN
    return found
