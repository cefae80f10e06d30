"""The pipeline of a request: each step once, in this order.

| step | by |
|---|---|
| proof state: Lean's at a position, or the one that came with the request | `proof_states.py` |
| the chosen goal | `requests.py` |
| premises, ranked | `premise_ranking.py` |
| candidate tactics from templates, known proofs and the generator | `candidate_tactics.py` |
| Lean's verdicts on them | `tactic_runner.py` |
| where nothing closes the goal: a proof of a few steps | `short_proofs.py` |
| where nothing closes the goal: the same with one more import | `with_imports.py` |
| the answer | `_without_tactics`, `_with_tactics` below |

A request carries one `RequestContext`. It holds the objects that own a process or a file, for the steps that need
them; the steps themselves own only caches.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from lean_extract.common.errors import BadSettings, GoalBroken, LeanError, NoGoalHere, TextUnread
from lean_extract.goals import format_goal
from lean_extract.records import Goal, Premise, ProofState, TacticOutcome
from lsp_server.engine.candidate_tactics import CandidateRequest, CandidateTactics, preload
from lsp_server.engine.goal_places import GoalFound
from lsp_server.engine.items import range_item, unjudged_warning
from lsp_server.engine.listing import Listing, listed
from lsp_server.engine.open_index import CurrentIndex
from lsp_server.engine.premise_ranking import NOTHING_FITS, PremiseRanking, in_scope, with_errors
from lsp_server.engine.project_times import ProjectTimes
from lsp_server.engine.proof_states import NOTE, ProofStates, goal_in_text
from lsp_server.engine.request_context import RequestContext
from lsp_server.engine.requests import OnUpdate, SuggestRequest, chosen_goal, goal_doubts, main_goal
from lsp_server.engine.schema import Suggestion
from lsp_server.engine.schema_items import GoalPlace, PartItem, TacticItem, TacticsStatus
from lsp_server.engine.shared_trials import OnOutcomes
from lsp_server.engine.sorries import next_sorry
from lsp_server.engine.tactic_runner import (
    JudgedEdits,
    TacticRunner,
    TrialRequest,
    TrialResults,
    closes,
)
from lsp_server.engine.tasks import Timer, begun_again
from lsp_server.limits import ANSWER_PREMISES, EARLY_GOAL_SECONDS, SHORT_PROOF_SHARE
from prover.candidates import Candidate
from prover.generator.source import Generated
from prover.verify import GoalPosition
from retriever.lean.eligibility import RankedPremise, RankRequest
from retriever.lean.listing import without_replaced


@dataclass(frozen=True, slots=True)
class Ranked:
    """A goal's ranked premises, and the index that they came from."""

    premises: Sequence[RankedPremise]
    current: CurrentIndex
    rewrites: tuple[Candidate, ...] = ()
    """Where a part of the target was selected: the tactics that are tried in place of others."""
    note: str = ""


WithMoreImports = Callable[[RequestContext, GoalFound, Ranked], Awaitable[TrialResults]]
"""What closes a goal that nothing in scope closes, by tactics that need an import (`with_imports.py`)."""


class Pipeline:
    """The steps of one project's requests.

    Args:
        times: how long trials take in the project.
        with_imports: tries tactics that need an import; None: none are tried.
    """

    def __init__(self, times: ProjectTimes, with_imports: WithMoreImports | None = None) -> None:
        self._with_imports = with_imports
        self.states = ProofStates()
        self.ranking = PremiseRanking()
        self.candidates = CandidateTactics(self.ranking, self.states, times.odds)
        self.edits = JudgedEdits()
        self.runner = TacticRunner(self.edits, times)

    async def suggest(
        self, context: RequestContext, request: SuggestRequest, on_update: OnUpdate | None
    ) -> Suggestion:
        """Run the whole pipeline; see `Engine.suggest`."""
        timer = Timer()
        await self._prepare(context, request)
        state, found = await self._state(context, request, on_update)
        if found is not None and not state.goals:
            return await self._closed(context, request, found, timer)
        at = found.asked if found is not None else request.position
        goal = chosen_goal(state, request.goal_number)
        timer.lap("goal")
        wanted = min(request.k or context.settings.premises.count, ANSWER_PREMISES)
        depth = max(wanted, context.settings.tactics.premises)
        rank_request = RankRequest(goal, k=depth, caller=request.caller, explain=request.explain)
        if request.select:
            ranked = await self._rank_rewriting(context, rank_request, at, request.select)
        else:
            ranked = await self.rank(context, rank_request, at)
        timer.lap("premises")
        answer, listing = await _without_tactics(context, request, state, goal, ranked, wanted, timer)
        answer = answer if found is None else _placed(answer, found)
        if request.position is not None and request.goal is not None:  # the client runs Lean itself
            forms = {one.name: one.form for one in listing.premises}
            await asyncio.to_thread(self.edits.keep_forms, request.position, forms)
        if not request.tactics:
            return answer
        if request.position is None:
            return replace(answer, tactics_status=TacticsStatus.NO_FILE)
        if request.goal_number > 1:
            found = found and await self.states.chosen(context.lean, found, request.goal_number)
            if found is None:
                return _without_trials(answer, _NOT_FIRST, TacticsStatus.GOAL_NOT_FIRST)
            state = found.state
        if on_update is not None:
            on_update(_while_trying(answer, ()))
        timer.skip()
        answer = await self._with_tactics(
            context, request, found or request.position, state, ranked, answer, listing, on_update
        )
        timer.lap("tactics")
        return replace(answer, timings_ms=timer.total())

    async def _closed(
        self, context: RequestContext, request: SuggestRequest, found: GoalFound, timer: Timer
    ) -> Suggestion:
        """The answer where no goal is left."""
        timer.lap("goal")
        index = (await context.index.current()).index
        return Suggestion(
            goal="",
            goal_count=0,
            premises=[],
            tactics=[],
            index=await context.freshness(index),
            timings_ms=timer.total(),
            notes=await asyncio.to_thread(next_sorry, found.at),
            tactics_status=TacticsStatus.NO_GOAL if request.tactics else TacticsStatus.NOT_ASKED,
            place=GoalPlace.CLOSED,
        )

    async def _prepare(self, context: RequestContext, request: SuggestRequest) -> None:
        """Begin what later steps will need, while Lean starts and elaborates."""
        if request.goal is None:
            context.index.preload()
        await context.catch_up()
        if request.tactics and request.position is not None:
            context.lean.prepare_ahead(request.position)
            preload(context.generator, context.settings)

    async def _state(
        self, context: RequestContext, request: SuggestRequest, on_update: OnUpdate | None
    ) -> tuple[ProofState, GoalFound | None]:
        """The state, and where its goal is.

        If Lean takes long, premises for the goal as the text states it are shown meanwhile.
        """
        finding = asyncio.ensure_future(self.states.of(context.lean, request))
        try:
            if on_update is not None and request.tactics and request.goal is None and not request.select:
                await asyncio.wait([finding], timeout=EARLY_GOAL_SECONDS)
                early = None if finding.done() else await self._early(context, request)
                if early is not None and not finding.done():
                    on_update(_while_trying(early, ()))
            return await finding
        finally:
            finding.cancel()

    async def _early(self, context: RequestContext, request: SuggestRequest) -> Suggestion | None:
        at, timer = request.position, Timer()
        if at is None or at.text is None or request.goal_number > 1:
            return None
        goal = await asyncio.to_thread(goal_in_text, at.text, at.position)
        if goal is None:
            return None
        wanted = min(request.k or context.settings.premises.count, ANSWER_PREMISES)
        rank_request = RankRequest(goal, k=wanted, caller=request.caller, explain=request.explain)
        ranked = await self.rank(context, rank_request, at)
        timer.lap("premises")
        state = ProofState((goal,))
        answer, _ = await _without_tactics(context, request, state, goal, ranked, wanted, timer)
        return replace(answer, notes=[NOTE, *answer.notes])

    async def tactics_at(
        self,
        context: RequestContext,
        position: GoalPosition,
        on_outcomes: OnOutcomes | None = None,
        *,
        imports: bool = False,
    ) -> TrialResults:
        """Run the steps from a position to Lean's verdicts, without showing premises. Raises as `try_tactics`.

        Editors request this at every move of the cursor, so Lean does not search its library. `imports`: whether
        tactics that need an import are tried where nothing else closes the goal.
        """
        await context.catch_up()
        found = await self.states.find(context.lean, position)
        if not found.state.goals:
            return TrialResults(())
        goal = main_goal(found.state)
        ranked = await self.rank(context, RankRequest(goal, k=context.settings.tactics.premises), found.asked)
        results = await self.try_tactics(
            context, found, found.state, ranked, on_outcomes=on_outcomes, searches=False
        )
        if imports:
            results = await self._importing(context, found, ranked, results)
        return replace(results, outcomes=[found.outcome(one) for one in results.outcomes])

    async def rank(
        self, context: RequestContext, request: RankRequest, position: GoalPosition | None
    ) -> Ranked:
        """The best premises for the goal; with a position, each says whether it is in scope there.

        Raises PremiseIndexError, ModelError, BadSource.
        """
        await context.files.caught_up()
        current = await context.index.current()
        ranked = await self.ranking.rank(context, current, request, position)
        if position is not None and (faults := await self.states.errors_above(context.lean, position)):
            where = await asyncio.to_thread(current.index.context_at, position)
            ranked = with_errors(ranked, faults, where)
        return Ranked(ranked, current)

    async def _rank_rewriting(
        self, context: RequestContext, rank_request: RankRequest, position: GoalPosition | None, part: str
    ) -> Ranked:
        """The best premises that rewrite the selected part; for the whole goal if there are none.

        Raises UserError: the target has no such part.
        """
        from lsp_server.engine.rewriting import NOTHING, rewrites  # few requests need trees of statements

        await context.files.caught_up()
        current = await context.index.current()
        index = current.index
        where = await asyncio.to_thread(index.context_of, position)
        found, rewriting = await asyncio.to_thread(
            index.rank_rewriting, replace(rank_request, where=where), part
        )
        if not found:
            ranked = await self.rank(context, replace(rank_request, caller="rewrite"), position)
            return replace(ranked, note=NOTHING.format(part=part))
        return Ranked(found, current, rewrites(found, rewriting, part, context.settings.tactics.count))

    async def _with_tactics(
        self,
        context: RequestContext,
        request: SuggestRequest,
        position: GoalFound | GoalPosition,
        state: ProofState,
        ranked: Ranked,
        answer: Suggestion,
        listing: Listing,
        on_update: OnUpdate | None,
    ) -> Suggestion:
        try:
            # A goal that came with the request is tried where Lean has the goal for its position.
            found = (
                position
                if isinstance(position, GoalFound)
                else await self.states.find(context.lean, position)
            )

            def update(outcomes: Sequence[TacticOutcome]) -> None:
                if on_update is not None:
                    tactics = [listing.tactic(found.outcome(one)) for one in outcomes]
                    on_update(_while_trying(answer, tactics))

            results = await self.try_tactics(
                context,
                found,
                state,
                ranked,
                keep_failures=request.keep_failures,
                on_outcomes=update,
                part=request.select,
            )
            if not request.select:
                results = await self._importing(context, found, ranked, results)
        except GoalBroken as error:
            return _without_trials(answer, str(error), TacticsStatus.GOAL_BROKEN)
        except (LeanError, BadSettings, NoGoalHere, TextUnread) as error:
            is_place = isinstance(error, NoGoalHere | TextUnread)
            status = TacticsStatus.NO_GOAL if is_place else TacticsStatus.LEAN_FAILED
            if context.lean.root is None:
                status = TacticsStatus.NO_FILE
            return _without_trials(answer, f"No tactics were tried: {error}", status)
        return replace(
            answer,
            tactics=[listing.tactic(found.outcome(one)) for one in results.outcomes],
            warnings=[*unjudged_warning(results.outcomes), *results.warnings, *answer.warnings],
            tactics_status=results.status,
        )

    async def try_tactics(
        self,
        context: RequestContext,
        found: GoalFound,
        state: ProofState,
        ranked: Ranked,
        *,
        keep_failures: bool = False,
        on_outcomes: OnOutcomes | None = None,
        part: str = "",
        searches: bool = True,
    ) -> TrialResults:
        """The tactics that Lean accepts where the goal is, or with `keep_failures` all that were tried.

        Their edits are of the document that Lean was asked about.

        `part`: a part of the target, which those that are listed have rewritten. `searches`: whether Lean searches
        its library where nothing else closes the goal.

        Raises NoGoalHere, GoalBroken, LeanDied, LeanTimeout, ProjectBroken where nothing could be tried.
        """
        settings, current = context.settings, ranked.current
        premises = tuple(without_replaced(in_scope(ranked.premises))[: settings.tactics.premises])
        versions = context.lean.version, current.version
        trial = TrialRequest(
            found.asked,
            state,
            premises,
            settings.tactics,
            settings.lean,
            keep_failures,
            versions,
            part,
            ranked.rewrites,
            await self._corrections(current, found, state),
            searches,
        )

        async def trials(on_outcomes: OnOutcomes) -> TrialResults:
            warnings: list[str] = []
            begin = time.monotonic()
            candidates = self.candidates.propose(CandidateRequest(context, current, trial, warnings))
            results = await self.runner.run(context.lean, trial, candidates, warnings, on_outcomes)
            longest = trial.tactics.seconds
            left = min(longest * SHORT_PROOF_SHARE, longest - (time.monotonic() - begin))
            if searches and not part and left > 0 and not any(map(closes, results.outcomes)):
                results = await self._with_proof(context, found, results, left)
            return self.runner.kept(trial, results)

        return await begun_again(lambda: self.runner.results(trial, trials, on_outcomes))

    async def _with_proof(
        self, context: RequestContext, found: GoalFound, results: TrialResults, seconds: float
    ) -> TrialResults:
        """The results after a proof of a few steps, if one is found in this time."""
        from lsp_server.engine.short_proofs import short_proof  # with the search, which few requests need

        proof = await short_proof(context, found, seconds)
        if proof is None:
            return results
        self.edits.keep(found.asked, proof)
        return replace(results, outcomes=[proof, *results.outcomes])

    async def _importing(
        self, context: RequestContext, found: GoalFound, ranked: Ranked, results: TrialResults
    ) -> TrialResults:
        """The results; if nothing in scope closes the goal, after what closes it with an import."""
        if self._with_imports is None or any(map(closes, results.outcomes)):
            return results
        more = await self._with_imports(context, found, ranked)
        for outcome in more.outcomes:
            self.edits.keep(found.asked, outcome)
        return replace(
            results,
            outcomes=[*more.outcomes, *results.outcomes],
            warnings=[*results.warnings, *more.warnings],
        )

    async def _corrections(
        self, current: CurrentIndex, found: GoalFound, state: ProofState
    ) -> tuple[Candidate, ...]:
        """The tactic that is replaced, with near names in place of unknown ones."""
        if found.goal.replaces is None or not state.goals:
            return ()
        from lsp_server.engine.corrections import corrections  # with tables of names, which few requests need

        column = found.goal.replaces.start.column
        return await asyncio.to_thread(
            corrections, current.index, found.asked, state.goals[0], found.replaced, column
        )

    async def generate(
        self, context: RequestContext, goals: Sequence[Goal], premises: Sequence[Premise]
    ) -> list[Generated]:
        """The generator's proposals, best first, not yet tried in Lean. Raises ModelError."""
        return await self.candidates.generated(context.generator, context.settings, goals, premises)


_NOT_FIRST = (
    "No tactics were tried: this goal is not the first, and `case` does not reach it here. "
    "Prove the goals before it first, or move it to the front with `rotate_left`."
)


def _placed(answer: Suggestion, found: GoalFound) -> Suggestion:
    """The answer with where its goal is."""
    replaces = range_item(found.goal.replaces) if found.goal.replaces is not None else None
    return replace(
        answer, place=found.goal.place, replaces=replaces, warnings=[*found.warnings, *answer.warnings]
    )


async def _without_tactics(
    context: RequestContext,
    request: SuggestRequest,
    state: ProofState,
    goal: Goal,
    ranked: Ranked,
    wanted: int,
    timer: Timer,
) -> tuple[Suggestion, Listing]:
    """The answer after the premises are ranked, and the premises that it lists."""
    index = ranked.current.index
    where = await asyncio.to_thread(index.context_of, request.position)
    fits = bool(request.select) or await asyncio.to_thread(index.relates_to, goal, where)
    notes = [note for note in (ranked.note, "" if fits else NOTHING_FITS) if note]
    shown = ranked.premises[:wanted] if fits else []
    listing = await asyncio.to_thread(listed, index, goal, shown, request.position, ranked.rewrites)
    answer = Suggestion(
        goal=format_goal(goal),
        goal_number=request.goal_number,
        goal_count=len(state.goals),
        premises=listing.premises,
        tactics=[],
        index=await context.freshness(index),
        timings_ms=timer.total(),
        warnings=[index.note] if index.note else [],
        notes=[
            *notes,
            *(await asyncio.to_thread(goal_doubts, request.goal) if request.goal else ()),
            *await asyncio.to_thread(index.notes, goal),
        ],
        parts=await asyncio.to_thread(_parts, goal) if request.parts else [],
    )
    return answer, listing


def _while_trying(answer: Suggestion, tactics: Sequence[TacticItem]) -> Suggestion:
    """The answer so far, with the tactics that Lean has judged by now."""
    return replace(answer, tactics=list(tactics), tactics_status=TacticsStatus.RUNNING)


def _without_trials(answer: Suggestion, warning: str, status: TacticsStatus) -> Suggestion:
    """The answer if no tactics were tried, with the reason before its other warnings."""
    return replace(answer, warnings=[warning, *answer.warnings], tactics_status=status)


def _parts(goal: Goal) -> list[PartItem]:
    from lsp_server.engine.rewriting import parts_of_goal

    return parts_of_goal(goal)
