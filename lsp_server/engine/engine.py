"""One project's engine: its Lean, its index, its generator, and the methods that answer requests.

The command line, the language server and HTTP all use it. Everything is opened when it is first needed; heavy work
runs in threads, so the event loop stays free; there is one Lean for a project. The steps of a request are in
`pipeline.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from lean_extract.common.errors import LeanError, PremiseIndexError
from lean_extract.common.lru import Cache
from lean_extract.records import Goal, Premise, ProofState, TacticOutcome
from lean_extract.session.live import LiveLean
from lean_extract.toolchains.toolchain import Toolchain
from lsp_server.engine.answering_stores import AnsweringLibrary
from lsp_server.engine.generators import OpenGenerator
from lsp_server.engine.given_tactics import TacticEdit, Trials, edit_at, trials, try_given
from lsp_server.engine.goal_places import GoalFound
from lsp_server.engine.open_index import ChangedFiles, OpenIndex
from lsp_server.engine.pipeline import Pipeline
from lsp_server.engine.premise_edits import premise_edit
from lsp_server.engine.project_index import ProjectIndex
from lsp_server.engine.project_times import ProjectTimes
from lsp_server.engine.request_context import RequestContext
from lsp_server.engine.requests import (
    OnProofProgress,
    OnUpdate,
    ProveRequest,
    SearchRequest,
    SuggestRequest,
)
from lsp_server.engine.running_lean import (
    UNKNOWN,
    OpenLean,
    RunningLean,
    refreshed_lean,
    with_remarks,
)
from lsp_server.engine.schema import (
    DeclarationAnswer,
    IndexStatusAnswer,
    SearchAnswer,
    Suggestion,
    TrialsAnswer,
    UsesAnswer,
)
from lsp_server.engine.schema_items import IndexItem
from lsp_server.engine.schema_proofs import ProofAnswer
from lsp_server.engine.settings import Settings
from lsp_server.engine.shared_trials import OnOutcomes
from lsp_server.engine.stores import Progress, ShouldStop
from lsp_server.engine.tactic_runner import TrialResults
from lsp_server.engine.tasks import OnWaiting, while_waiting
from lsp_server.engine.trials_ahead import TrialsAhead
from lsp_server.engine.with_imports import WithImports
from lsp_server.limits import REMEMBERED_FILES
from prover.generator.source import Generated
from prover.verify import GoalPosition
from retriever.lean.declared import DeclarationSite
from retriever.lean.eligibility import RankedPremise, RankRequest
from retriever.search.indexing.report import IndexReport

if TYPE_CHECKING:
    from lsp_server.engine.proving import SearchedProof
    from prover.search.memory import ProofMemory

_Answer = TypeVar("_Answer", Suggestion, TrialsAnswer)


class Engine:
    """Answers requests for one project.

    Args:
        root: the project's; None: no project, only the bundled Mathlib index.
        settings: None means the defaults.
        toolchain: which Lean; None: the one that fits the project.
        generator: a generator shared by several engines; None: the engine has its own.
        opener: opens the live Lean, in place of the one that the settings name.
        library: a published one, which answers in place of the bundled index.
    """

    def __init__(
        self,
        root: Path | None,
        settings: Settings | None = None,
        toolchain: Toolchain | None = None,
        generator: OpenGenerator | None = None,
        opener: OpenLean | None = None,
        library: AnsweringLibrary | None = None,
    ) -> None:
        self.root = root
        self.settings = settings or Settings()
        self._lean = RunningLean(root, self.settings.lean, toolchain, opener)
        self._index = OpenIndex(root, self.settings, library)
        self._generator = generator or OpenGenerator()
        self._files = ChangedFiles(self._index)
        self._with_imports = WithImports(self._lean, self.settings.lean)
        self._pipeline = Pipeline(ProjectTimes(root), self._with_imports)
        self._memories: Cache[ProofMemory] = Cache(REMEMBERED_FILES)
        self._ahead = TrialsAhead(self._pipeline.runner, self.tactics_at, lambda: self._lean.version)

    def take_settings(self, settings: Settings) -> None:
        """Use new settings; Lean and the model are restarted by the next request that needs them."""
        self.settings = settings
        self._lean.configure(settings.lean)
        self._index.configure(settings)

    def _context(self) -> RequestContext:
        """The context of a new request."""
        return RequestContext(self.settings, self._lean, self._index, self._generator, self._files)

    # Answers.

    async def suggest(
        self,
        request: SuggestRequest,
        on_update: OnUpdate | None = None,
        on_waiting: OnWaiting | None = None,
    ) -> Suggestion:
        """The goal, its premises and, on request, tactics with Lean's verdicts.

        Where tactics are tried, `on_update` is given the suggestion without any as soon as the premises are
        ranked, and again each time Lean has accepted one. `on_waiting` is called while Lean takes long.

        Raises UserError for what the user can fix (no goal, bad position, unreadable state),
        LeanError, PremiseIndexError or ModelError for what failed. A failure while trying tactics is a
        warning: the premises are good without it.
        """
        position = request.position if request.goal is None or request.tactics else None
        if position is None:
            return await self._pipeline.suggest(self._context(), request, on_update)

        def update(so_far: Suggestion) -> None:
            if on_update is not None:
                on_update(with_remarks(so_far, self._lean, position))

        async with refreshed_lean(self._lean, position):
            work = self._pipeline.suggest(self._context(), request, on_update and update)
            if on_waiting is not None:
                work = while_waiting(work, partial(self._lean.progress, position), on_waiting)
            answer = await work
        return await self._with_remarks(answer, position)

    async def search(self, request: SearchRequest) -> SearchAnswer:
        """Find premises for a goal or for free text.

        Raises BadQuery (nothing to search for, or far too long), BadState (an unreadable goal),
        PremiseIndexError or ModelError.
        """
        from lsp_server.engine.searching import search  # with patterns, words and their tables

        return await search(self._context(), request)

    async def prove(
        self,
        request: ProveRequest,
        on_progress: OnProofProgress | None = None,
        stop: asyncio.Event | None = None,
        on_waiting: OnWaiting | None = None,
    ) -> ProofAnswer:
        """Search for the proof of the `sorry`, hole or goal at a position. The document is not written.

        `on_waiting` is called while Lean starts, or takes long to get to the goal; then `on_progress`, a few times a
        second at most. When `stop` is set, the search ends with what it has found.

        Raises UserError for what the user can fix (no goal there), LeanError where no Lean answers,
        PremiseIndexError, ModelError.
        """
        return (await self.search_proof(request, on_progress, stop, on_waiting)).answer

    async def search_proof(
        self,
        request: ProveRequest,
        on_progress: OnProofProgress | None = None,
        stop: asyncio.Event | None = None,
        on_waiting: OnWaiting | None = None,
    ) -> SearchedProof:
        """The same, with the tree of the search for a picture."""
        from lsp_server.engine.proving import prove  # with the search, which few requests need
        from prover.search.memory import ProofMemory

        memory = self._memories.get_or_make(request.position.path, ProofMemory)
        async with refreshed_lean(self._lean, request.position):
            found = await prove(
                self._context(),
                self._pipeline,
                request,
                on_progress,
                stop,
                memory,
                self._with_imports,
                on_waiting,
            )
        warnings = [*self._lean.warnings_at(request.position), *found.answer.warnings]
        return replace(found, answer=replace(found.answer, warnings=warnings))

    async def state_at(self, position: GoalPosition) -> ProofState:
        """Lean's goals at exactly a position. Raises what `LeanSession.goals_at` raises."""
        context = self._context()
        await context.catch_up()
        async with refreshed_lean(self._lean, position):
            return await self._pipeline.states.at(context.lean, position)

    async def goal_at(self, position: GoalPosition) -> GoalFound:
        """The goal for a position, and where it is. Raises what `ProofStates.find` raises."""
        context = self._context()
        await context.catch_up()
        async with refreshed_lean(self._lean, position):
            return await self._pipeline.states.find(context.lean, position)

    async def expected_at(self, position: GoalPosition) -> ProofState:
        """The type that Lean expects of the `sorry` at a position in a term. Raises as `state_at`."""
        async with refreshed_lean(self._lean, position):
            return await self._pipeline.states.expected_at(self._lean, position)

    async def rank(self, request: RankRequest, position: GoalPosition | None) -> Sequence[RankedPremise]:
        """The best premises for a goal; with a position, each says whether it is in scope there."""
        return (await self._pipeline.rank(self._context(), request, position)).premises

    async def tactics_at(
        self, position: GoalPosition, on_outcomes: OnOutcomes | None = None, *, imports: bool = False
    ) -> TrialResults:
        """The tactics that Lean accepts at the position, in the order to show.

        `imports`: whether those that need an import are tried where nothing else closes the goal.

        Raises what `suggest` raises, and LeanError where no tactics could be tried.
        """
        async with refreshed_lean(self._lean, position):
            return await self._pipeline.tactics_at(self._context(), position, on_outcomes, imports=imports)

    async def accepted_soon(self, position: GoalPosition, seconds: float) -> tuple[list[TacticOutcome], bool]:
        """The tactics that Lean has accepted within some seconds, and whether more may come (`TrialsAhead`).

        Raises as `state_at`, and TextUnread.
        """
        async with self._refreshed(position):
            found = await self._pipeline.states.find(self._lean, position)
        if not found.state.goals:
            return [], False
        accepted, is_open = await self._ahead.accepted(found.asked, seconds)
        return [found.outcome(one) for one in accepted], is_open

    async def generated(
        self, goals: Sequence[Goal], premises: Sequence[Premise], count: int | None = None
    ) -> list[Generated]:
        """The generator's proposals, best first, not yet tried in Lean; as many as the settings say, or more, unless
        `count` is given. Raises ModelError."""
        context = self._context()
        if count is not None:
            tactics = replace(context.settings.tactics, generated=count)
            context = replace(context, settings=replace(context.settings, tactics=tactics))
        return await self._pipeline.generate(context, goals, premises)

    def in_term(self, position: GoalPosition) -> bool | None:
        """Whether the `sorry` at a position is a term; None if no tactic has been judged there."""
        return self._pipeline.edits.in_term(position)

    async def spellings(
        self, position: GoalPosition, names: Sequence[str], hypotheses: Collection[str] = ()
    ) -> dict[str, str]:
        """The names that are written in another way at a position, each as short as it means the same there.

        Raises IndexMissing, IndexDamaged, ModelError, BadSource.
        """
        index = await self.project_index()
        return await asyncio.to_thread(index.spellings, position, names, hypotheses)

    async def after_rules(self, goal: Goal, rules: str, position: GoalPosition) -> Goal:
        """The goal as rules of `rw` would leave it that Lean does not take there, as far as their texts show."""
        return await asyncio.to_thread((await self.project_index()).after_rules, goal, rules, position)

    async def declaration(self, name: str, module: str) -> tuple[RankedPremise | None, DeclarationSite]:
        """A premise, if the index has it, and where it is declared. Raises IndexMissing, IndexDamaged, ModelError."""
        return await asyncio.to_thread((await self.project_index()).described, name, module)

    async def symbols(self, text: str, k: int) -> list[tuple[RankedPremise, DeclarationSite]]:
        """The best `k` premises by name that have a file on this machine, and where they are declared.

        Raises IndexMissing, IndexDamaged, ModelError.
        """
        from lsp_server.engine.searching import symbols

        return await symbols(self._context(), text, k)

    async def describe(self, name: str, module: str | None = None) -> DeclarationAnswer:
        """A declaration's statement, position, text and doc string; `module` decides between several of the same name.

        Raises UserError (the index does not have it), IndexMissing, IndexDamaged, ModelError.
        """
        from lsp_server.engine.searching import describe

        return await describe(self._context(), name, module)

    async def uses(self, name: str, module: str | None = None, k: int | None = None) -> UsesAnswer:
        """The proofs that use a declaration, and what its own proof uses, at most `k` of each; as `describe`."""
        from lsp_server.engine.uses import uses

        return await uses(self._context(), name, module, k)

    async def try_tactics(self, position: GoalPosition, tactics: Sequence[str]) -> TrialsAnswer:
        """Lean's verdict on each of these tactics at a position, in their order.

        Raises UserError (none, too many, too long; no goal), LeanError.
        """
        async with refreshed_lean(self._lean, position):
            answer = await try_given(
                self._context(), self._pipeline.states, self._pipeline.edits, position, tactics
            )
        return await self._with_remarks(answer, position)

    async def edit_at(
        self, position: GoalPosition, tactic: str, *, is_accepted: bool, imports: str = ""
    ) -> TacticEdit:
        """The edit that inserts a tactic: the one that Lean has judged, or judges now.

        Args:
            position: where the tactic was suggested.
            tactic: the tactic as it was shown.
            is_accepted: whether Lean has to accept the tactic there. Otherwise the likeliest edit is made of one
                that it does not accept, and where no Lean runs.
            imports: the module without whose import Lean does not accept it; empty: none.

        Raises UserError: Lean does not accept the tactic. As `try_tactics` where `is_accepted`.
        """
        pipeline, context = self._pipeline, self._context()
        async with self._refreshed(position):
            tried = self._trials(context, imports)
            return await edit_at(
                context, pipeline.states, pipeline.edits, position, tactic, tried, is_accepted=is_accepted
            )

    async def premise_edit(
        self, position: GoalPosition, name: str, *, imports: str = "", goal_number: int = 1
    ) -> TacticEdit:
        """The edit that inserts a premise: that of an accepted tactic that uses it, one that closes the goal first.

        If none is known, Lean tries the forms of the premise, and the first that closes the goal is inserted, else
        the first that makes progress, else the likeliest form.

        Args:
            position: where the premise is listed.
            name: the name under which it is listed.
            imports: its module, where it is not in scope; empty: it is.
            goal_number: for which of several goals, from 1.

        Raises NoGoalHere; BadPosition, BadSource; UserError: there are not so many goals.
        """
        context = self._context()
        async with self._refreshed(position):
            tried = self._trials(context, imports)
            return await premise_edit(context, self._pipeline, position, name, tried, goal_number)

    def _trials(self, context: RequestContext, imports: str) -> Trials:
        """How Lean tries tactics, with the import of this module if it is not empty."""
        return partial(self._with_imports.trials, context, imports) if imports else partial(trials, context)

    async def _with_remarks(self, answer: _Answer, position: GoalPosition) -> _Answer:
        """The whole answer with remarks on its goal and verdicts."""
        messages = [*self._lean.warnings_at(position), *answer.warnings]
        messages += [tactic.message for tactic in answer.tactics]
        is_lacking = any(UNKNOWN in one for one in messages)
        if is_lacking and self._lean.note_on_unknown != self._lean.note:
            from lsp_server.engine.corrections import lacks_names  # with tables that few requests need

            with suppress(PremiseIndexError):  # without an index, no name is known to be near
                index = await self.project_index()
                is_lacking = await asyncio.to_thread(lacks_names, index, position, messages)
        return with_remarks(answer, self._lean, position, is_lacking=is_lacking)

    @asynccontextmanager
    async def _refreshed(self, position: GoalPosition) -> AsyncIterator[None]:
        """A context for what uses verdicts that are kept: none of a Lean that had other imports."""
        async with refreshed_lean(self._lean, position):
            self._pipeline.edits.renew(self._lean.version)
            yield

    async def status(self) -> IndexStatusAnswer:
        """The state of the index, and what is missing. Raises IndexMissing, IndexDamaged, ModelError."""
        index = await self.project_index()
        item = await self._context().freshness(index)
        return IndexStatusAnswer(item, [index.note] if index.note else [])

    # Open parts.

    async def session(self) -> LiveLean:
        """The project's one Lean, started if need be. Raises LeanNotFound, LeanDied, LeanTimeout."""
        return await self._lean.session()

    async def project_index(self) -> ProjectIndex:
        """The project's index and premise service, opened if need be, as new as what is on disk.

        If there is no index yet but one is being built, this waits for it. Raises IndexMissing,
        IndexDamaged, ModelError.
        """
        return (await self._index.current()).index

    async def freshness(self) -> IndexItem:
        """What the index holds and how fresh it is."""
        return await self._context().freshness(await self.project_index())

    # Upkeep.

    @property
    def compiles(self) -> bool:
        """Whether the running Lean needs us to compile the project; with Lake, Lake does that."""
        return self._lean.compiles

    @property
    def rejected(self) -> tuple[LeanError, ...] | None:
        """What kept modules of the project from being compiled when we last tried; None if Lake compiles them."""
        return self._lean.rejected if self._lean.compiles else None

    async def compile_saved(self) -> None:
        """Compile a saved file, so that the files that import it see the change."""
        await self._lean.compile()

    def being_indexed(self) -> AbstractContextManager[None]:
        """A context for the time of an index update: requests that find no index wait for its end."""
        return self._index.being_updated()

    async def update_index(self, progress: Progress, should_stop: ShouldStop) -> IndexReport:
        """Build or refresh the project's index; only what changed is read and embedded.

        Raises IndexLocked, IndexWriteFailed, ModelError, BadSource (no `.lean` file).
        """
        return await self._index.update(progress, should_stop)

    async def close(self) -> None:
        """End Lean, stop reading files, and release the index."""
        self._ahead.stop()
        self._index.stop()
        await self._with_imports.close()
        await self._lean.close()
        await self._files.caught_up()
        self._index.close()
