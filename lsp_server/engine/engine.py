"""One project's Lean, index and premise service, and the way of a request through them.

Used by the command line, the language server and HTTP alike. Everything is opened when it is first needed;
heavy work runs in threads, so the event loop stays free; there is one Lean for a project.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from lean_extract.errors import BadSettings, GoalBroken, LeanError, NoGoalHere
from lean_extract.goals import format_goal
from lean_extract.lru import Cache
from lean_extract.records import Goal, Premise, ProofState, TacticOutcome
from lean_extract.session import LeanSession
from lean_extract.toolchain import Toolchain
from lsp_server.documents.goal_positions import as_placed, in_term, key_of
from lsp_server.engine.items import premise_item, tactic_item
from lsp_server.engine.open_generator import OpenGenerator
from lsp_server.engine.open_index import OpenIndex
from lsp_server.engine.project_index import ProjectIndex
from lsp_server.engine.proposals import Proposals
from lsp_server.engine.requests import (
    SearchRequest,
    SuggestRequest,
    checked_query,
    chosen_goal,
    is_goal,
    main_goal,
    parse_goal,
)
from lsp_server.engine.running_lean import RunningLean
from lsp_server.engine.schema import IndexItem, SearchAnswer, Suggestion
from lsp_server.engine.settings import Settings
from lsp_server.engine.stores import Progress, ShouldStop
from lsp_server.engine.tactic_runner import OnOutcomes, TacticRunner, Tried
from lsp_server.engine.tasks import ahead
from lsp_server.engine.timing import Timer
from prover.generator.model import Generated
from prover.verify import GoalPosition
from retriever.lean.allowed import Allowed
from retriever.lean.declared import DeclarationSite
from retriever.lean.offer import Kinds, RankedPremise
from retriever.search.index.build import IndexReport

_DEPTH = 200
"""How many premises are ranked at least, so that hover, completion and quick fixes share one ranking."""
_PATIENCE_SECONDS = 1.5
"""How long answers wait until files that changed on disk have been read; most are in a tenth of it."""
_FIRST_GOAL_ONLY = (
    "No tactics were tried: Lean tries them on the first goal alone. Leave the goal's number out."
)
_MOST = 1000
"""No answer lists more premises."""

OnUpdate = Callable[[Suggestion], None]
"""Hears a suggestion as far as it is known."""


class Engine:
    """The parts that answer for one project.

    Args:
        root: the project's; None: no project, only the bundled Mathlib index.
        settings: the defaults where None.
        toolchain: which Lean; None: the one that fits the project.
        generator: one that several engines share; None: one of its own.
    """

    def __init__(
        self,
        root: Path | None,
        settings: Settings | None = None,
        toolchain: Toolchain | None = None,
        generator: OpenGenerator | None = None,
    ) -> None:
        self.root = root
        self.settings = settings or Settings()
        self._lean = RunningLean(root, lambda: self.settings.lean, toolchain)
        self._index = OpenIndex(root, lambda: self.settings, self._forget_rankings)
        self._catching_up: asyncio.Task[None] | None = None
        self._patience = 0.0
        """Until when answers wait for it, in the event loop's time."""
        self._is_lean_old = False
        """Whether the Lean that runs has not been told of what was read."""
        self._states: Cache[ProofState] = Cache(64)
        self._ranked: Cache[list[RankedPremise]] = Cache(64)
        self._proposals = Proposals(lambda: self.settings, generator or OpenGenerator())
        self._trying = TacticRunner(
            lambda: self.settings, self.session, self.knowledge, self.rank, self._proposals
        )

    def take_settings(self, settings: Settings) -> None:
        """Use new settings; Lean and the model are restarted by the next request that needs them."""
        if settings.lean != self.settings.lean:
            self._states.clear()
        self.settings = settings
        self._forget_rankings()

    def _forget_rankings(self) -> None:
        self._ranked.clear()
        self._trying.forget()

    async def session(self) -> LeanSession:
        """The project's one Lean, started if need be. Raises LeanNotFound, LeanDied, LeanTimeout."""
        return await self._lean.session()

    async def knowledge(self) -> ProjectIndex:
        """The project's index and premise service, opened if need be, as new as what is on disk.

        Where there is no index yet, but one is being built, its end is awaited. Raises IndexMissing,
        IndexDamaged, ModelError.
        """
        return await self._index.knowledge()

    @property
    def compiles(self) -> bool:
        """Whether a Lean runs for which we compile the project: with Lake that is Lake's work."""
        return self._lean.compiles

    async def saved(self) -> None:
        """A file was saved: whoever imports it has to see it."""
        if await self._lean.compile():
            self._states.clear()
            self._trying.forget()

    async def _catch_up(self) -> None:
        """Have what changed on disk without us (a checkout, another editor) read before we answer.

        A Lean that runs is told before it is asked; one that is still to be started has nothing old.
        """
        if not self.settings.index.on_save:
            return
        if self._catching_up is None or self._catching_up.done():
            self._catching_up = ahead(self._read_changes())
            self._patience = asyncio.get_running_loop().time() + _PATIENCE_SECONDS
        if self._lean.is_running:
            await self._caught_up()
            if self._is_lean_old:
                self._is_lean_old = False
                await self.saved()

    async def _read_changes(self) -> None:
        is_running = self._lean.is_running
        self._is_lean_old = self._is_lean_old and is_running
        if await self._index.catch_up():
            self._is_lean_old = is_running

    async def _caught_up(self) -> None:
        """Wait until what changed has been read, but not for long: one large file must not stop the rest."""
        task = self._catching_up
        if task is None:
            return
        await asyncio.wait([task], timeout=max(0.0, self._patience - asyncio.get_running_loop().time()))
        if task.done():
            task.result()

    async def close(self) -> None:
        """End Lean, stop what is being read, and let go of the index."""
        self._index.stop()
        await self._lean.close()
        await self._caught_up()
        self._index.close()

    async def suggest(self, request: SuggestRequest, heard: OnUpdate | None = None) -> Suggestion:
        """Goal, premises and, if asked for, tactics with Lean's verdicts.

        Where tactics are tried, `heard` is given the suggestion without any as soon as the premises are
        ranked, and again each time Lean has accepted one.

        Raises UserError for what the user can mend (no goal, bad position, unreadable state),
        LeanError, PremiseIndexError or ModelError for what failed. A failure while trying tactics is a
        warning: the premises are good without it.
        """
        timer = Timer()
        if request.goal is None:
            self._index.open_ahead()
        await self._catch_up()  # before anything is begun in a Lean that it may end
        if request.tactics and request.place is not None:
            self._lean.prepare_ahead(request.place)
            self._proposals.open_ahead()
        state = await self._state(request)
        goal = chosen_goal(state, request.goal_number)
        timer.lap("goal")
        wanted = min(request.k or self.settings.premises.count, _MOST)
        ranked = await self.rank(goal, request.place, max(wanted, self.settings.tactics.premises))
        timer.lap("premises")
        note = (await self.knowledge()).note
        found = Suggestion(
            goal=format_goal(goal),
            goal_number=request.goal_number,
            goal_count=len(state.goals),
            premises=[premise_item(one) for one in ranked[:wanted]],
            tactics=[],
            index=await self.freshness(),
            timings_ms=timer.total(),
            warnings=[note] if note else [],
            notes=await self.notes(goal),
        )
        if not request.tactics or request.place is None:
            return found
        if request.goal_number > 1:
            return replace(found, warnings=[_FIRST_GOAL_ONLY, *found.warnings])
        if heard is not None:
            heard(found)
        timer.skip()
        found = await self._with_tactics(found, request, request.place, state, ranked, heard)
        timer.lap("tactics")
        return replace(found, timings_ms=timer.total())

    async def _with_tactics(
        self,
        found: Suggestion,
        request: SuggestRequest,
        place: GoalPosition,
        state: ProofState,
        ranked: Sequence[RankedPremise],
        heard: OnUpdate | None,
    ) -> Suggestion:
        is_term = in_term(place)

        def told(outcomes: Sequence[TacticOutcome]) -> Suggestion:
            return replace(found, tactics=[as_placed(tactic_item(one), is_term) for one in outcomes])

        try:
            tried = await self.tactics(
                place,
                state,
                ranked,
                keep_failures=request.keep_failures,
                heard=(lambda outcomes: heard(told(outcomes))) if heard is not None else None,
            )
        except GoalBroken as error:
            return replace(found, warnings=[str(error), *found.warnings])
        except (LeanError, BadSettings, NoGoalHere) as error:
            return replace(found, warnings=[f"No tactics were tried: {error}", *found.warnings])
        return replace(told(tried.outcomes), warnings=[*tried.warnings, *found.warnings])

    async def search(self, request: SearchRequest) -> SearchAnswer:
        """Premises for a goal or for free text.

        Raises BadQuery (nothing to search for, or far too long), BadState (an unreadable goal),
        PremiseIndexError or ModelError.
        """
        query = checked_query(request.query)
        is_filtered = request.in_scope or not self.settings.premises.out_of_scope
        allowed = Allowed(modules=request.modules, in_scope=is_filtered)
        wanted = min(request.k or self.settings.premises.count, _MOST)
        await self._catch_up()
        await self._caught_up()
        knowledge = await self.knowledge()
        warnings, notes = [knowledge.note] if knowledge.note else [], list[str]()
        if request.in_scope and request.place is None:
            warnings.append("What is in scope is not known without a file, so nothing was left out.")
        read_as_goal = is_goal(query)
        if read_as_goal:
            goal = main_goal(await asyncio.to_thread(parse_goal, query))
            where = await asyncio.to_thread(knowledge.where, request.place) if request.place else None
            ranked = await asyncio.to_thread(knowledge.rank_where, goal, where, wanted, allowed=allowed)
            notes = await self.notes(goal)
        else:
            ranked = await asyncio.to_thread(knowledge.search, query, request.place, wanted, allowed)
        return SearchAnswer(
            kind="goal" if read_as_goal else "text",
            premises=[premise_item(one) for one in ranked],
            index=await self.freshness(),
            warnings=warnings,
            notes=notes,
        )

    async def state(self, request: SuggestRequest) -> ProofState:
        """The proof state of a request: the one it brings, else Lean's."""
        await self._catch_up()
        return await self._state(request)

    async def _state(self, request: SuggestRequest) -> ProofState:
        if request.goal is not None:
            return await asyncio.to_thread(parse_goal, request.goal)
        if request.place is None:
            raise NoGoalHere("Neither a place nor a goal was given.", "Give a file and a line, or a state.")
        return await self._state_at(request.place)

    async def state_at(self, place: GoalPosition) -> ProofState:
        """Lean's goals at a place. Raises what `LeanSession.goals_at` raises."""
        await self._catch_up()
        return await self._state_at(place)

    async def _state_at(self, place: GoalPosition) -> ProofState:
        key = key_of(place)
        known = self._states.get(key)
        if known is None:
            session = await self.session()
            known = await session.goals_at(place.path, place.text, place.position)
            if place.text is not None:
                self._states.put(key, known)
        return known

    async def expected_at(self, place: GoalPosition) -> ProofState:
        """What Lean expects of the `sorry` at a place where a term stands. Raises: as `state_at`."""
        key = ("expected", *key_of(place))
        known = self._states.get(key)
        if known is None:
            session = await self.session()
            known = await session.expected_at(place.path, place.text, place.position)
            self._states.put(key, known)
        return known

    async def rank(
        self, goal: Goal, place: GoalPosition | None, k: int, kinds: Kinds = "theorems"
    ) -> list[RankedPremise]:
        """The best `k` premises for the goal, told apart by what is in scope at the place."""
        await self._caught_up()
        knowledge = await self.knowledge()
        depth = max(k, _DEPTH) if kinds == "theorems" else k
        key = (goal, key_of(place) if place else None, depth, kinds)
        ranked = self._ranked.get(key)
        if ranked is None:
            ranked = await asyncio.to_thread(knowledge.rank, goal, place, depth, kinds)
            if place is None or place.text is not None:
                self._ranked.put(key, ranked)
        if not self.settings.premises.out_of_scope:
            ranked = [one for one in ranked if one.in_scope is not False]
        return ranked[:k]

    async def tactics(
        self,
        place: GoalPosition,
        state: ProofState,
        ranked: Sequence[RankedPremise],
        *,
        keep_failures: bool = False,
        heard: OnOutcomes | None = None,
    ) -> Tried:
        """The tactics that Lean accepts at the place, in the order to show.

        `heard` is given those so far each time there is another. Raises LeanDied, LeanTimeout, ProjectBroken.
        """
        return await self._trying.tactics(place, state, ranked, keep_failures=keep_failures, heard=heard)

    async def generated(self, goals: Sequence[Goal], premises: Sequence[Premise]) -> list[Generated]:
        """What the generator proposes, best first, not seen by Lean. Raises ModelError."""
        return await self._proposals.generated(goals, premises)

    async def freshness(self) -> IndexItem:
        """What the index holds and how fresh it is."""
        knowledge = await self.knowledge()
        return await asyncio.to_thread(knowledge.freshness, self._lean.version)

    async def declaration(self, name: str, module: str) -> DeclarationSite:
        """Where a premise stands. Raises IndexMissing, IndexDamaged, ModelError."""
        knowledge = await self.knowledge()
        return await asyncio.to_thread(knowledge.declared, name, module)

    async def notes(self, goal: Goal) -> list[str]:
        """What of a goal the model does not read, or does not know."""
        knowledge = await self.knowledge()
        return await asyncio.to_thread(knowledge.notes, goal)

    def being_indexed(self) -> AbstractContextManager[None]:
        """While an update of the project's index is under way: who finds no index waits for its end."""
        return self._index.being_updated()

    async def index(self, progress: Progress, should_stop: ShouldStop) -> IndexReport:
        """Build or refresh the project's index; only what changed is read and embedded.

        Raises IndexLocked, IndexWriteFailed, ModelError, BadSource (no `.lean` file).
        """
        return await self._index.update(progress, should_stop)
