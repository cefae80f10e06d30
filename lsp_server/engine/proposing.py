"""What proposes tactics for the states of a search: all sources of a suggestion, by the fitted odds.

`prove` and `eval` make their proposers here, so that what is measured is what users get. They differ in where the
premises come from: an evaluation hides what would give a problem away.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from lean_extract.common.errors import ModelError
from lean_extract.records import Goal, Premise
from lsp_server.engine.candidate_tactics import template_candidates
from lsp_server.engine.generators import needed, served_name
from lsp_server.engine.listing import names_at
from lsp_server.engine.premise_ranking import in_scope
from lsp_server.engine.project_index import ProjectIndex
from lsp_server.engine.request_context import RequestContext
from prover.candidates import Candidate, CandidateSource
from prover.closers import LEAN_CLOSERS
from prover.generator.source import TacticGenerator
from prover.mentions import DEFINITIONS, SearchedDefinitions
from prover.neighbours.features import StepQuery
from prover.neighbours.proposals import candidates as neighbour_candidates
from prover.search.environment import Proposed, SourcesProposer
from prover.search.guesses import SearchGuesses
from prover.search.search import SearchLimits
from prover.tactic_words import heads
from prover.verify import GoalPosition
from retriever.lean.eligibility import Allowed, Kinds, RankRequest
from retriever.lean.listing import without_replaced
from retriever.lean.theorems import is_theorem

_IN_SCOPE = Allowed(in_scope=True)
_SPARE = 2
"""So many times as many theorems are ranked, since those that others replace are left out."""


class StatePremises(CandidateSource, Protocol):
    """The premises for the goals of one search, ranked anew for each; also the source of adapted proof steps."""

    async def retrieve(self, goal: Goal) -> Sequence[Premise]:
        """The premises that fit a goal, best first: theorems, then definitions."""
        ...


@dataclass(frozen=True, slots=True)
class _ProjectTemplates:
    """The tactics of premises and of the goal's shape, as in a suggestion; a `CandidateSource`.

    `extra`: further closing tactics that the project has.
    """

    extra: tuple[str, ...]

    def candidates(self, goal: Goal, premises: Sequence[Premise], limit: int) -> list[Candidate]:
        """At most `limit` candidates, best first."""
        return template_candidates(goal, premises, self.extra, limit)


def make_proposer(
    premises: StatePremises | None,
    *,
    extra: tuple[str, ...],
    source: str,
    tactics: int,
    generator: TacticGenerator | None,
    generated: int,
    neighbours: bool = True,
) -> SourcesProposer:
    """The proposer of a search.

    Args:
        premises: None: without premises, and without known proofs.
        extra: further closing tactics that the project has.
        source: where tactics come from, one of `settings.SOURCES`.
        tactics: how many are tried on a state.
        generator: None: without one.
        generated: how many tactics the generator writes for a state.
        neighbours: whether tactics of known proofs are adapted.
    """
    sources: list[CandidateSource] = []
    if source != "generator":
        sources = [_ProjectTemplates(extra), SearchGuesses()]
        if premises is not None and neighbours:
            sources.append(premises)
    return SourcesProposer(
        None if premises is None else premises.retrieve,
        tuple(sources),
        limit=2 * tactics,  # more than are tried, so that other seeds can choose others
        first=LEAN_CLOSERS,
        generator=generator,
        generated=generated,
        readable=is_theorem,
    )


class ProjectPremises:
    """The premises of a project's index for the goals of a search at a position; meets `StatePremises`."""

    def __init__(self, index: ProjectIndex, position: GoalPosition, count: int) -> None:
        """`count`: how many theorems a goal gets."""
        self._index, self._position, self._count = index, position, count
        self._where = index.context_at(position)
        self._missing = index.missing_words(position)
        self._definitions = SearchedDefinitions(lambda goal: self._best(goal, DEFINITIONS, "definitions"))
        self._seen: dict[str, None] = {}

    async def retrieve(self, goal: Goal) -> Sequence[Premise]:
        """The premises in scope that fit a goal, best first: theorems, then definitions."""
        premises = await asyncio.to_thread(self._ranked, goal)
        self._seen |= dict.fromkeys(premise.written for premise in premises)
        return premises

    def candidates(self, goal: Goal, premises: Sequence[Premise], limit: int) -> list[Candidate]:
        """The tactics of known proofs at similar goals, adapted, best first."""
        steps = self._index.service.near_steps(goal, self._where)
        query = StepQuery(goal, self._where.module or "", self._where.theorem or "")
        return neighbour_candidates(query, steps, [one for one in premises if is_theorem(one)], limit)

    def written(self, goal: Goal, proposed: Sequence[Proposed]) -> list[Proposed]:
        """The tactics that the file's imports bring, with names as short as they mean the same at the position."""
        can_run = [one for one in proposed if self._missing.isdisjoint(heads(one.tactic))]
        plain = [Candidate(one.tactic, 1.0, "") for one in can_run]
        spelled = self._index.respelled(self._position, goal, plain)
        return [replace(one, tactic=new.tactic) for one, new in zip(can_run, spelled, strict=True)]

    def used_by(self, goal: Goal, script: str) -> list[str]:
        """The premises that a script uses, of all that were retrieved."""
        _, names = names_at(self._index, goal, [*self._seen], self._position)
        return names.used_by(script)

    def _ranked(self, goal: Goal) -> Sequence[Premise]:
        theorems = without_replaced(self._best(goal, _SPARE * self._count, "theorems"))
        return (*theorems[: self._count], *self._definitions.of(goal))

    def _best(self, goal: Goal, count: int, kinds: Kinds) -> list[Premise]:
        return in_scope(self._index.rank(RankRequest(goal, self._where, count, kinds, _IN_SCOPE)))


@dataclass(frozen=True, slots=True)
class WrittenHere:
    """A proposer whose tactics are written as the position allows."""

    proposer: SourcesProposer
    premises: ProjectPremises

    def quick(self, goal: Goal) -> list[Proposed]:
        """What is tried before all else."""
        return self.proposer.quick(goal)

    async def tactics(self, goals: Sequence[Goal]) -> list[Proposed]:
        """Tactics for the first of these goals; the others remain after it."""
        proposed = await self.proposer.tactics(goals)
        return await asyncio.to_thread(self.premises.written, goals[0], proposed)


async def proposer_at(context: RequestContext, position: GoalPosition, warnings: list[str]) -> WrittenHere:
    """The proposer of a search at a position. `warnings`: gets a sentence where the generator cannot be used.

    Raises PremiseIndexError, ModelError, BadSource.
    """
    tactics = context.settings.tactics
    await context.files.caught_up()
    current = await context.index.current()
    generator = await _generator(context, warnings)
    premises = await asyncio.to_thread(ProjectPremises, current.index, position, tactics.premises)
    proposer = make_proposer(
        premises,
        extra=tactics.extra or current.index.closers,
        source=tactics.source,
        tactics=SearchLimits().tactics,
        generator=generator,
        generated=tactics.generated,
        neighbours=tactics.neighbours,
    )
    return WrittenHere(proposer, premises)


async def _generator(context: RequestContext, warnings: list[str]) -> TacticGenerator | None:
    """The generator that is set; where it cannot be used and is not the only source, a warning. Raises ModelError."""
    settings = context.settings
    is_only_served = settings.tactics.source == "generator" and served_name(settings.tactics.generator)
    if settings.tactics.source == "templates" or is_only_served:
        return None
    try:
        found = await context.generator.get(
            settings.tactics.generator, download=settings.model_download, device=settings.models.device
        )
        return needed(found) if settings.tactics.source == "generator" else found
    except ModelError as error:
        if settings.tactics.source == "generator":
            raise
        warnings.append(f"The generator gave no tactics: {error}")
        return None
