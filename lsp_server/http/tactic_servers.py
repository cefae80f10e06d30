"""The interfaces of tactic generators: LeanCopilot's `POST /generate` and llmstep's `POST /`.

The tactics are made from templates over the ranked premises, and from the goal's shape. Lean has not seen
them: both clients try each one in Lean themselves and show what it accepts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from lean_extract.errors import NoGoalHere
from lean_extract.records import Goal, Position
from lsp_server.http.backend import Backend, goal_of
from lsp_server.http.limits import MAX_STATE
from lsp_server.http.prefixes import starting_with
from lsp_server.http.revisions import Library
from lsp_server.knowledge import Knowledge
from lsp_server.proposals import propose
from prover.candidates import Candidate
from prover.verify import GoalPlace

COPILOT_OUTPUTS = 16
"""How many tactics LeanCopilot is sent."""
LLMSTEP_SUGGESTIONS = 10
"""How many tactics llmstep is sent, as its own server does."""
_PREMISES = 32
_DEFINITIONS = 6
_POOL = 64
_POOL_FOR_PREFIX = 1000
_STEP_DOWN = 0.999
"""What a score is multiplied with where it would not be below the one before it."""

State = Annotated[str, StringConstraints(max_length=MAX_STATE)]
Prefix = Annotated[str, StringConstraints(max_length=1000)]


class GeneratorRequest(BaseModel):
    """LeanCopilot's request."""

    model_config = ConfigDict(strict=True)
    name: str = Field(description="The generator's name; there is one, so any will do.")
    input: State = Field(description="The tactic state.", examples=["n : ℕ\n⊢ n + 0 = n"])
    prefix: Prefix | None = Field(None, description="What every tactic has to begin with.")


class Generation(BaseModel):
    """One tactic."""

    output: str = Field(description="The whole tactic, prefix included.")
    score: float = Field(description="Above 0, at most 1, each below the one before.")


class GeneratorResponse(BaseModel):
    """LeanCopilot's answer."""

    outputs: list[Generation]


class StepRequest(BaseModel):
    """llmstep's request."""

    model_config = ConfigDict(strict=True)
    tactic_state: State = Field(description="The tactic state.", examples=["n : ℕ\n⊢ n + 0 = n"])
    prefix: Prefix = Field("", description="What every tactic has to begin with.")
    context: str = Field("", description="The file up to the tactic: tells what is imported and declared.")


class StepResponse(BaseModel):
    """llmstep's answer."""

    suggestions: list[str]


def router(backend: Backend) -> APIRouter:
    """Both interfaces over the default index."""
    routes = APIRouter(tags=["Tactic generators"])

    @routes.post("/generate")
    async def generate(request: GeneratorRequest) -> GeneratorResponse:
        """LeanCopilot: tactics for a state, best first."""
        found = await tactics(backend, request.input, request.prefix or "", "", COPILOT_OUTPUTS)
        return GeneratorResponse(
            outputs=[
                Generation(output=one.tactic, score=score)
                for one, score in zip(found, falling([one.score for one in found]), strict=True)
            ]
        )

    @routes.post("/")
    async def step(request: StepRequest) -> StepResponse:
        """llmstep: tactics for a state, best first."""
        found = await tactics(
            backend, request.tactic_state, request.prefix, request.context, LLMSTEP_SUGGESTIONS
        )
        return StepResponse(suggestions=[one.tactic for one in found])

    return routes


async def tactics(backend: Backend, state: str, prefix: str, context: str, count: int) -> list[Candidate]:
    """At most `count` tactics that begin with the prefix; none where nothing is left to prove."""
    try:
        goal = await goal_of(state)
    except NoGoalHere:
        return []
    library = backend.libraries.default
    return await backend.work(lambda: _propose(library, goal, prefix, place_after(context), count))


async def _propose(
    library: Library, goal: Goal, prefix: str, place: GoalPlace | None, count: int
) -> list[Candidate]:
    knowledge = await library.engine.knowledge()
    return await asyncio.to_thread(_candidates, knowledge, goal, prefix, place, count)


def _candidates(
    knowledge: Knowledge, goal: Goal, prefix: str, place: GoalPlace | None, count: int
) -> list[Candidate]:
    ranked = knowledge.rank(goal, place, _PREMISES)
    definitions = knowledge.rank(goal, place, _DEFINITIONS, "definitions")
    premises = [one.premise for one in (*ranked, *definitions) if one.in_scope is not False]
    size = _POOL_FOR_PREFIX if prefix.strip() else _POOL
    pool = propose(goal, premises, knowledge.closers, size)
    return starting_with(prefix, pool, premises)[:count]


def place_after(context: str) -> GoalPlace | None:
    """The end of a text that is in no file; None where there is no text."""
    if not context.strip():
        return None
    text = f"{context.rstrip()}\n"
    return GoalPlace(Path("llmstep.lean"), text, Position(text.count("\n"), 0))


def falling(scores: Sequence[float]) -> list[float]:
    """The same scores, each strictly below the one before and in (0, 1]."""
    found: list[float] = []
    highest = 1.0
    for score in scores:
        highest = min(max(score, 1e-9), highest)
        found.append(highest)
        highest *= _STEP_DOWN
    return found
