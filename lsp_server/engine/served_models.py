"""Models at servers: which may be asked, and what they are asked about a goal of a project.

Imported only where a generator is the address of a model.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass

from lean_extract.common.errors import ModelError
from lean_extract.records import Goal, Premise
from lean_extract.session.document import LeanDocument
from lsp_server.documents.goal_positions import text_of
from lsp_server.engine.project_index import ProjectIndex
from lsp_server.engine.settings import ModelSettings, Settings
from prover.served.address import ModelAddress, read_address
from prover.served.client import ModelServer
from prover.served.prompts import Material
from prover.served.proving import ModelAuthor, ProofPlan
from prover.served.writing import next_tactics
from prover.spending import Spending
from prover.verify import GoalPosition

NEAR = 8
"""How many known steps at similar goals a prompt has."""


class ServedModels:
    """The server of a model; all who ask it share its bound on requests."""

    def __init__(self) -> None:
        self._held: tuple[tuple[ModelAddress, str, str, int], ModelServer] | None = None

    def server(self, name: str, models: ModelSettings) -> ModelServer:
        """The server at an address. Raises ModelError: it is none, or its host is not allowed."""
        address = allowed_address(name, models)
        key = (address, os.environ.get(models.key_variable, "").strip(), models.key_variable, models.requests)
        if self._held is None or self._held[0] != key:
            self._held = key, ModelServer(*key)
        return self._held[1]


def allowed_address(name: str, models: ModelSettings) -> ModelAddress:
    """The address of a model that may be asked. Raises ModelError."""
    address = read_address(name)
    if not address.is_here and address.host not in {host.lower() for host in models.allow_hosts}:
        raise ModelError(
            f"{address.host} is another machine, and nothing is sent there without your consent.",
            f'Add "{address.host}" to `models.allowHosts` in your own settings if goals, statements and the text of '
            "your file above the goal may be sent there.",
        )
    return address


def author_of(
    server: ModelServer, models: ModelSettings, material: Callable[[Goal], Awaitable[Material]], seed: int = 0
) -> ModelAuthor:
    """A model as an author of proofs of one theorem. `seed`: the first of its seeds."""
    plan = ProofPlan(
        models.samples, models.repairs, models.prompt_tokens, models.answer_tokens, models.prompts, seed
    )
    return ModelAuthor(server, material, plan, Spending(models.proof_tokens))


@dataclass(frozen=True, slots=True)
class AskedGoal:
    """A goal that a model is asked about."""

    index: ProjectIndex
    position: GoalPosition
    goal: Goal
    premises: tuple[Premise, ...]

    def material(self, settings: Settings) -> Material:
        """What prompts are filled with. Raises BadSource, PremiseIndexError, ModelError."""
        where, near = self.index.context_at(self.position), []
        if settings.tactics.neighbours:
            near = self.index.service.near_steps(self.goal, where, NEAR)
        return Material(
            self.goal,
            self.premises[: settings.models.premises],
            near,
            text_above(self.position),
            settings.tactics.generated,
        )

    async def tactics(
        self, server: ModelServer, settings: Settings, warnings: list[str]
    ) -> AsyncGenerator[str, None]:
        """The model's tactics, as they are written; where it fails, a warning."""
        models = settings.models
        try:
            material = await asyncio.to_thread(self.material, settings)
            written = next_tactics(
                server,
                material,
                prompts=models.prompts,
                prompt_tokens=models.prompt_tokens,
                answer_tokens=models.answer_tokens,
                uses_grammar=models.grammar,
            )
            async with aclosing(written):
                async for tactic in written:
                    yield tactic
        except ModelError as error:
            warnings.append(f"The generator gave no tactics: {error}")


def text_above(position: GoalPosition) -> str:
    """The file's text above the declaration with the goal."""
    document = LeanDocument(text_of(position))
    start, _ = document.declaration(document.offset(position.position))
    return document.text[:start]
