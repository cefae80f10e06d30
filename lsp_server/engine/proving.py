"""Searches for the proof of the goal at a position, and answers with the edit that Lean has judged.

| step | by |
|---|---|
| the goal, and whether it is a proposition | `proof_states.py`, `_is_data` |
| tactics for each state: all sources of a suggestion | `proposing.py`, which `eval` uses, too |
| the search | `prover.search.search` |
| the script: minimised, in the style of people, as Lean accepts it in the document | `proof_scripts.py` |
| a new Lean's verdict on the edited text | `prover.search.theorem.check_file` |
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from lean_extract.common.errors import LeanDied, LeanTimeout
from lean_extract.goals import format_goal
from lean_extract.records import Goal, TacticOutcome
from lean_extract.session import LeanSession
from lean_extract.session.document import LeanDocument
from lean_extract.session.live import LiveLean
from lean_extract.session.tactic_sites import declared_name
from lsp_server.engine.goal_places import GoalFound
from lsp_server.engine.items import edit_item, position_item
from lsp_server.engine.peak_memory import PeakMemory, measured
from lsp_server.engine.pipeline import Pipeline
from lsp_server.engine.proof_scripts import ScriptWriter, edited_file
from lsp_server.engine.proposing import ProjectPremises, WrittenHere, proposer_at
from lsp_server.engine.request_context import RequestContext
from lsp_server.engine.requests import OnProofProgress, ProveRequest, main_goal
from lsp_server.engine.schema_proofs import ProofAnswer, ProofProgress, ProofStatus
from lsp_server.engine.with_imports import WithImports
from lsp_server.limits import PROOF_CHECK_SECONDS, PROOF_PROGRESS_SECONDS
from prover.refutation import unless_refuted
from prover.search.environment import LeanEnvironment
from prover.search.fresh_lean import FreshLean
from prover.search.memory import ProofMemory, Remembering
from prover.search.partial import furthest, proof_at
from prover.search.script import Proof, forms
from prover.search.search import SearchLimits, SearchResult, search
from prover.search.theorem import CheckedProof, check_file
from prover.search.tree import SearchTree

_Result = TypeVar("_Result")

_OF_A_PROPOSITION = "refine (fun (_ : True) => (?_ : (_ : Prop))) True.intro"
"""It is accepted for every goal that is a proposition, and for no other."""


@dataclass(frozen=True, slots=True)
class SearchedProof:
    """The answer of a search, and its tree, for a picture; None where nothing was searched."""

    answer: ProofAnswer
    tree: SearchTree | None = None


async def prove(
    context: RequestContext,
    pipeline: Pipeline,
    request: ProveRequest,
    on_progress: OnProofProgress | None,
    stop: asyncio.Event | None,
    memory: ProofMemory,
    with_imports: WithImports,
) -> SearchedProof:
    """The result of a search; see `Engine.prove`.

    `memory`: of the searches in the file. `with_imports`: makes copies that import what is not in scope.
    """
    stop = stop or asyncio.Event()
    context.index.preload()
    await context.catch_up()
    context.lean.prepare_ahead(request.position)
    found = await _unless(stop, pipeline.states.find(context.lean, request.position))
    if found is None:
        return SearchedProof(ProofAnswer(ProofStatus.STOPPED, ""))
    goal = main_goal(found.state)
    answer = ProofAnswer(
        ProofStatus.STOPPED, format_goal(goal), _declaration(found), warnings=list(found.warnings)
    )
    lean = await context.lean.session()
    async with measured(lean) as peak:
        proving = _Proving(context, pipeline, request, found, goal, lean, peak, stop, memory, with_imports)
        proved = await proving.run(answer, on_progress)
    answer = replace(proved.answer, memory_mb=round(peak.megabytes), processes=peak.count)
    return replace(proved, answer=answer)


@dataclass(frozen=True, slots=True)
class _Proving:
    """One request, once its goal is known."""

    context: RequestContext
    pipeline: Pipeline
    request: ProveRequest
    found: GoalFound
    goal: Goal
    lean: LiveLean
    peak: PeakMemory
    stop: asyncio.Event
    memory: ProofMemory
    with_imports: WithImports

    async def run(self, answer: ProofAnswer, on_progress: OnProofProgress | None) -> SearchedProof:
        """The answer: `answer`, which says that the request was stopped, with what is found."""
        prepared = await _unless(self.stop, self._proposer(answer.warnings))
        if prepared is None:
            return SearchedProof(answer)
        if await self._is_data():
            message = "The goal is data, not a proposition: any value of its type would do. Give one by hand."
            return SearchedProof(replace(answer, status=ProofStatus.NOT_PROVED, message=message))
        limits = SearchLimits(self.request.seconds)
        environment = LeanEnvironment(self.lean, self.found.asked)
        proposer = Remembering(prepared, self.memory)
        watch = None if on_progress is None else _Progress(on_progress, limits.seconds)
        begin = time.monotonic()
        result = await unless_refuted(
            search(environment, proposer, limits, stop=self.stop, on_outcome=watch),
            self.lean,
            self.found.asked,
            self.found.state,
            lambda one: one.status == "proved" or self.stop.is_set(),
        )
        if isinstance(result, str):
            seconds = round(time.monotonic() - begin, 3)
            return SearchedProof(replace(answer, status=ProofStatus.FALSE, message=result, seconds=seconds))
        self.memory.learn(result)
        found = await self._imported(result, answer.warnings) if result.status != "proved" else None
        answer = replace(
            answer,
            seconds=round(time.monotonic() - begin, 3),
            states=result.nodes,
            tactics=result.tactics,
        )
        if found is not None:
            answer = replace(answer, status=ProofStatus.PROVED, proved=1)
            return SearchedProof(await self._shown(answer, found, prepared.premises), result.tree)
        return SearchedProof(await self._answered(answer, result, prepared.premises), result.tree)

    async def _imported(self, result: SearchResult, warnings: list[str]) -> TacticOutcome | None:
        """A proof with a premise that needs an import, with the edit of the document; None if none is found.

        The search for it has the time that is left, and half the time of the first one at least.
        """
        if not self.request.imports or self.stop.is_set():
            return None
        seconds = max(self.request.seconds - result.seconds, self.request.seconds / 2)
        current = await self.context.index.current()
        trying = self.with_imports.closing(self.context, self.found, current, self._in_copy, seconds)
        tried = await _unless(self.stop, trying)
        if tried is None:
            return None
        warnings += tried.warnings
        return next(map(self.found.outcome, tried.outcomes), None)

    async def _in_copy(self, second: RequestContext, found: GoalFound) -> list[TacticOutcome]:
        """What a search finds in a copy that imports more, with the edit of that. Raises as `proposer_at`."""
        lean = await second.lean.session()
        copy = replace(self, context=second, found=found, lean=lean)
        limits = SearchLimits(self.request.seconds)
        prepared = await copy._proposer([])
        result = await search(LeanEnvironment(lean, found.asked), prepared, limits, stop=self.stop)
        if result.status != "proved":
            return []
        writer = ScriptWriter(lean, found, limits.seconds)
        outcome = await copy._written(writer, await copy._whole(result.tree, writer))
        return [outcome] if outcome is not None else []

    async def _answered(
        self, answer: ProofAnswer, result: SearchResult, premises: ProjectPremises
    ) -> ProofAnswer:
        unfinished = furthest(result.tree) if result.status != "proved" else None
        if result.status == "failed" and unfinished is None:
            return replace(answer, status=ProofStatus.FAILED, message=result.reason)
        if result.status != "proved" and unfinished is None:
            status = ProofStatus.STOPPED if self.stop.is_set() else ProofStatus.NOT_PROVED
            return replace(answer, status=status, message=_why(result))
        seconds = self.request.seconds + SearchLimits().tactic_seconds
        writer = ScriptWriter(self.lean, self.found, seconds)
        proof = unfinished or await self._whole(result.tree, writer)
        outcome = await self._written(writer, proof)
        if outcome is None or outcome.edit is None:
            refused = "A proof was found, but Lean does not accept it in the document."
            message = _why(result) if unfinished else refused
            return replace(answer, status=ProofStatus.NOT_PROVED, message=message)
        proved, goals = proof.ends
        status = ProofStatus.PARTIAL if unfinished else ProofStatus.PROVED
        message = _why(result) if unfinished else ""
        answer = replace(answer, status=status, proved=proved, goals=goals, message=message)
        return await self._shown(answer, self.found.outcome(outcome), premises)

    async def _shown(
        self, answer: ProofAnswer, outcome: TacticOutcome, premises: ProjectPremises
    ) -> ProofAnswer:
        """The answer with a script that Lean accepts in the document, once it is checked."""
        assert outcome.edit is not None
        added = outcome.import_edit
        cursor = position_item(outcome.edit.cursor)
        if cursor is not None and added is not None:
            cursor = replace(cursor, line=cursor.line + added.text.count("\n"))
        shown = replace(
            answer,
            script=outcome.shown,
            edits=[edit_item(one) for one in (outcome.edit, added) if one is not None],
            cursor=cursor,
            imports=[outcome.import_line] if outcome.import_line else [],
            uses=await asyncio.to_thread(premises.used_by, self.goal, outcome.shown),
        )
        return await self._checked(answer, shown, outcome)

    async def _whole(self, tree: SearchTree, writer: ScriptWriter) -> Proof:
        """The proof that was found, without what is not needed."""
        assert tree.proved is not None
        if self.stop.is_set():
            return proof_at(tree, tree.proved)
        states = [tree.nodes[one].state for one in tree.ancestry(tree.proved)]
        return await writer.minimised(tree.path(tree.proved), states)

    async def _written(self, writer: ScriptWriter, proof: Proof) -> TacticOutcome | None:
        try:
            return await writer.written(proof)
        except LeanDied:  # perhaps under another request; the session starts it again
            return await writer.written(proof)

    async def _checked(self, blank: ProofAnswer, shown: ProofAnswer, outcome: TacticOutcome) -> ProofAnswer:
        """The answer after a new Lean's verdict, if one is wanted. `blank`: the answer without what was found."""
        if not self.request.check or not isinstance(self.lean, LeanSession) or self.stop.is_set():
            return shown
        file = await asyncio.to_thread(edited_file, self.found, outcome)
        fresh = FreshLean(
            self.lean.toolchain, self.context.lean.root, PROOF_CHECK_SECONDS, on_start=self.peak.own.add
        )
        verdict: CheckedProof | None = await _unless(self.stop, check_file(file, fresh))
        if verdict is None:
            return shown
        if verdict.is_timeout:
            return replace(
                shown, warnings=[*shown.warnings, f"Not checked by a new Lean process: {verdict.message}"]
            )
        if verdict.accepted:
            return replace(shown, checked=True)
        message = f"A proof was found, but a new Lean process refuses it: {verdict.message}"
        return replace(blank, status=ProofStatus.NOT_PROVED, message=message, proved=0, goals=1)

    async def _proposer(self, warnings: list[str]) -> WrittenHere:
        return await proposer_at(self.context, self.found.asked, warnings)

    async def _is_data(self) -> bool:
        """Whether the goal is no proposition, so that a search would find any value of its type.

        Raises NoGoalHere, GoalBroken, ProjectBroken where no tactic can be tried.
        """
        at = self.found.asked
        outcomes = self.lean.try_tactics(at.path, at.text, at.position, [_OF_A_PROPOSITION])
        try:
            async with aclosing(outcomes) as stream:
                return any([_is_mismatch(one) async for one in stream])
        except (LeanDied, LeanTimeout):  # the search starts it again, or says why not
            return False


async def _unless(stop: asyncio.Event, work: Coroutine[Any, Any, _Result]) -> _Result | None:
    """The result of work, which is cancelled when the event is set; None then."""
    task, stopped = asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait([task, stopped], return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else None
    finally:
        stopped.cancel()
        if not task.done():
            task.cancel()
            await asyncio.wait([task])


def _is_mismatch(outcome: TacticOutcome) -> bool:
    return outcome.status == "fails" and "ype mismatch" in outcome.message


def _declaration(found: GoalFound) -> str:
    """The name of the declaration around a goal, as written; empty if it has none."""
    document = LeanDocument(found.at.text or "")
    offset = document.offset(found.at.position)
    start, _ = document.declaration(offset)
    return declared_name(document.text, start, offset)


def _why(result: SearchResult) -> str:
    """Why there is no proof, as a sentence."""
    unjudged = next(
        (
            one.message
            for node in result.tree.nodes
            for one in node.attempts
            if one.message.startswith(_UNJUDGED)
        ),
        "",
    )
    reason = f"{result.reason} Tactics {unjudged.rstrip('.')}." if unjudged else result.reason
    return f"No proof was found. {reason}"


_UNJUDGED = "cannot be judged"


class _Progress:
    """Reports a search, a few times a second at most."""

    def __init__(self, report: OnProofProgress, limit: float) -> None:
        self._report, self._limit = report, limit
        self._last = -PROOF_PROGRESS_SECONDS

    def __call__(self, so_far: SearchResult) -> None:
        if so_far.seconds - self._last < PROOF_PROGRESS_SECONDS:
            return
        self._last = so_far.seconds
        proof = furthest(so_far.tree)
        proved, goals = proof.ends if proof else (0, 1)
        steps = forms(proof)[0] if proof else ""
        self._report(
            ProofProgress(
                round(so_far.seconds, 1), self._limit, so_far.nodes, so_far.tactics, proved, goals, steps
            )
        )
