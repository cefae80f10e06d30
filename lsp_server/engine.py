"""One project's Lean, index and premise service, and the way of a request through them.

Used by the command line and the language server alike. Everything is opened when it is first needed;
heavy work runs in threads, so the event loop stays free; there is one Lean for a project.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path

from lean_extract import packaged
from lean_extract.errors import BadSettings, BadSource, LeanError, LeanNotFound, NoGoalHere, ProjectBroken
from lean_extract.goals import format_goal, parse_state
from lean_extract.records import Goal, Position, Premise, ProofState, TacticOutcome
from lean_extract.session import LeanSession, Limits
from lean_extract.toolchain import Toolchain, project_oleans, resolve_lean
from lsp_server.cache import Cache
from lsp_server.contexts import offset_of
from lsp_server.knowledge import Knowledge, Progress, ShouldStop, update_project
from lsp_server.schema import IndexItem, PremiseItem, Suggestion, TacticItem
from lsp_server.settings import LeanSettings, Settings
from prover.candidates import Candidate, CandidateSource, Closers, Templates, merge
from prover.verify import GoalPlace, order, verify
from retriever.index.build import IndexReport
from retriever.service import RankedPremise

log = logging.getLogger("premise_suggest")

_DEPTH = 200
"""How many premises are ranked at least, so that hover, completion and quick fixes share one ranking."""
_DEFINITIONS = 6
"""How many definitions are looked at, beside the theorems, for one that the goal mentions."""

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class SuggestRequest:
    """What a suggestion is asked for.

    Either `place` (a document and a position) or `goal` (a printed state), or both: then the goal is
    taken as it is and the place tells what is in scope.
    """

    place: GoalPlace | None = None
    goal: str | None = None
    k: int | None = None
    tactics: bool = False
    keep_failures: bool = False


class Timer:
    """Milliseconds of the named parts of one request, and of the whole."""

    def __init__(self, clock: Clock = time.perf_counter) -> None:
        self._clock = clock
        self._start = self._last = clock()
        self.parts: dict[str, float] = {}

    def lap(self, name: str) -> None:
        """The part that ends here, counted from the last lap."""
        now = self._clock()
        self.parts[name] = round(1000 * (now - self._last), 1)
        self._last = now

    def total(self) -> dict[str, float]:
        """All parts, and `total`."""
        return {**self.parts, "total": round(1000 * (self._clock() - self._start), 1)}


class Engine:
    """The parts that answer for one project. `root` None: no project, only the bundled Mathlib index."""

    def __init__(
        self, root: Path | None, settings: Settings | None = None, toolchain: Toolchain | None = None
    ) -> None:
        self.root = root
        self._toolchain = toolchain
        self.settings = settings or Settings()
        self._session: LeanSession | None = None
        self._session_settings: LeanSettings | None = None
        self._knowledge: Knowledge | None = None
        self._session_lock = asyncio.Lock()
        self._knowledge_lock = asyncio.Lock()
        self._index_lock = asyncio.Lock()
        self._compile_lock = asyncio.Lock()
        self._opening: asyncio.Task[Knowledge] | None = None
        self._states: Cache[ProofState] = Cache(64)
        self._ranked: Cache[list[RankedPremise]] = Cache(64)
        self._outcomes: Cache[list[TacticOutcome]] = Cache(32)

    def take_settings(self, settings: Settings) -> None:
        """Use new settings; Lean and the model are restarted by the next request that needs them."""
        if settings.lean != self.settings.lean:
            self._states.clear()
        self.settings = settings
        self._ranked.clear()
        self._outcomes.clear()

    async def session(self) -> LeanSession:
        """The project's one Lean, started if need be. Raises LeanNotFound, LeanDied, LeanTimeout."""
        async with self._session_lock:
            wanted = self.settings.lean
            if self._session is not None and self._session_settings != wanted:
                await self._session.close()
                self._session = None
            if self._session is None:
                if self.root is None:
                    raise LeanNotFound("Lean runs in a project, and there is none.", "Ask in a saved file.")
                toolchain = self._toolchain
                if toolchain is None:
                    override = wanted.command or None
                    toolchain = await asyncio.to_thread(resolve_lean, self.root, override=override)
                if toolchain.kind == "packaged":
                    await asyncio.to_thread(compile_project, self.root)
                self._session = await LeanSession.start(self.root, toolchain, limits_of(wanted))
                self._session_settings = wanted
            return self._session

    async def knowledge(self) -> Knowledge:
        """The project's index and premise service, opened if need be, as new as what is on disk.

        Raises IndexMissing, IndexDamaged, ModelError.
        """
        async with self._knowledge_lock:
            model, download = self.settings.model_folder, self.settings.model_download
            known = self._knowledge
            rerank = self.settings.premises.rerank
            wanted = (model, rerank)
            if known is None or (known.model_setting, known.rerank_setting) != wanted or known.is_outdated():
                known = await asyncio.to_thread(Knowledge, self.root, model, download=download, rerank=rerank)
                self._knowledge = known
                self._ranked.clear()
            if known.has_changed():
                self._ranked.clear()
                self._outcomes.clear()
            return known

    @property
    def compiles(self) -> bool:
        """Whether a Lean runs for which we compile the project: with Lake that is Lake's work."""
        return self._session is not None and self._session.toolchain.kind == "packaged"

    async def saved(self) -> None:
        """A file was saved: whoever imports it has to see it."""
        if self.root is None or not self.compiles:
            return
        async with self._compile_lock:
            compiled = await asyncio.to_thread(compile_project, self.root)
        if len(compiled) > 1:  # the file itself and some that import it: Lean has to load them anew
            self._states.clear()
            self._outcomes.clear()
            await self._end_session()

    def _open_ahead(self) -> None:
        """Begin to open the index while Lean starts and elaborates; who needs it hears of its errors."""
        if self._knowledge is None:
            task = asyncio.create_task(self.knowledge())
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._opening = task

    async def close(self) -> None:
        """End Lean and let go of the index."""
        await self._end_session()
        self._knowledge = None

    async def _end_session(self) -> None:
        async with self._session_lock:
            if self._session is not None:
                session, self._session = self._session, None
                await session.close()

    async def suggest(self, request: SuggestRequest) -> Suggestion:
        """Goal, premises and, if asked for, tactics with Lean's verdicts.

        Raises UserError for what the user can mend (no goal, bad position, unreadable state),
        LeanError, PremiseIndexError or ModelError for what failed. A failure while trying tactics is a
        warning: the premises are good without it.
        """
        timer, warnings = Timer(), list[str]()
        if request.goal is None:
            self._open_ahead()
        state = await self.state(request)
        goal = main_goal(state)
        timer.lap("goal")
        wanted = request.k or self.settings.premises.count
        ranked = await self.rank(goal, request.place, max(wanted, self.settings.tactics.premises))
        timer.lap("premises")
        outcomes: list[TacticOutcome] = []
        if request.tactics and request.place is not None:
            try:
                outcomes = await self.tactics(
                    request.place, state, ranked, keep_failures=request.keep_failures
                )
            except (LeanError, BadSettings) as error:
                warnings.append(f"No tactics were tried: {error}")
            timer.lap("tactics")
        timings = timer.total()
        if note := (await self.knowledge()).note:
            warnings.append(note)
        return Suggestion(
            goal=format_goal(goal),
            premises=[premise_item(one) for one in ranked[:wanted]],
            tactics=[tactic_item(outcome) for outcome in outcomes],
            index=await self.freshness(),
            timings_ms=timings,
            warnings=warnings,
            notes=await self.notes(goal),
        )

    async def state(self, request: SuggestRequest) -> ProofState:
        """The proof state of a request: the one it brings, else Lean's."""
        if request.goal is not None:
            return await asyncio.to_thread(parse_state, request.goal)
        if request.place is None:
            raise NoGoalHere("Neither a place nor a goal was given.", "Give a file and a line, or a state.")
        return await self.state_at(request.place)

    async def state_at(self, place: GoalPlace) -> ProofState:
        """Lean's goals at a place. Raises what `LeanSession.goals_at` raises."""
        key = key_of(place)
        known = self._states.get(key)
        if known is None:
            session = await self.session()
            known = await session.goals_at(place.path, place.text, place.position)
            if place.text is not None:
                self._states.put(key, known)
        return known

    async def rank(self, goal: Goal, place: GoalPlace | None, k: int) -> list[RankedPremise]:
        """The best `k` premises for the goal, told apart by what is in scope at the place."""
        knowledge = await self.knowledge()
        key = (goal, key_of(place) if place else None, k > _DEPTH and k)
        ranked = self._ranked.get(key)
        if ranked is None:
            ranked = await asyncio.to_thread(knowledge.rank, goal, place, max(k, _DEPTH))
            if place is None or place.text is not None:
                self._ranked.put(key, ranked)
        if not self.settings.premises.out_of_scope:
            ranked = [one for one in ranked if one.in_scope is not False]
        return ranked[:k]

    async def tactics(
        self,
        place: GoalPlace,
        state: ProofState,
        ranked: Sequence[RankedPremise],
        *,
        keep_failures: bool = False,
    ) -> list[TacticOutcome]:
        """The tactics that Lean accepts at the place, in the order to show.

        Raises LeanDied, LeanTimeout, ProjectBroken.
        """
        candidates = await self.candidates(main_goal(state), place, ranked)
        # What was tried stays true while the text before the place and the goal stay the same.
        key = (place.path, hash(text_before(place)), state, tuple(candidates), keep_failures)
        known = self._outcomes.get(key)
        if known is None:
            session = await self.session()
            stream = verify(
                session,
                place,
                state,
                candidates,
                timeout=self.settings.lean.tactic_seconds,
                keep_failures=keep_failures,
            )
            scores = {candidate.tactic: candidate.score for candidate in candidates}
            async with aclosing(stream) as verdicts:
                known = order([verdict async for verdict in verdicts], scores)
            if place.text is not None:
                self._outcomes.put(key, known)
        return known

    async def candidates(
        self, goal: Goal, place: GoalPlace, ranked: Sequence[RankedPremise]
    ) -> list[Candidate]:
        """The tactics to try at the place, best first, from the premises that are in scope there."""
        settings = self.settings.tactics
        usable = [one.premise for one in ranked if one.in_scope is not False][: settings.premises]
        knowledge = await self.knowledge()
        extra = settings.extra or knowledge.closers
        definitions = await asyncio.to_thread(knowledge.rank, goal, place, _DEFINITIONS, "definitions")
        usable += [one.premise for one in definitions if one.in_scope is not False]
        return await asyncio.to_thread(propose, goal, usable, extra, settings.count)

    async def freshness(self) -> IndexItem:
        """What the index holds and how fresh it is."""
        knowledge = await self.knowledge()
        lean = self._session.toolchain.version if self._session is not None else ""
        return await asyncio.to_thread(knowledge.freshness, lean)

    async def notes(self, goal: Goal) -> list[str]:
        """What of a goal the model does not read, or does not know."""
        knowledge = await self.knowledge()
        return await asyncio.to_thread(knowledge.notes, goal)

    async def index(self, progress: Progress, should_stop: ShouldStop) -> IndexReport:
        """Build or refresh the project's index; only what changed is read and embedded.

        Raises IndexLocked, IndexWriteFailed, ModelError, BadSource (no `.lean` file).
        """
        if self.root is None:
            raise BadSource("There is no project to index.", "Give the folder of a Lean project.")
        async with self._index_lock:
            return await asyncio.to_thread(
                update_project,
                self.root,
                self.settings.model_folder,
                progress,
                should_stop,
                download=self.settings.model_download,
            )


def compile_project(root: Path) -> tuple[str, ...]:
    """Compile a project for the packaged Lean, which has no Lake; returns the modules that had changed.

    A file that Lean rejects is left out: whoever imports it is told by Lean itself.
    """
    try:
        return packaged.build_library(root, project_oleans(root), packaged.prepare())
    except ProjectBroken as error:
        log.info("%s", error)
        return ()


def propose(goal: Goal, premises: Sequence[Premise], extra: tuple[str, ...], limit: int) -> list[Candidate]:
    """The tactics to try, of all sources. A generator is one more source here."""
    sources: list[CandidateSource] = [Templates(), Closers(extra)]
    return merge([source.candidates(goal, premises, limit) for source in sources], limit)


def text_before(place: GoalPlace) -> str | None:
    """The document up to the place; None where the text is on disk."""
    if place.text is None:
        return None
    return place.text[: offset_of(place.text.split("\n"), place.position)]


def key_of(place: GoalPlace) -> tuple[Path, int, Position]:
    """What stands for a place in a cache: not the text itself, which may be large."""
    return place.path, hash(place.text), place.position


def main_goal(state: ProofState) -> Goal:
    """The first goal. Raises NoGoalHere when the proof is complete."""
    if not state.goals:
        raise NoGoalHere("The proof is complete here: no goals are left.", "Ask before its last tactic.")
    return state.goals[0]


def limits_of(settings: LeanSettings) -> Limits:
    """A session's limits from the settings."""
    limits = Limits(
        start_seconds=settings.start_seconds,
        request_seconds=settings.request_seconds,
        tactic_seconds=settings.tactic_seconds,
        slots=settings.slots,
    )
    return replace(limits, memory_mb=settings.memory_mb) if settings.memory_mb else limits


def premise_item(ranked: RankedPremise) -> PremiseItem:
    """A ranked premise as the documented object has it."""
    premise = ranked.premise
    return PremiseItem(
        name=premise.name,
        statement=premise.statement,
        module=premise.module,
        kind=premise.kind,
        score=round(float(ranked.score), 4),
        in_scope=ranked.in_scope,
        import_line=ranked.import_line,
        doc_url=ranked.doc_url,
    )


def tactic_item(outcome: TacticOutcome) -> TacticItem:
    """An outcome as the documented object has it."""
    goals = outcome.state.goals if outcome.state else ()
    return TacticItem(outcome.tactic, outcome.status, [format_goal(goal) for goal in goals], outcome.message)
