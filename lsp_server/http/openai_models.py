"""Our models as OpenAI's interface has them: `/v1/models`, `/v1/completions` and `/v1/embeddings`.

A prompt or an input is a proof state. The generator's tactics are the choices of a completion; Lean has not seen them.
Embeddings are those with which the encoder ranks premises.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from lean_extract.common.arrays import Floats
from lean_extract.common.errors import NoGoalHere
from lean_extract.records import Goal
from lsp_server.http.backend import HttpBackend
from lsp_server.http.decoding import JsonRoute
from lsp_server.http.problems import OPENAI_RESPONSES
from lsp_server.http.revisions import ServedIndex
from lsp_server.limits import COMPLETIONS, STATES
from prover.generator.source import Generated
from retriever.lean.eligibility import RankRequest

_Generator = Literal["premise-suggest-generator"]
_Encoder = Literal["premise-suggest-encoder"]
GENERATOR: _Generator = "premise-suggest-generator"
ENCODER: _Encoder = "premise-suggest-encoder"
_PREMISES = 32
_OWNER = "premise-suggest"

_Texts = str | Annotated[list[str], Field(min_length=1, max_length=STATES)]


def _whole(value: object) -> object:
    """In JSON, 8.0 is an integer, too."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


_FLOATS = BeforeValidator(_whole)


class Model(BaseModel):
    """A model that is served."""

    id: str
    object: Literal["model"] = "model"
    created: int = Field(default=0, description="Not known.")
    owned_by: str = _OWNER


class ModelList(BaseModel):
    """The models that are served."""

    object: Literal["list"] = "list"
    data: list[Model]


class Usage(BaseModel):
    """Sizes. The models have symbols of their own, so bytes of UTF-8 are counted."""

    prompt_tokens: int
    completion_tokens: int = 0
    total_tokens: int


class CompletionRequest(BaseModel):
    """A request for tactics. Fields of OpenAI's interface that are not listed have no effect."""

    model_config = ConfigDict(strict=True)
    model: _Generator
    prompt: _Texts = Field(description="A proof state, or several.", examples=["n : ℕ\n⊢ n + 0 = n"])
    n: Annotated[int, Field(ge=1, le=COMPLETIONS), _FLOATS] = Field(
        1, description="How many tactics for each state."
    )
    logprobs: Annotated[int, Field(ge=0), _FLOATS] | None = Field(
        None, description="If given, each tactic has its log-probability, as if it were one token."
    )
    stream: Literal[False] | None = Field(
        False, description="Tactics are found together: nothing is streamed."
    )


class LogProbabilities(BaseModel):
    """A tactic's log-probability."""

    tokens: list[str]
    token_logprobs: list[float]
    top_logprobs: None = None
    text_offset: list[int]


class Choice(BaseModel):
    """One tactic."""

    text: str
    index: int = Field(description="Those of the first state come first, and of one state the likeliest.")
    logprobs: LogProbabilities | None
    finish_reason: Literal["stop"] = "stop"


class Completion(BaseModel):
    """Tactics. There may be fewer than were asked for."""

    id: str = "cmpl-premise-suggest"
    object: Literal["text_completion"] = "text_completion"
    created: int = Field(default=0, description="Not set: equal requests have equal answers.")
    model: str
    choices: list[Choice]
    usage: Usage


class EmbeddingRequest(BaseModel):
    """A request for embeddings."""

    model_config = ConfigDict(strict=True)
    model: _Encoder
    input: _Texts = Field(description="A proof state, or several.", examples=["n : ℕ\n⊢ n + 0 = n"])
    encoding_format: Literal["float", "base64"] = Field(
        "float", description="base64: of little-endian float32."
    )


class Embedding(BaseModel):
    """The embedding of one goal."""

    object: Literal["embedding"] = "embedding"
    index: int
    embedding: list[float] | str = Field(description="Of norm 1.")


class EmbeddingList(BaseModel):
    """The embeddings, in the order of the input."""

    object: Literal["list"] = "list"
    data: list[Embedding]
    model: str
    usage: Usage


def router(backend: HttpBackend) -> APIRouter:
    """The interface over the models of these indexes."""
    routes = APIRouter(prefix="/v1", tags=["OpenAI"], route_class=JsonRoute, responses=OPENAI_RESPONSES)

    @routes.get("/models")
    async def models() -> ModelList:
        """The generator and the encoder."""
        return ModelList(data=[Model(id=GENERATOR), Model(id=ENCODER)])

    @routes.post("/completions")
    async def completions(request: CompletionRequest, asked: Request) -> Completion:
        """The generator's tactics for each state, which get the premises that fit it."""
        library, states = backend.library(asked), _listed(request.prompt)
        found: list[Generated] = []
        for state in states:
            try:
                goal = await backend.goal_of(state)
            except NoGoalHere:
                continue  # nothing is left to prove
            found += await backend.work(partial(_complete, library, goal, request.n))
        choices = [
            Choice(text=one.tactic, index=index, logprobs=_logprobs(one, request.logprobs))
            for index, one in enumerate(found)
        ]
        usage = _usage(states, [one.tactic for one in found])
        return Completion(model=GENERATOR, choices=choices, usage=usage)

    @routes.post("/embeddings")
    async def embeddings(request: EmbeddingRequest, asked: Request) -> EmbeddingList:
        """The embedding of each state's main goal, by the encoder that ranks premises."""
        library, states = backend.library(asked), _listed(request.input)
        goals = [await backend.goal_of(state) for state in states]
        rows = await backend.work(lambda: _embed(library, goals))
        is_text = request.encoding_format == "base64"
        found = [
            Embedding(index=index, embedding=base64.b64encode(row).decode() if is_text else row.tolist())
            for index, row in enumerate(rows)
        ]
        return EmbeddingList(data=found, model=ENCODER, usage=_usage(states))

    return routes


def _listed(texts: str | list[str]) -> list[str]:
    return [texts] if isinstance(texts, str) else texts


async def _complete(library: ServedIndex, goal: Goal, count: int) -> list[Generated]:
    """At most `count` tactics of the generator, likeliest first. Raises ModelError."""
    ranked = await library.rank(RankRequest(goal, k=_PREMISES))
    return (await library.engine.generated([goal], [one.premise for one in ranked], count))[:count]


async def _embed(library: ServedIndex, goals: Sequence[Goal]) -> Floats:
    """float32[goals, d]"""
    index = await library.engine.project_index()
    return (await asyncio.to_thread(index.service.embed, goals)).astype("<f4")


def _logprobs(one: Generated, wanted: int | None) -> LogProbabilities | None:
    if wanted is None:
        return None
    return LogProbabilities(tokens=[one.tactic], token_logprobs=[one.log_probability], text_offset=[0])


def _usage(given: Sequence[str], written: Sequence[str] = ()) -> Usage:
    prompt, completion = (sum(len(text.encode()) for text in texts) for texts in (given, written))
    return Usage(prompt_tokens=prompt, completion_tokens=completion, total_tokens=prompt + completion)
