"""Tactics that need an import: what closes a goal that nothing in scope closes, in a copy that imports what it uses.

The modules of the best premises that are not in scope are imported all at once, so that Lean loads one header. What
closes the goal there is judged once more in a copy that imports only the module that it uses. Copies are given to a
second Lean, so that the one of the open file keeps its workers, and what they have elaborated.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Hashable, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from itertools import chain, islice

from lean_extract.common.errors import LeanError, NoGoalHere, ProjectBroken
from lean_extract.common.lru import Cache
from lean_extract.limits import LEAN_IDLE_SECONDS
from lean_extract.records import TacticOutcome
from lean_extract.session.document import LeanDocument
from lean_extract.session.tactic_spans import Change, Copy
from lsp_server.documents.goal_positions import declaration_key
from lsp_server.documents.insertion import import_insertion
from lsp_server.engine.given_tactics import trials
from lsp_server.engine.goal_places import GoalFound
from lsp_server.engine.listing import names_at
from lsp_server.engine.open_index import CurrentIndex
from lsp_server.engine.pipeline import Pipeline, Ranked
from lsp_server.engine.premise_ranking import DEPTH
from lsp_server.engine.project_times import ProjectTimes
from lsp_server.engine.request_context import RequestContext
from lsp_server.engine.requests import main_goal
from lsp_server.engine.running_lean import RunningLean
from lsp_server.engine.settings import LeanSettings
from lsp_server.engine.tactic_runner import TrialResults, closes
from lsp_server.engine.tasks import start_task
from lsp_server.limits import BETTER_TACTIC_SECONDS, CACHED_TRIALS, IMPORTED_MODULES, IMPORTED_TACTICS
from retriever.lean.eligibility import RankedPremise, RankRequest

Find = Callable[[RequestContext, GoalFound], Awaitable[Sequence[TacticOutcome]]]
"""Looks for what closes a goal, best first, with the Lean of the context."""


class ImportingCopy:
    """A goal in a copy of its document that imports further modules.

    Args:
        found: the goal in the document.
        modules: what is imported; the document must not be headed `prelude`.
    """

    def __init__(self, found: GoalFound, modules: Sequence[str]) -> None:
        asked = LeanDocument(found.asked.text or "")
        lines = asked.text.split("\n")
        edits = [edit for one in modules if (edit := import_insertion(lines, _line(one))) is not None]
        offset = asked.offset(edits[0].span.start) if edits else 0
        self.modules = tuple(modules)
        self._copy = Copy(asked, Change(offset, offset, "".join(edit.text for edit in edits)))
        place = self._copy.place_of(asked.offset(found.asked.position))
        changes = (*found.goal.changes, self._copy.change)
        self.found = GoalFound(found.at, replace(found.goal, position=place, changes=changes))
        """The same goal, where `asked` is the copy."""

    def outcome(self, judged: TacticOutcome) -> TacticOutcome:
        """An outcome in a copy with one import: its edit is that of what Lean was asked about without the copy."""
        line = _line(self.modules[0])
        lines = LeanDocument(self.found.at.text or "").text.split("\n")
        edit = self._copy.back(judged.edit) if judged.edit is not None else None
        return replace(judged, edit=edit, import_line=line, import_edit=import_insertion(lines, line))


class WithImports:
    """Tries tactics in copies with imports, for one goal at a time. Results are kept by goal, and version of Lean.

    Args:
        lean: the Lean of the project's files. For copies, a second one is started, and ended when it has not been used
            for a while.
        settings: the Lean's.
    """

    def __init__(self, lean: RunningLean, settings: LeanSettings) -> None:
        self._lean = RunningLean(lean.root, settings, opener=lean.another)
        self._pipeline = Pipeline(ProjectTimes(None))
        self._turn, self._asking = asyncio.Lock(), asyncio.Lock()
        self._known: Cache[TrialResults] = Cache(CACHED_TRIALS)
        self._ending: asyncio.TimerHandle | None = None

    async def __call__(self, context: RequestContext, found: GoalFound, ranked: Ranked) -> TrialResults:
        """What closes the goal with one more import, and sentences on modules that could not be imported.

        It takes as long as other trials may. Edits are of what Lean was asked about, those of imports of the document.
        """
        async with self._asking:
            key = await asyncio.to_thread(_key, context, found, ranked.current)
            known = self._known.get(key)
            if known is None:
                seconds = context.settings.tactics.seconds
                known = await self.closing(context, found, ranked.current, self._find, seconds)
                if not known.warnings:
                    self._known.put(key, known)
            return known

    async def known(
        self, context: RequestContext, found: GoalFound, current: CurrentIndex
    ) -> TacticOutcome | None:
        """What a call for this goal has found to close it, best first."""
        known = self._known.get(await asyncio.to_thread(_key, context, found, current))
        return next(iter(known.outcomes), None) if known is not None else None

    async def close(self) -> None:
        """End the second Lean."""
        if self._ending is not None:
            self._ending.cancel()
        await self._lean.close()

    @asynccontextmanager
    async def _copies(self, context: RequestContext) -> AsyncIterator[RequestContext]:
        """The context for requests about copies: its Lean is the second one, and loads imports as they are now."""
        if self._ending is not None:
            self._ending.cancel()
        if context.lean.compiles:
            await context.lean.compile()
        self._lean.configure(context.settings.lean)
        await self._lean.reload()
        try:
            yield replace(context, lean=self._lean)
        finally:
            loop = asyncio.get_running_loop()
            self._ending = loop.call_later(LEAN_IDLE_SECONDS, lambda: start_task(self._lean.end()))

    async def trials(
        self, context: RequestContext, module: str, found: GoalFound, tactics: Sequence[str], seconds: float
    ) -> AsyncGenerator[TacticOutcome, None]:
        """Lean's verdicts on these tactics with this import, as `given_tactics.trials`; none where it cannot be added.

        Raises as `verify`; LeanTimeout: the import takes too long.
        """
        if not await _can_import(context, found):
            return
        async with self._turn, self._copies(context) as second:
            copy = await asyncio.to_thread(ImportingCopy, found, (module,))
            async with aclosing(trials(second, copy.found, tactics, seconds)) as verdicts:
                async for outcome in verdicts:
                    yield copy.outcome(outcome)

    async def closing(
        self, context: RequestContext, found: GoalFound, current: CurrentIndex, find: Find, seconds: float
    ) -> TrialResults:
        """What closes a goal with one import, and sentences on modules that could not be imported.

        Nothing where the settings leave out what is not in scope.

        Args:
            find: looks for what closes the goal in a copy that imports what may help.
            seconds: the time for all of it.
        """
        warnings: list[str] = []
        outcomes: list[TacticOutcome] = []
        if not (context.settings.premises.out_of_scope and await _can_import(context, found)):
            return TrialResults(())
        async with self._turn:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    modules = await self._modules(context, found, current, warnings)
                    if modules:
                        async with self._copies(context) as second:
                            trial = _Trial(context, second, self._pipeline, found, current, find, warnings)
                            outcomes += await trial.closing(modules)
        return TrialResults(outcomes, warnings)

    async def _modules(
        self, context: RequestContext, found: GoalFound, current: CurrentIndex, warnings: list[str]
    ) -> list[str]:
        """The modules of the best premises that need an import, best first, without those that do not compile."""
        request = RankRequest(main_goal(found.state), k=DEPTH)
        ranked = await self._pipeline.ranking.rank(context, current, request, found.asked)
        needing = dict.fromkeys(one.premise.module for one in ranked if one.import_line is not None)
        return [one for one in islice(needing, IMPORTED_MODULES) if not _is_refused(context, one, warnings)]

    async def _find(self, second: RequestContext, found: GoalFound) -> list[TacticOutcome]:
        """What closes the goal in a copy, soon after the first. Raises as `Pipeline.try_tactics`."""
        request = RankRequest(main_goal(found.state), k=DEPTH)
        ranked = await self._pipeline.rank(second, request, found.asked)
        closing: list[TacticOutcome] = []
        is_closed = asyncio.Event()

        def hear(outcomes: Sequence[TacticOutcome]) -> None:
            closing[:] = filter(closes, outcomes)
            if closing:
                is_closed.set()

        trying = asyncio.ensure_future(
            self._pipeline.try_tactics(second, found, found.state, ranked, on_outcomes=hear, searches=False)
        )
        waiting = asyncio.ensure_future(is_closed.wait())
        try:
            await asyncio.wait([trying, waiting], return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait([trying], timeout=BETTER_TACTIC_SECONDS)
            if trying.done():
                hear(trying.result().outcomes)
        finally:
            waiting.cancel()
            trying.cancel()
            await asyncio.wait([trying, waiting])
        return closing


@dataclass(frozen=True, slots=True)
class _Trial:
    """The trials at one goal. `second`: the context of requests about copies. `find`: what closes the goal in one."""

    context: RequestContext
    second: RequestContext
    pipeline: Pipeline
    found: GoalFound
    current: CurrentIndex
    find: Find
    warnings: list[str]

    async def closing(self, modules: Sequence[str]) -> list[TacticOutcome]:
        """What closes the goal with one of the modules. Where they cannot be imported together, each is alone."""
        for chosen in [modules, *([one] for one in modules if len(modules) > 1)]:
            copy = await asyncio.to_thread(ImportingCopy, self.found, chosen)
            try:
                closing = (await self.find(self.second, copy.found))[:IMPORTED_TACTICS]
            except (LeanError, NoGoalHere) as error:
                if len(chosen) == 1 and isinstance(error, ProjectBroken):
                    self.warnings.append(_untried(chosen[0], str(error)))
                continue
            found = await self._with_one(copy, closing) if closing else []
            if found or len(chosen) == len(modules):
                return found
        return []

    async def _with_one(self, copy: ImportingCopy, closing: Sequence[TacticOutcome]) -> list[TacticOutcome]:
        """Those that close the goal with a single import, the smallest one; what needs none is first tried without."""
        request = RankRequest(main_goal(self.found.state), k=DEPTH)
        ranked = await self.pipeline.rank(self.second, request, copy.found.asked)
        needed = await asyncio.to_thread(self._needed, copy, [one.shown for one in closing], ranked.premises)
        index = self.current.index
        for module in await asyncio.to_thread(index.smallest_first, chain.from_iterable(needed)):
            tactics = [one for one, modules in zip(closing, needed, strict=True) if module in modules]
            accepted = await self._judged(copy, module, tactics)
            if accepted:
                return accepted
        return []

    def _needed(
        self, copy: ImportingCopy, tactics: Sequence[str], premises: Sequence[RankedPremise]
    ) -> list[list[str]]:
        """For each tactic the modules of which one may be enough, in the order to try; "" is none."""
        index, goal = self.current.index, main_goal(self.found.state)
        module_of = {one.premise.written: one.premise.module for one in premises}
        _, names = names_at(index, goal, list(module_of), copy.found.asked)
        used = [dict.fromkeys(module_of[name] for name in names.used_by(tactic)) for tactic in tactics]
        missing = index.unreached(self.found.asked, {*chain.from_iterable(used)})
        return [[one for one in modules if one in missing] or ["", *copy.modules] for modules in used]

    async def _judged(
        self, copy: ImportingCopy, module: str, tactics: Sequence[TacticOutcome]
    ) -> list[TacticOutcome]:
        """Those of the tactics that close the goal with this import alone."""
        if (module,) == copy.modules:
            return list(map(copy.outcome, tactics))
        context, place = self.context, self.found
        if module:
            copy = await asyncio.to_thread(ImportingCopy, self.found, (module,))
            context, place = self.second, copy.found
        origins = {one.shown: one.origin for one in tactics}
        verdicts = trials(context, place, list(origins), context.settings.tactics.seconds)
        try:
            async with aclosing(verdicts):
                found = [replace(one, origin=origins[one.tactic]) async for one in verdicts if closes(one)]
        except (LeanError, NoGoalHere):
            return []
        return list(map(copy.outcome, found)) if module else found


async def _can_import(context: RequestContext, found: GoalFound) -> bool:
    """Whether imports can be added: not where Lean reads no headers, and not to a file that is headed `prelude`."""
    lines = (found.at.text or "").split("\n")
    return (
        context.lean.has_headers and await asyncio.to_thread(import_insertion, lines, "import _") is not None
    )


def _line(module: str) -> str:
    return f"import {module}"


def _key(context: RequestContext, found: GoalFound, current: CurrentIndex) -> Hashable:
    versions = context.lean.version, current.version
    settings = context.settings.tactics, context.settings.premises.out_of_scope
    return declaration_key(found.asked), found.state, versions, settings


def _is_refused(context: RequestContext, module: str, warnings: list[str]) -> bool:
    why = context.lean.rejection(module)
    if why:
        warnings.append(_untried(module, why))
    return bool(why)


def _untried(module: str, why: str) -> str:
    return f"`import {module}` was not tried: {why}"
