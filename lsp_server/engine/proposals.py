"""The tactics to try on a goal, of all sources, thought of once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Sequence

from lean_extract.errors import ModelError
from lean_extract.lru import Cache
from lean_extract.records import Goal, Premise
from lsp_server.engine.open_generator import LoadedGenerator, OpenGenerator
from lsp_server.engine.settings import Settings
from lsp_server.engine.tasks import ahead
from lsp_server.engine.unstated import Unstated
from prover.candidates import Candidate, CandidateSource, Closers, Templates, merge
from prover.generator.model import Generated
from prover.generator.source import score

GENERATOR = "generator"
"""The source of a generator's candidates."""
_KEPT = 64
"""So many goals' candidates are remembered."""


def propose(goal: Goal, premises: Sequence[Premise], extra: tuple[str, ...], limit: int) -> list[Candidate]:
    """The tactics to try, of every source that needs no model."""
    sources: list[CandidateSource] = [Templates(), Closers(extra), Unstated()]
    return merge([source.candidates(goal, premises, limit) for source in sources], limit)


class Proposals:
    """Thinks of tactics, in threads; what was thought of is kept.

    The same goal with the same premises is not thought about again: templates' candidates are kept by goal,
    premises, further closing tactics and how many are wanted; the generator's by all goals, premises, how
    many, and the generator's fingerprint. One generation runs at a time: it uses every core anyway.
    """

    def __init__(self, settings: Callable[[], Settings], generator: OpenGenerator) -> None:
        self._settings = settings
        self._generator = generator
        self._ready: Cache[list[Candidate]] = Cache(_KEPT)
        self._generated: Cache[list[Generated]] = Cache(_KEPT)
        self._turn = asyncio.Lock()

    def open_ahead(self) -> None:
        """Begin to load the generator, if one will be asked."""
        settings = self._settings()
        if settings.tactics.source != "templates":
            ahead(self._generator.get(settings.tactics.generator, download=settings.model_download))

    async def ready(
        self, goal: Goal, premises: Sequence[Premise], extra: tuple[str, ...], limit: int
    ) -> list[Candidate]:
        """The candidates of every source that needs no model, best first."""
        key = (goal, tuple(premises), extra, limit)
        known = self._ready.get(key)
        if known is None:
            known = await asyncio.to_thread(propose, goal, premises, extra, limit)
            self._ready.put(key, known)
        return known

    async def generated(self, goals: Sequence[Goal], premises: Sequence[Premise]) -> list[Generated]:
        """The generator's tactics, best first; none where there is no generator and others are asked, too.

        Raises ModelError: the generator cannot be used, or it alone is asked and there is none.
        """
        settings = self._settings()
        count = settings.tactics.generated
        generator = await self._generator.get(settings.tactics.generator, download=settings.model_download)
        if generator is None:
            if settings.tactics.source == "generator":
                raise ModelError(
                    "No generator is set, and none came with the installation.",
                    "Name one in `tactics.generator`, or set `tactics.source` to `templates`.",
                )
            return []
        key = (tuple(goals), tuple(premises), count, generator.fingerprint)
        known = self._generated.get(key)
        if known is not None:
            return known
        await self._turn.acquire()
        # From here on it goes on to its end, and gives its turn on only then, whoever still waits for it.
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


def as_candidates(generated: Sequence[Generated]) -> list[Candidate]:
    """A generator's tactics on the scale of the other sources."""
    return [Candidate(one.tactic, score(one.log_probability), GENERATOR) for one in generated]
