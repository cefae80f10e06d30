"""Tactics tried at a place: thought of while Lean finds the place, and tried as they are thought of."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Protocol

from lean_extract.errors import LeanError, ModelError, NoGoalHere
from lean_extract.lru import Cache
from lean_extract.records import Goal, Premise, ProofState, TacticOutcome
from lsp_server.documents.goal_positions import text_before
from lsp_server.engine.project_index import ProjectIndex
from lsp_server.engine.proposals import Proposals, as_candidates
from lsp_server.engine.requests import main_goal
from lsp_server.engine.settings import Settings
from lsp_server.engine.tasks import ahead
from prover.candidates import Candidate
from prover.turns import Turns
from prover.verify import GoalPosition, TacticTrier, order, verify
from retriever.lean.offer import Kinds, RankedPremise

_DEFINITIONS = 6
"""How many definitions are looked at, beside the theorems, for one that the goal mentions."""

OnOutcomes = Callable[[list[TacticOutcome]], None]
"""Hears the outcomes so far, in the order to show, each time there is another to show."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What Lean said, in the order to show; and sentences on what could not be tried, and what mends it."""

    outcomes: list[TacticOutcome]
    warnings: list[str] = field(default_factory=list)


class Ranks(Protocol):
    """What ranks premises: `Engine.rank`."""

    async def __call__(
        self, goal: Goal, place: GoalPosition | None, k: int, kinds: Kinds = "theorems"
    ) -> list[RankedPremise]:
        """The best `k` for the goal."""
        ...


class TacticRunner:
    """Tries tactics for one project.

    What was tried stays true while the text before the place, the goals, the premises and the settings stay
    the same; those are the keys under which outcomes are kept. Those that came with a warning are not kept,
    nor those that could not be judged: what mends that may stand behind the place.
    """

    def __init__(
        self,
        settings: Callable[[], Settings],
        lean: Callable[[], Awaitable[TacticTrier]],
        knowledge: Callable[[], Awaitable[ProjectIndex]],
        rank: Ranks,
        proposals: Proposals,
    ) -> None:
        self._settings = settings
        self._lean = lean
        self._knowledge = knowledge
        self._rank = rank
        self._proposals = proposals
        self._outcomes: Cache[Tried] = Cache(32)

    def forget(self) -> None:
        """What was tried may come out otherwise now."""
        self._outcomes.clear()

    async def tactics(
        self,
        place: GoalPosition,
        state: ProofState,
        ranked: Sequence[RankedPremise],
        *,
        keep_failures: bool = False,
        heard: OnOutcomes | None = None,
    ) -> Tried:
        """The tactics that Lean accepts at the place, or with `keep_failures` all that were tried.

        Raises NoGoalHere, GoalBroken, LeanDied, LeanTimeout, ProjectBroken where nothing could be tried.
        """
        settings = self._settings()
        premises = _in_scope(ranked)[: settings.tactics.premises]
        before = hash(text_before(place))
        key = (place.path, before, state, tuple(premises), settings.tactics, settings.lean, keep_failures)
        known = self._outcomes.get(key)
        if known is None:
            known = await self._try(place, state, premises, keep_failures, heard)
            is_judged = all(outcome.status != "unjudged" for outcome in known.outcomes)
            if place.text is not None and is_judged and not known.warnings:
                self._outcomes.put(key, known)
        return known

    async def _try(
        self,
        place: GoalPosition,
        state: ProofState,
        premises: Sequence[Premise],
        keep_failures: bool,
        heard: OnOutcomes | None,
    ) -> Tried:
        settings, warnings, known = self._settings(), list[str](), list[TacticOutcome]()
        turns = self._turns(place, state, premises, warnings)
        try:
            verdicts = verify(
                await self._lean(),
                place,
                state,
                turns,
                timeout=settings.lean.tactic_seconds,
                within=settings.tactics.seconds,
                keep_failures=keep_failures,
            )
            await _gather(verdicts, known, turns.scores, heard)
        except (LeanError, NoGoalHere) as error:
            if not known:
                raise
            warnings.append(f"Not every tactic was tried: {error}")
        finally:
            turns.close()
        return Tried(order(known, turns.scores), warnings)

    def _turns(
        self, place: GoalPosition, state: ProofState, premises: Sequence[Premise], warnings: list[str]
    ) -> Turns:
        """The candidates of the sources that are set, all of which begin to think now."""
        tactics = self._settings().tactics
        ready = ahead(self._ready(place, state, premises)) if tactics.source != "generator" else None
        generated = (
            ahead(self._generated(state, premises, warnings)) if tactics.source != "templates" else None
        )
        return Turns(ready, generated, tactics.count)

    async def _ready(
        self, place: GoalPosition, state: ProofState, premises: Sequence[Premise]
    ) -> list[Candidate]:
        goal = main_goal(state)
        tactics = self._settings().tactics
        definitions = await self._rank(goal, place, _DEFINITIONS, "definitions")
        extra = tactics.extra or (await self._knowledge()).closers
        usable = [*premises, *_in_scope(definitions)]
        return await self._proposals.ready(goal, usable, extra, tactics.count)

    async def _generated(
        self, state: ProofState, premises: Sequence[Premise], warnings: list[str]
    ) -> list[Candidate]:
        try:
            return as_candidates(await self._proposals.generated(state.goals, premises))
        except ModelError as error:
            warnings.append(f"The generator gave no tactics: {error}")
            return []


async def _gather(
    verdicts: AsyncGenerator[TacticOutcome, None],
    known: list[TacticOutcome],
    scores: Mapping[str, float],
    heard: OnOutcomes | None,
) -> None:
    """Add the verdicts to those known as they come, and tell them, in the order to show.

    `scores` are read anew each time: they may still grow. Raises what the verdicts raise.
    """
    shown: list[TacticOutcome] = []
    async with aclosing(verdicts):
        async for verdict in verdicts:
            known.append(verdict)
            so_far = order(known, scores)
            if heard is not None and so_far != shown:
                heard(so_far)
            shown = so_far


def _in_scope(ranked: Sequence[RankedPremise]) -> list[Premise]:
    """What can be used at the place as its imports stand."""
    return [one.premise for one in ranked if one.in_scope is not False]
