"""The sources of an evaluation's tactics: templates and known proofs, the generator, or all, as in a suggestion."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lean_extract.records import Goal, Premise
from lsp_server.engine.candidate_tactics import template_candidates
from prover.candidates import Candidate
from prover.generator.source import Generated, TacticGenerator, as_candidates
from prover.odds import shipped_odds
from prover.opening import count_for
from prover.search.environment import Proposed
from prover.search.proposals import Retrieve
from retriever.lean.theorems import is_theorem

Neighbours = Callable[[Goal, Sequence[Premise], int], list[Candidate]]
"""(goal, its ranked premises, how many at most) -> the adapted tactics of known proofs, best first."""


@dataclass(frozen=True, slots=True)
class Tactics:
    """Proposes tactics, given how premises are found.

    `generator`: None where it does not propose. `with_templates`: whether templates do, and all that needs
    no model. `extra`: further closing tactics of the project. `first`: those that are tried before all others.
    `generated`: how many tactics the generator
    writes for a state; it reads the theorems among the premises. `limit`: how many are proposed.
    `neighbours`: None where known proofs give no tactics.
    """

    retrieve: Retrieve
    generator: TacticGenerator | None
    with_templates: bool
    extra: tuple[str, ...]
    generated: int
    limit: int
    neighbours: Neighbours | None = None
    first: tuple[str, ...] = ()

    async def tactics(self, goals: Sequence[Goal]) -> list[Proposed]:
        """At most `limit`, best first. Raises ModelError, IndexDamaged."""
        premises = await self.retrieve(goals[0])
        return await asyncio.to_thread(self._proposed, goals, premises)

    def _proposed(self, goals: Sequence[Goal], premises: Sequence[Premise]) -> list[Proposed]:
        generated: list[Generated] = []
        if self.generator is not None:
            theorems = [premise for premise in premises if is_theorem(premise)]
            generated = self.generator.generate(
                goals, theorems, count=count_for(self.generator, self.generated)
            )
        if (
            not self.with_templates
        ):  # alone, with the generator's own log-probabilities (section 4.5, after LeanDojo)
            return [Proposed(one.tactic, one.log_probability) for one in generated][: self.limit]
        lists = [template_candidates(goals[0], premises, self.extra, self.limit), as_candidates(generated)]
        if self.neighbours is not None:
            lists.append(self.neighbours(goals[0], premises, self.limit))
        found = shipped_odds().weighed(lists)
        best = max((one.score for one in found), default=1.0)
        ahead = [Proposed(tactic, math.log(best)) for tactic in self.first]
        return [*ahead, *(Proposed(one.tactic, math.log(one.score)) for one in found)][: self.limit]
