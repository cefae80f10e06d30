"""The step from candidate tactics to Lean's verdicts on them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Hashable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, replace
from functools import partial

from lean_extract.common.errors import LeanError, NoGoalHere
from lean_extract.common.lru import Cache
from lean_extract.records import Goal, Premise, ProofState, TacticOutcome
from lsp_server.documents.goal_positions import declaration_key
from lsp_server.engine.items import shown_tactic
from lsp_server.engine.project_times import ProjectTimes
from lsp_server.engine.running_lean import RunningLean
from lsp_server.engine.schema_items import TacticsStatus
from lsp_server.engine.settings import LeanSettings, TacticSettings
from lsp_server.engine.shared_trials import OnOutcomes, SharedTrials, Trials
from lsp_server.limits import ACCEPTED_TACTICS, CACHED_ACCEPTED, CACHED_TRIALS
from prover.candidates import Candidate
from prover.turns import CandidateScheduler
from prover.verify import GoalPosition, order, verify


class JudgedEdits:
    """What was accepted and shown, by document and position, for the text up to the end of the declaration."""

    def __init__(self) -> None:
        self._accepted: Cache[dict[str, TacticOutcome]] = Cache(CACHED_ACCEPTED)
        self._forms: Cache[Mapping[str, str]] = Cache(CACHED_ACCEPTED)
        self._version = 0

    def renew(self, version: int) -> None:
        """Forget what another Lean than that of this version has accepted: imports may have changed since."""
        if version != self._version:
            self._accepted.clear()
            self._version = version

    def keep(self, position: GoalPosition, outcome: TacticOutcome) -> None:
        """Keep an outcome with its edit; of very many at one position, the last ones."""
        if outcome.edit is not None and outcome.status in ("closes", "progress", "unjudged"):
            known = self._accepted.get_or_make(declaration_key(position), dict)
            known[shown_tactic(outcome)] = outcome
            if len(known) > ACCEPTED_TACTICS:
                del known[next(iter(known))]

    def arrange(self, key: Hashable, shown: Sequence[TacticOutcome]) -> None:
        """Put what is kept for a `declaration_key` into the order in which it is shown, before all else."""
        known = self._accepted.get(key) or {}
        listed = {name: known[name] for one in shown if (name := shown_tactic(one)) in known}
        self._accepted.put(key, listed | known)

    def accepted(self, position: GoalPosition, *, imports: bool = False) -> list[TacticOutcome]:
        """The tactics that Lean has accepted at a position, in the order to show; with `imports`, those that need one,
        too, after the others."""
        ranks = ("closes", "progress", "unjudged")
        known = (one for one in self._at(position).values() if imports or not one.import_line)
        return sorted(known, key=lambda one: (one.import_line, ranks.index(one.status), one.rests_on_sorry))

    def get(self, position: GoalPosition, tactic: str) -> TacticOutcome | None:
        """The outcome of a tactic as it is shown; None if it was not accepted there."""
        return self._at(position).get(tactic)

    def in_term(self, position: GoalPosition) -> bool | None:
        """Whether a term is replaced at a position; None if nothing was judged there."""
        return next((one.in_term for one in self.accepted(position)), None)

    def _at(self, position: GoalPosition) -> dict[str, TacticOutcome]:
        return self._accepted.get(declaration_key(position)) or {}

    def keep_forms(self, position: GoalPosition, forms: Mapping[str, str]) -> None:
        """Keep the forms of listed premises, by the premises' names."""
        self._forms.put(declaration_key(position), forms)

    def form(self, position: GoalPosition, name: str) -> str:
        """The form that was shown of a premise; empty if it was not listed."""
        return (self._forms.get(declaration_key(position)) or {}).get(name, "")


def closes(outcome: TacticOutcome) -> bool:
    """Whether a tactic proves the goal, without resting on `sorry`."""
    return outcome.status == "closes" and not outcome.rests_on_sorry


@dataclass(frozen=True, slots=True)
class TrialRequest:
    """All that Lean's verdicts depend on."""

    position: GoalPosition
    state: ProofState
    premises: tuple[Premise, ...]
    """The premises from which tactics are made."""
    tactics: TacticSettings
    lean: LeanSettings
    keep_failures: bool
    versions: tuple[int, int]
    """The versions of the running Lean and of the index."""
    part: str = ""
    """The part of the target that is to be rewritten; then `rewrites` are tried, and nothing else."""
    rewrites: tuple[Candidate, ...] = ()
    corrections: tuple[Candidate, ...] = ()
    """Tactics that are tried before all others, in place of a failing one."""
    searches: bool = True
    """Whether Lean searches its library (`exact?`, `try?`) where nothing else closes the goal."""

    @property
    def key(self) -> Hashable:
        """Equal keys and `searches`, equal verdicts. Only the text up to the end of the declaration counts."""
        options = (
            self.tactics,
            self.lean,
            self.keep_failures,
            self.versions,
            self.part,
            self.rewrites,
            self.corrections,
        )
        return declaration_key(self.position), self.state, self.premises, *options


@dataclass(frozen=True, slots=True)
class TrialResults:
    """Lean's verdicts, in display order, and sentences on what could not be tried and how to fix it.

    `status` is for programs what the warnings are for people.
    """

    outcomes: Sequence[TacticOutcome]
    warnings: Sequence[str] = ()
    status: TacticsStatus = TacticsStatus.TRIED


class TacticRunner:
    """Has Lean try candidates as they arrive.

    Results are cached, except those with a warning or with a tactic that could not be judged: the text that
    fixes these may come after the position.
    """

    def __init__(self, edits: JudgedEdits, times: ProjectTimes) -> None:
        self._times = times
        self._known: Cache[TrialResults] = Cache(CACHED_TRIALS)
        self.edits = edits
        self._trying: Counter[Hashable] = Counter()
        self._shared: SharedTrials[TrialResults] = SharedTrials()

    async def results(
        self, trial: TrialRequest, trials: Trials[TrialResults], on_outcomes: OnOutcomes | None
    ) -> TrialResults:
        """The cached results of a request, those of equal trials that run, or else of these trials.

        Results with a search of the library do for a request without one, and the other way round if one closes the
        goal. Raises what the trials raise.
        """
        key, report = await asyncio.to_thread(lambda: trial.key), on_outcomes or _ignored
        for searches in (True, False):
            found = self._known.get((key, searches))
            if found is None and self._shared.is_running((key, searches)):
                found = await self._shared.results((key, searches), trials, report)
            if found is not None and (searches >= trial.searches or any(map(closes, found.outcomes))):
                return found
        return await self._shared.results((key, trial.searches), trials, report)

    def is_trying(self, key: Hashable) -> bool:
        """Whether tactics are being tried at the position with this `declaration_key`."""
        return self._trying[key] > 0

    @contextmanager
    def _at_work(self, key: Hashable) -> Iterator[Hashable]:
        self._trying[key] += 1
        try:
            yield key
        finally:
            self._trying -= Counter([key])

    def _report(self, key: Hashable, on_outcomes: OnOutcomes, shown: list[TacticOutcome]) -> None:
        self.edits.arrange(key, shown)
        on_outcomes(shown)

    async def run(
        self,
        lean: RunningLean,
        trial: TrialRequest,
        candidates: CandidateScheduler,
        warnings: list[str],
        on_outcomes: OnOutcomes,
    ) -> TrialResults:
        """The tactics that Lean accepts, or with `keep_failures` all that were tried.

        Args:
            warnings: filled by what makes the candidates, until the last one is tried.

        Raises NoGoalHere, GoalBroken, LeanDied, LeanTimeout, ProjectBroken where nothing could be tried.
        """
        outcomes: list[TacticOutcome] = []
        self.edits.renew(trial.versions[0])
        try:
            verdicts = verify(
                await lean.session(),
                trial.position,
                trial.state,
                candidates,
                timeout=partial(candidates.seconds, usual=trial.lean.tactic_seconds),
                within=trial.tactics.seconds,
                keep_failures=trial.keep_failures,
                hear=candidates.hear,
            )
            with self._at_work(await asyncio.to_thread(declaration_key, trial.position)) as key:
                report = partial(self._report, key, on_outcomes)
                await _gather(self._listed(verdicts, trial), outcomes, candidates, report)
        except (LeanError, NoGoalHere) as error:
            if not outcomes:
                raise
            status = TacticsStatus.PARTIAL
            warnings.append(f"Not every tactic was tried: {error}")
        else:
            status = _status(has_generator=not warnings, was_any_tried=bool(candidates.scores))
        finally:
            candidates.close()
        await self._times.keep(candidates.taken)
        return TrialResults(_described(outcomes, candidates), warnings, status)

    async def _listed(
        self, verdicts: AsyncGenerator[TacticOutcome, None], trial: TrialRequest
    ) -> AsyncGenerator[TacticOutcome, None]:
        """The verdicts; if a part of the target is to be rewritten, without those that do not change it."""
        async with aclosing(verdicts):
            async for verdict in verdicts:
                self.edits.keep(trial.position, verdict)
                is_listed = not trial.part or trial.keep_failures
                if is_listed or _is_rewritten(trial.part, trial.state.goals[0], verdict):
                    yield verdict

    def kept(self, trial: TrialRequest, results: TrialResults) -> TrialResults:
        """The results, which equal requests get from now on."""
        is_judged = all(outcome.status != "unjudged" for outcome in results.outcomes)
        if trial.position.text is not None and is_judged and not results.warnings:
            self._known.put((trial.key, trial.searches), results)
        return results


def _ignored(outcomes: list[TacticOutcome]) -> None:
    """For a request that waits for all outcomes."""


def _is_rewritten(part: str, goal: Goal, outcome: TacticOutcome) -> bool:
    """Whether a tactic leaves fewer occurrences of a part of the target; True if it leaves no goal."""
    if outcome.state is None or not outcome.state.goals:
        return True
    folded = " ".join(part.split())
    before = " ".join(goal.target.split()).count(folded)
    return " ".join(outcome.state.goals[0].target.split()).count(folded) < before


def _status(*, has_generator: bool, was_any_tried: bool) -> TacticsStatus:
    """The status of completed trials. `has_generator`: the generator, if requested, could be used."""
    if has_generator:
        return TacticsStatus.TRIED
    return TacticsStatus.WITHOUT_GENERATOR if was_any_tried else TacticsStatus.NO_GENERATOR


async def _gather(
    verdicts: AsyncGenerator[TacticOutcome, None],
    outcomes: list[TacticOutcome],
    candidates: CandidateScheduler,
    on_outcomes: OnOutcomes,
) -> None:
    """Add the verdicts to the outcomes as they arrive, and report the outcomes in display order.

    Raises what the verdicts raise.
    """
    shown: list[TacticOutcome] = []
    async with aclosing(verdicts):
        async for verdict in verdicts:
            outcomes.append(verdict)
            so_far = _described(outcomes, candidates)
            if so_far != shown:
                on_outcomes(so_far)
            shown = so_far


def _described(outcomes: Sequence[TacticOutcome], candidates: CandidateScheduler) -> list[TacticOutcome]:
    """The outcomes in display order, with what is known of their tactics now.

    Another source may propose a tactic that has been tried already: its score changes then, and it gets an origin.
    A step that is known with what closes its goals is left out, as are attempts at that.
    """
    shown = filter(candidates.is_listed, outcomes)
    found = [replace(one, origin=candidates.origins.get(one.tactic, "")) for one in shown]
    return order(found, candidates.scores, candidates.preferred)
