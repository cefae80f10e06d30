"""The model at a server that writes proofs of a goal of a project, while a search for one runs."""

from __future__ import annotations

import asyncio

from lean_extract.common.errors import ModelError
from lean_extract.records import Goal
from lsp_server.engine.proposing import ProjectPremises
from lsp_server.engine.request_context import RequestContext
from prover.search.writer import Author
from prover.verify import GoalPosition

NO_PROOFS = "The generator gave no proofs: {}"
"""A warning, with the error."""


def author_at(
    context: RequestContext, position: GoalPosition, premises: ProjectPremises, warnings: list[str]
) -> Author | None:
    """The model that the settings name; None if they name none. Where it must not be asked, a warning."""
    try:
        server = context.generator.server(context.settings)
    except ModelError as error:
        warnings.append(NO_PROOFS.format(error))
        return None
    if server is None:
        return None
    from lsp_server.engine.served_models import AskedGoal, author_of  # with an HTTP client
    from prover.served.prompts import Material

    async def material(goal: Goal) -> Material:
        ranked = tuple(await premises.retrieve(goal))
        index = (await context.index.current()).index
        asked = AskedGoal(index, position, goal, ranked)
        return await asyncio.to_thread(asked.material, context.settings)

    return author_of(server, context.settings.models, material)
