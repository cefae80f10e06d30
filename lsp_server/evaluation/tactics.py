"""The sources of an evaluation's tactics: templates, the generator, or both, as in a suggestion."""

from __future__ import annotations

import asyncio
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from lean_extract.records import Goal, Premise
from lsp_server.engine.candidate_tactics import template_candidates
from prover.candidates import Candidate, is_unfinished, key_of
from prover.generator.model import Generated
from prover.generator.source import TacticGenerator
from prover.search.environment import Proposed
from prover.search.proposals import Retrieve
from retriever.lean.theorems import is_theorem


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
        if (
            not self.with_templates
        ):  # alone, with the generator's own log-probabilities (section 4.5, after LeanDojo)
            return [Proposed(one.tactic, one.log_probability) for one in generated][: self.limit]
        # Templates could fill the whole list, so the generator's tactics keep their slots.
        templates = template_candidates(goals[0], premises, self.extra, max(self.limit - len(generated), 1))
        return mixed(templates, generated)[: self.limit]


def mixed(templates: Sequence[Candidate], generated: Sequence[Generated]) -> list[Proposed]:
    """One distribution over the tactics of both, best first, so that sums of logarithms are comparable.

    Half of it is the generator's, half the others', each by its share of their scores; where one of them has
    nothing the other has all.
    """
    chances: dict[str, float] = defaultdict(float)
    half = 0.5 if templates and generated else 1.0
    scores = sum(one.score for one in templates)
    for candidate in templates:
        if candidate.score > 0:
            chances[key_of(candidate.tactic)] += half * candidate.score / scores
    for written in generated:
        if not is_unfinished(written.tactic):
            chances[key_of(written.tactic)] += half * math.exp(written.log_probability)
    ordered = sorted(chances.items(), key=lambda item: -item[1])
    return [Proposed(tactic, math.log(chance)) for tactic, chance in ordered if chance > 0]
