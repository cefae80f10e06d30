"""The step from a goal and its premises to candidate tactics. Its sources are in one table, `SOURCES`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from lean_extract.common.errors import ModelError
from lean_extract.common.lru import Cache
from lean_extract.records import Goal, Premise, TacticOutcome
from lsp_server.documents.goal_positions import text_to_line
from lsp_server.engine.generators import OpenGenerator, served_name
from lsp_server.engine.open_index import CurrentIndex
from lsp_server.engine.premise_ranking import PremiseRanking, in_scope
from lsp_server.engine.proof_states import ProofStates
from lsp_server.engine.request_context import RequestContext
from lsp_server.engine.requests import main_goal
from lsp_server.engine.settings import Settings, TacticSettings
from lsp_server.engine.tactic_runner import TrialRequest
from lsp_server.engine.tasks import start_task
from lsp_server.limits import CACHED_GOALS
from prover.automation import SLOW, Automation, cannot_run, quick, simplifying, with_names
from prover.automation import SOURCE as AUTOMATION
from prover.candidates import Candidate, FinishingTactics, Templates, merge, proposed
from prover.forms import forms_by_name
from prover.generator.source import GENERATOR, Generated, TacticGenerator, as_candidates
from prover.limits import RULE_PREMISES
from prover.mentions import DEFINITIONS, definitions_to_try
from prover.neighbours.features import StepQuery
from prover.neighbours.proposals import SOURCE as NEIGHBOUR
from prover.neighbours.proposals import candidates as neighbour_candidates
from prover.neighbours.proposals import sequences
from prover.odds import AcceptanceModel
from prover.opening import count_for
from prover.rules import RuleSearch, can_be_surveyed, simplifications
from prover.surveys import Surveys
from prover.tactic_words import heads, unknown_word
from prover.turns import CandidateScheduler
from retriever.lean.eligibility import RankRequest
from retriever.lean.listing import without_replaced
from retriever.lean.theorems import is_theorem

if TYPE_CHECKING:
    from prover.served.written import WrittenTactics

_POOL = 2
"""Sources propose this many times the number of tried tactics, because the odds may rank them differently."""

_STEP = 0.06
"""How much a rank costs, as with premises whose statement is known."""


@dataclass(frozen=True, slots=True)
class CandidateRequest:
    """The first goal of a trial, and what sources need of its project."""

    context: RequestContext
    current: CurrentIndex
    trial: TrialRequest
    warnings: list[str]
    """Filled by a source that fails while others go on."""

    @property
    def goal(self) -> Goal:
        """The goal."""
        return main_goal(self.trial.state)

    @property
    def limit(self) -> int:
        """How many candidates a source proposes, at most."""
        return _POOL * self.trial.tactics.count

    async def spelled(self, found: Sequence[Candidate]) -> Sequence[Candidate]:
        """Candidates with names as short as they have their original meaning at the position."""
        index, position = self.current.index, self.trial.position
        return await asyncio.to_thread(index.respelled, position, self.goal, found)


@dataclass(frozen=True, slots=True)
class _TacticsHere:
    """The tactics available in a file: those that its imports bring, without those that Lean rejected as unknown.

    Tactics that the file declares itself are always tried.
    """

    refused: Cache[frozenset[str]]
    """The rejected ones, by `key`. Each cost one trial."""
    key: Hashable
    """The running Lean and the imports."""
    missing: frozenset[str]
    """The words of tactics that the imports do not bring."""
    text: str
    """The file's text, up to the goal."""

    def can_run(self, tactic: str) -> bool:
        """Whether a tactic is worth a trial."""
        unknown = self.missing | self._known()
        return not any(f'"{word}' not in self.text for word in unknown & (heads(tactic) | {tactic}))

    def hear(self, outcome: TacticOutcome) -> None:
        """Note Lean's verdict on a tactic."""
        found = frozenset(filter(None, (unknown_word(outcome), cannot_run(outcome))))
        if not found <= self._known():
            self.refused.put(self.key, self._known() | found)

    def _known(self) -> frozenset[str]:
        return self.refused.get(self.key) or frozenset()


class CandidateTactics:
    """Makes candidates, in threads. Those of templates and of the generator are kept per goal.

    One generation runs at a time: it uses every core anyway.
    """

    def __init__(
        self, ranking: PremiseRanking, states: ProofStates, odds: Callable[[], AcceptanceModel]
    ) -> None:
        self._ranking, self._states, self._odds = ranking, states, odds
        self._from_templates: Cache[list[Candidate]] = Cache(CACHED_GOALS)
        self._generated: Cache[list[Generated]] = Cache(CACHED_GOALS)
        self._refused: Cache[frozenset[str]] = Cache(CACHED_GOALS)
        self._turn = asyncio.Lock()

    def propose(self, at: CandidateRequest) -> CandidateScheduler:
        """The candidates of the sources in use, all of which start now."""
        count, odds = at.trial.tactics.count, self._odds()
        if at.trial.part:
            return CandidateScheduler({"templates": start_task(at.spelled(at.trial.rewrites))}, count, odds)
        here = start_task(asyncio.to_thread(self._tactics_here, at))
        coming = {
            source.name: start_task(_usable(at, source.candidates(self, at), here))
            for source in SOURCES
            if source.is_used(at.trial.tactics)
        }
        surveys, chains = Surveys(), list[asyncio.Task[Sequence[Candidate]]]()
        if (neighbours := coming.get(NEIGHBOUR)) is not None:
            coming[NEIGHBOUR] = start_task(_of_lines(neighbours, several=False))
            chains.append(start_task(_of_lines(neighbours, several=True)))
        is_used = at.trial.tactics.source != "generator" and at.trial.lean.source == "server"
        if is_used and can_be_surveyed(at.goal):
            search = RuleSearch(at.goal, partial(self._offered, at), at.spelled, surveys.outcomes)
            coming["rules"] = start_task(search.singles())
            chains.append(start_task(search.chains(coming["rules"])))
        automation, further = start_task(_automation(at, here)), start_task(_merged(chains))
        written = self._written(at)
        return CandidateScheduler(
            coming, count, odds, automation, at.trial.corrections, surveys, further, written
        )

    def _written(self, at: CandidateRequest) -> WrittenTactics | None:
        """What a model at a server writes, if one is set; where it must not be asked, a warning.

        It is not asked for quick fixes and hovers, for which Lean does not search its library, either.
        """
        settings = at.context.settings
        if not at.trial.searches:
            return None
        try:
            server = at.context.generator.server(settings)
        except ModelError as error:
            at.warnings.append(f"The generator gave no tactics: {error}")
            return None
        if server is None:
            return None
        from lsp_server.engine.served_models import AskedGoal  # with an HTTP client
        from prover.served.written import WrittenTactics

        asked = AskedGoal(at.current.index, at.trial.position, at.goal, at.trial.premises)
        return WrittenTactics(asked.tactics(server, settings, at.warnings))

    async def _offered(self, at: CandidateRequest, goal: Goal) -> Sequence[Premise]:
        """What a goal may be rewritten with, best first: theorems, and the definitions for the first goal."""

        async def ranked(request: RankRequest) -> list[Premise]:
            return in_scope(await self._ranking.rank(at.context, at.current, request, at.trial.position))

        theorems = await ranked(RankRequest(goal, k=RULE_PREMISES))
        definitions = await ranked(RankRequest(at.goal, k=DEFINITIONS, kinds="definitions"))
        return [*without_replaced(theorems), *definitions]

    def _tactics_here(self, at: CandidateRequest) -> _TacticsHere:
        """The tactics available in the file, as far as known. Raises BadSource."""
        index, position = at.current.index, at.trial.position
        key = at.context.lean.version, index.context_at(position).imports
        return _TacticsHere(self._refused, key, index.missing_words(position), text_to_line(position))

    async def from_templates(self, at: CandidateRequest) -> list[Candidate]:
        """The tactics of premises, of definitions that the goal mentions, and of the goal's shape."""
        request = RankRequest(at.goal, k=DEFINITIONS, kinds="definitions")
        ranked = await self._ranking.rank(at.context, at.current, request, at.trial.position)
        definitions = await asyncio.to_thread(definitions_to_try, at.goal, in_scope(ranked))
        premises = (*at.trial.premises, *definitions)
        extra = at.trial.tactics.extra or at.current.index.closers
        key = (at.goal, premises, extra, at.limit)
        known = self._from_templates.get(key)
        if known is None:
            known = await asyncio.to_thread(template_candidates, at.goal, premises, extra, at.limit)
            self._from_templates.put(key, known)
        return known

    async def from_neighbours(self, at: CandidateRequest) -> list[Candidate]:
        """The tactics of the nearest known steps, adapted, then those of several consecutive steps; a proof that is
        not finished or has an error is not cited.

        Raises PremiseIndexError, ModelError, BadSource.
        """
        index, position = at.current.index, at.trial.position
        found = await asyncio.to_thread(_neighbours, at)
        faults = await self._states.errors_above(at.context.lean, position)
        unproved = await asyncio.to_thread(index.unproved, position, faults)
        return [replace(one, origin="") if one.origin in unproved else one for one in found]

    async def from_generator(self, at: CandidateRequest) -> list[Candidate]:
        """What the generator writes; where it fails, a warning."""
        settings, trial = at.context.settings, at.trial
        try:
            found = await self.generated(at.context.generator, settings, trial.state.goals, trial.premises)
        except ModelError as error:
            at.warnings.append(f"The generator gave no tactics: {error}")
            return []
        return as_candidates(found)

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
        return await asyncio.shield(start_task(self._generate(generator, goals, premises, count, key)))

    async def _generate(
        self,
        generator: TacticGenerator,
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


@dataclass(frozen=True, slots=True)
class _Source:
    """A source of candidate tactics."""

    name: str
    """As the odds name it."""
    is_used: Callable[[TacticSettings], bool]
    candidates: Callable[[CandidateTactics, CandidateRequest], Coroutine[Any, Any, list[Candidate]]]
    """Best first."""


SOURCES = (
    _Source("templates", lambda wanted: wanted.source != "generator", CandidateTactics.from_templates),
    _Source(
        NEIGHBOUR,
        lambda wanted: wanted.source != "generator" and wanted.neighbours,
        CandidateTactics.from_neighbours,
    ),
    _Source(
        GENERATOR,
        lambda wanted: (
            wanted.source == "both" or (wanted.source == "generator" and not served_name(wanted.generator))
        ),
        CandidateTactics.from_generator,
    ),
)
"""All sources but Lean's own automation, which is tried in addition (`prover.automation`)."""


@dataclass(frozen=True, slots=True)
class _NameOnlyTemplates:
    """`apply`, `exact`, `rw`, `simp` with each theorem of which only the name is known, by rank.

    Without the statements, as in the bundled index, only the most common forms are proposed.
    """

    name: str = "premise"

    def candidates(self, goal: Goal, premises: Sequence[Premise], limit: int) -> list[Candidate]:
        """Their most common forms; the score falls with the rank."""
        found = [
            Candidate(use.tactic, use.fit / (1 + _STEP * rank), self.name)
            for rank, premise in enumerate(premises)
            if not premise.conclusion and is_theorem(premise)
            for use in forms_by_name(goal, premise.written)
        ]
        return merge([found], limit)


def template_candidates(
    goal: Goal, premises: Sequence[Premise], extra: tuple[str, ...], limit: int
) -> list[Candidate]:
    """The tactics of premises and of the goal's shape, best first, by the scores of their sources."""
    templates = Templates(has_mathlib=bool(extra))
    return proposed([templates, FinishingTactics(extra), _NameOnlyTemplates()], goal, premises, limit)


def preload(opened: OpenGenerator, settings: Settings) -> None:
    """Begin to load the generator, if it will be needed."""
    if settings.tactics.source != "templates":
        start_task(_from(opened, settings))


async def _from(opened: OpenGenerator, settings: Settings) -> TacticGenerator | None:
    """The generator that the settings name; None if they name none and none is shipped. Raises ModelError."""
    return await opened.get(
        settings.tactics.generator, download=settings.model_download, device=settings.models.device
    )


def _neighbours(at: CandidateRequest) -> list[Candidate]:
    index = at.current.index
    where = index.context_at(at.trial.position)
    steps = index.service.near_steps(at.goal, where)
    query = StepQuery(at.goal, where.module or "", where.theorem or "")
    return [*neighbour_candidates(query, steps, at.trial.premises, at.limit), *sequences(query, steps)]


async def _of_lines(coming: asyncio.Task[Sequence[Candidate]], *, several: bool) -> Sequence[Candidate]:
    """The candidates of several lines, or those of one."""
    await asyncio.wait([coming])
    return [one for one in coming.result() if ("\n" in one.tactic) is several]


async def _merged(coming: Sequence[Awaitable[Sequence[Candidate]]]) -> Sequence[Candidate]:
    """The candidates of several lists, best first."""
    return sorted(chain.from_iterable(await asyncio.gather(*coming)), key=lambda one: -one.score)


async def _usable(
    at: CandidateRequest, coming: Awaitable[Sequence[Candidate]], here: Awaitable[_TacticsHere]
) -> Sequence[Candidate]:
    """The candidates whose tactics are available in the file."""
    found, can_run = await at.spelled(await coming), (await here).can_run
    return [one for one in found if can_run(one.tactic)]


async def _automation(at: CandidateRequest, here: Awaitable[_TacticsHere]) -> Automation:
    """Lean's own automation, with the best premises."""
    trial = at.trial
    rules, places = await asyncio.to_thread(simplifications, at.goal, trial.premises)
    given = [
        simplifying(rules),
        with_names([premise.written for premise in trial.premises]),
        *(simplifying(rules, place) for place in places),
    ]
    spelled = await at.spelled([Candidate(tactic, 1.0, AUTOMATION) for tactic in given if tactic])
    if trial.tactics.source == "generator":
        return Automation([], [], await here, trial.tactics.seconds)
    # A tactic that takes too long ends the REPL.
    slow = SLOW if trial.searches and trial.lean.source == "server" else ()
    return Automation(quick([one.tactic for one in spelled]), slow, await here, trial.tactics.seconds)
