"""A model at a server in an evaluation: what it is asked about a problem, which is what `prove` asks."""

from __future__ import annotations

import asyncio

from lean_extract.records import Goal
from lsp_server.commands.eval_premises import ProblemPremises, Retrieval
from lsp_server.engine.served_models import NEAR, author_of, text_above
from lsp_server.engine.settings import Settings
from prover.search.problems import Problem
from prover.search.proving import AuthorFor
from prover.search.writer import Author
from prover.served.client import ModelServer
from prover.served.prompts import Material, forms_digest
from prover.verify import GoalPosition


def authors(server: ModelServer, settings: Settings, retrieval: Retrieval | None) -> AuthorFor:
    """The function that makes the author for a problem and a pass; each pass has seeds of its own."""
    models = settings.models

    def author(problem: Problem, pass_number: int) -> Author:
        premises = None if retrieval is None else ProblemPremises(retrieval, problem)
        position = GoalPosition(problem.theorem.path, problem.text_seen, problem.theorem.position)

        async def material(goal: Goal) -> Material:
            context = text_above(position)
            if premises is None:
                return Material(goal, context=context)
            ranked = await premises.retrieve(goal)
            near = await asyncio.to_thread(premises.near, goal)
            return Material(goal, ranked[: models.premises], near[:NEAR], context)

        return author_of(server, models, material, (pass_number - 1) * models.samples)

    return author


def settings_of(server: ModelServer, settings: Settings) -> dict[str, str | int | float]:
    """What a run's description says of a model: all that determines what it is asked. Raises ModelError."""
    models, address = settings.models, server.address
    return {
        "served": f"{address.base}#{address.model}",
        "prompts": forms_digest(("proof", "repair"), address.model, models.prompts),
        "prompt_premises": models.premises,
        "prompt_tokens": models.prompt_tokens,
        "answer_tokens": models.answer_tokens,
        "proof_tokens": models.proof_tokens,
        "samples": models.samples,
        "repairs": models.repairs,
    }
