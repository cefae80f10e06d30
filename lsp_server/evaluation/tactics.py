"""Where an evaluation's tactics come from: templates, the generator, or both, as in a suggestion."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass

from lean_extract.records import Goal, Premise
from lsp_server.proposals import as_candidates, propose
from prover.candidates import merge
from prover.generator.model import Generated
from prover.generator.source import TacticGenerator
from prover.search.environment import Proposed
from prover.search.proposals import Retrieve
from retriever.index.content import is_theorem

_LEAST = 1e-6
"""The chance of a candidate that scores nothing, so that its logarithm is a number."""


@dataclass(frozen=True, slots=True)
class Tactics:
    """Proposes tactics, given how premises are found.

    `generator`: None where templates alone propose. `with_templates`: whether they do, and all that needs
    no model. `extra`: further closing tactics of the project. `generated`: how many tactics the generator
    writes for a state; it reads the theorems among the premises. `limit`: how many are proposed.
    """

    retrieve: Retrieve
    generator: TacticGenerator | None
    with_templates: bool
    extra: tuple[str, ...]
    generated: int
    limit: int

    async def tactics(self, goals: Sequence[Goal]) -> list[Proposed]:
        """At most `limit`, best first. Raises ModelError, IndexDamaged."""
        premises = await self.retrieve(goals[0])
        return await asyncio.to_thread(self._proposed, goals, premises)

    def _proposed(self, goals: Sequence[Goal], premises: Sequence[Premise]) -> list[Proposed]:
        generated: list[Generated] = []
        if self.generator is not None:
            theorems = [premise for premise in premises if is_theorem(premise)]
            generated = self.generator.generate(goals, theorems, count=self.generated)
        if not self.with_templates:  # then with the generator's own numbers (section 4.5, after LeanDojo)
            return [Proposed(one.tactic, one.log_probability) for one in generated][: self.limit]
        ready = propose(goals[0], premises, self.extra, self.limit)
        found = merge([ready, as_candidates(generated)], self.limit)
        return [Proposed(one.tactic, math.log(min(max(one.score, _LEAST), 1.0))) for one in found]
