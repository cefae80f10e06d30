"""The step from a goal and its premises to candidates: from templates, from known proofs, from the generator."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Sequence

from lean_extract.common.errors import ModelError
from lean_extract.common.lru import Cache
from lean_extract.records import Goal, Premise
from lsp_server.engine.open_generator import LoadedGenerator, OpenGenerator
from lsp_server.engine.open_index import CurrentIndex
from lsp_server.engine.project_index import ProjectIndex
from lsp_server.engine.settings import Settings
from lsp_server.engine.tasks import ahead
from lsp_server.engine.unstated import Unstated
from prover.candidates import Candidate, CandidateSource, Closers, Templates, merge
from prover.generator.model import Generated
from prover.neighbours.features import Asked
from prover.neighbours.proposals import candidates
from prover.opening import count_for
from prover.verify import GoalPosition

_KEPT = 64
"""Goals."""


def template_candidates(
    goal: Goal, premises: Sequence[Premise], extra: tuple[str, ...], limit: int
) -> list[Candidate]:
    """The tactics of premises and of the goal's shape, best first, by the scores of their sources."""
    sources: list[CandidateSource] = [Templates(), Closers(extra), Unstated()]
    return merge([source.candidates(goal, premises, limit) for source in sources], limit)


def neighbour_candidates(
    index: ProjectIndex, goal: Goal, position: GoalPosition, premises: Sequence[Premise], limit: int
) -> list[Candidate]:
    """The tactics of the nearest known steps, adapted to the goal, best first."""
    context = index.context_at(position)
    steps = index.service.near_steps(goal, context)
    asked = Asked(goal, context.module or "", context.theorem or "")
    return candidates(asked, steps, premises, limit)


class CandidateTactics:
    """Makes candidates, in threads. Results are kept per goal.

    The keys: for templates the goal, premises, extra closing tactics and the number wanted; for the
    generator all goals, premises, how many are wanted, and the generator's fingerprint. One generation runs
    at a time: it uses every core anyway.
    """

    def __init__(self) -> None:
        self._from_templates: Cache[list[Candidate]] = Cache(_KEPT)
        self._generated: Cache[list[Generated]] = Cache(_KEPT)
        self._turn = asyncio.Lock()

    async def from_templates(
        self, goal: Goal, premises: Sequence[Premise], extra: tuple[str, ...], limit: int
    ) -> list[Candidate]:
        """The tactics of premises and of the goal's shape, best first."""
        key = (goal, tuple(premises), extra, limit)
        known = self._from_templates.get(key)
        if known is None:
            known = await asyncio.to_thread(template_candidates, goal, premises, extra, limit)
            self._from_templates.put(key, known)
        return known

    async def from_neighbours(
        self,
        current: CurrentIndex,
        goal: Goal,
        position: GoalPosition,
        premises: Sequence[Premise],
        limit: int,
    ) -> list[Candidate]:
        """The tactics of the nearest known steps, adapted to the goal, best first.

        Raises PremiseIndexError, ModelError, BadSource.
        """
        return await asyncio.to_thread(neighbour_candidates, current.index, goal, position, premises, limit)

    async def generated(
        self, opened: OpenGenerator, settings: Settings, goals: Sequence[Goal], premises: Sequence[Premise]
    ) -> list[Generated]:
        """The generator's tactics, best first; none if there is no generator and templates are used, too.

        Raises ModelError: the generator cannot be used, or it is the only source and there is none.
        """
        generator = await _from(opened, settings)
        if generator is None:
            if settings.tactics.source == "generator":
                raise ModelError(
                    "No generator is set, and none came with the installation.",
                    "Name one in `tactics.generator`, or set `tactics.source` to `templates`.",
                )
            return []
        count = count_for(generator, settings.tactics.generated)
        key = (tuple(goals), tuple(premises), count, generator.fingerprint)
        known = self._generated.get(key)
        if known is not None:
            return known
        await self._turn.acquire()
        # From here on the generation runs to its end and keeps its turn until then, even if nobody waits for it.
        return await asyncio.shield(ahead(self._generate(generator, goals, premises, count, key)))

    async def _generate(
        self,
        generator: LoadedGenerator,
        goals: Sequence[Goal],
        premises: Sequence[Premise],
        count: int,
        key: Hashable,
    ) -> list[Generated]:
        try:
            found = self._generated.get(key)
            if found is None:
                found = await asyncio.to_thread(generator.generate, goals, premises, count=count)
                self._generated.put(key, found)
            return found
        finally:
            self._turn.release()


def open_ahead(opened: OpenGenerator, settings: Settings) -> None:
    """Begin to load the generator, if it will be needed."""
    if settings.tactics.source != "templates":
        ahead(_from(opened, settings))


async def _from(opened: OpenGenerator, settings: Settings) -> LoadedGenerator | None:
    """The generator that the settings name; None if they name none and none is shipped. Raises ModelError."""
    return await opened.get(
        settings.tactics.generator, download=settings.model_download, device=settings.models.device
    )
