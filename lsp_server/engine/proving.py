"""Searches for the proof of the goal at a position, and answers with the edit that Lean has judged.

| step | by |
|---|---|
| the goal, and whether it is a proposition | `proof_states.py`, `_hindrance` |
| tactics for each state: all sources of a suggestion | `proposing.py`, which `eval` uses, too |
| the search | `prover.search.search` |
| the script: minimised, in the style of people, as Lean accepts it in the document | `proof_scripts.py` |
| the edits, and a new Lean's verdict on the edited text | `proof_answers.py` |
"""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial

from lean_extract.common.errors import LeanDied, LeanTimeout
from lean_extract.goals import format_goal
from lean_extract.records import Edit, TacticOutcome
from lean_extract.session.document import LeanDocument
from lean_extract.session.live import LiveLean
from lean_extract.session.tactic_sites import declared_name
from lean_extract.session.tactic_spans import WrittenTactics
from lsp_server.engine.goal_places import GoalFound
from lsp_server.engine.peak_memory import PeakMemory, measured
from lsp_server.engine.pipeline import Pipeline
from lsp_server.engine.proof_answers import ProofAnswers
from lsp_server.engine.proof_scripts import ScriptWriter
from lsp_server.engine.proposing import WrittenHere, proposer_at
from lsp_server.engine.request_context import RequestContext
from lsp_server.engine.requests import OnProofProgress, ProveRequest, main_goal
from lsp_server.engine.schema_proofs import ModelUseItem, ProofAnswer, ProofProgress, ProofStatus
from lsp_server.engine.tasks import LeanProgress, OnWaiting, begun_again, unless_set, while_waiting
from lsp_server.engine.with_imports import WithImports
from lsp_server.engine.written_proofs import NO_PROOFS, author_at
from lsp_server.limits import KNOWN_PROOF_SECONDS, PROOF_PROGRESS_SECONDS
from prover.refutation import unless_refuted
from prover.search.environment import LeanEnvironment
from prover.search.memory import ProofMemory, Remembering
from prover.search.partial import furthest
from prover.search.script import forms
from prover.search.search import SearchLimits, SearchResult, search
from prover.search.tree import SearchTree
from prover.search.writer import ProofWriter
from prover.spending import ModelUse

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
    on_waiting: OnWaiting | None = None,
) -> SearchedProof:
    """The result of a search; see `Engine.prove`.

    `memory`: of the searches in the file. `with_imports`: makes copies that import what is not in scope.
    """
    stop = stop or asyncio.Event()
    context.index.preload()
    await context.catch_up()
    context.lean.prepare_ahead(request.position)
    finding = pipeline.states.find(context.lean, request.position)
    if on_waiting is not None:
        if not context.lean.is_running:
            on_waiting(LeanProgress(0, 0))
        finding = while_waiting(finding, partial(context.lean.progress, request.position), on_waiting)
    found = await unless_set(stop, finding)
    if found is None:
        return SearchedProof(ProofAnswer(ProofStatus.STOPPED, ""))
    goal = main_goal(found.state)
    answer = ProofAnswer(
        ProofStatus.STOPPED, format_goal(goal), _declaration(found), warnings=list(found.warnings)
    )
    lean = await context.lean.session()
    async with measured(lean) as peak:
        proving = _Proving(context, request, found, lean, peak, stop, memory, with_imports)
        proved = await proving.run(answer, on_progress)
    answer = replace(proved.answer, memory_mb=round(peak.megabytes), processes=peak.count)
    return replace(proved, answer=answer)


@dataclass(frozen=True, slots=True)
class _Proving:
    """One request, once its goal is known."""

    context: RequestContext
    request: ProveRequest
    found: GoalFound
    lean: LiveLean
    peak: PeakMemory
    stop: asyncio.Event
    memory: ProofMemory
    with_imports: WithImports

    async def run(self, answer: ProofAnswer, on_progress: OnProofProgress | None) -> SearchedProof:
        """The answer: `answer`, which says that the request was stopped, with what is found."""
        if on_progress is not None:
            on_progress(ProofProgress(0.0, self.request.seconds, 0, 0, 0, 1, ""))
        prepared = await unless_set(self.stop, self._proposer(answer.warnings))
        if prepared is None:
            return SearchedProof(answer)
        hindrance = await self._hindrance()
        if hindrance:
            return SearchedProof(replace(answer, status=ProofStatus.NOT_PROVED, message=hindrance))
        known = await self._known()
        seconds = min(self.request.seconds, KNOWN_PROOF_SECONDS) if known else self.request.seconds
        author = author_at(self.context, self.found.asked, prepared.premises, answer.warnings)
        begin = time.monotonic()
        writer = ProofWriter(main_goal(self.found.state), self.stop, SearchLimits(seconds))
        async with writer.at_work(author, LeanEnvironment(self.lean, self.found.asked)):
            result, written = await self._searched(prepared, writer, seconds, on_progress)
        if author is not None:
            answer = replace(answer, model=_use(author.spending.use()))
        if writer.error is not None:
            answer.warnings.append(NO_PROOFS.format(writer.error))
        if isinstance(result, str):
            seconds = round(time.monotonic() - begin, 3)
            return SearchedProof(replace(answer, status=ProofStatus.FALSE, message=result, seconds=seconds))
        self.memory.learn(result)
        found = None
        if result.status != "proved":
            found = known or written or await self._imported(result, answer.warnings, on_progress)
        answer = replace(
            answer,
            seconds=round(time.monotonic() - begin, 3),
            states=result.nodes,
            tactics=result.tactics,
        )
        if found is not None:
            answer = replace(answer, status=ProofStatus.PROVED, proved=1)
            return SearchedProof(await self._answers.shown(answer, found, prepared.premises), result.tree)
        return SearchedProof(await self._answers.answered(answer, result, prepared.premises), result.tree)

    async def _searched(
        self, prepared: WrittenHere, writer: ProofWriter, seconds: float, on_progress: OnProofProgress | None
    ) -> tuple[SearchResult | str, TacticOutcome | None]:
        """The result of the search, or why the goal is false; and a proof that a model has written meanwhile."""
        environment = LeanEnvironment(self.lean, self.found.asked)
        proposer = Remembering(prepared, self.memory)
        watch = None if on_progress is None else _Progress(on_progress, seconds)
        result = await unless_refuted(
            search(environment, proposer, SearchLimits(seconds), stop=writer.ended, on_outcome=watch),
            self.lean,
            self.found.asked,
            self.found.state,
            lambda one: one.status == "proved" or writer.ended.is_set(),
        )
        if isinstance(result, str) or result.status == "proved":
            return result, None
        result, written = await writer.after(result, environment, proposer, watch)
        return result, None if written is None else self.found.outcome(written)

    async def _known(self) -> TacticOutcome | None:
        """What a suggestion has found to close the goal with an import, with the edit of the document."""
        current = await self.context.index.current()
        known = await self.with_imports.known(self.context, self.found, current)
        return self.found.outcome(known) if known is not None and self.request.imports else None

    async def _imported(
        self, result: SearchResult, warnings: list[str], on_progress: OnProofProgress | None
    ) -> TacticOutcome | None:
        """A proof with a premise that needs an import, with the edit of the document; None if none is found.

        The search for it has the time that is left, and half the time of the first one at least.
        """
        if not self.request.imports or self.stop.is_set():
            return None
        seconds = max(self.request.seconds - result.seconds, self.request.seconds / 2)
        if on_progress is not None:
            limit = round(result.seconds + seconds, 1)
            on_progress(replace(_progress(result, limit), imports=True))
        current = await self.context.index.current()
        trying = self.with_imports.closing(self.context, self.found, current, self._in_copy, seconds)
        tried = await unless_set(self.stop, trying)
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
        writer = ScriptWriter(lean, found, limits.seconds + limits.tactic_seconds)
        outcome = await begun_again(lambda: writer.proved(result.tree))
        return [outcome] if outcome is not None else []

    @property
    def _answers(self) -> ProofAnswers:
        return ProofAnswers(self.context.lean.root, self.lean, self.found, self.request, self.peak, self.stop)

    async def _proposer(self, warnings: list[str]) -> WrittenHere:
        return await proposer_at(self.context, self.found.asked, warnings)

    async def _hindrance(self) -> str:
        """Why no proof is to be searched for, as a sentence; empty if one is.

        Raises NoGoalHere, GoalBroken, ProjectBroken where no tactic can be tried.
        """
        at = self.found.asked
        outcomes = self.lean.try_tactics(at.path, at.text, at.position, [_OF_A_PROPOSITION])
        try:
            async with aclosing(outcomes) as stream:
                return "".join([_hindrance_in(one, at.text or "") async for one in stream])
        except (LeanDied, LeanTimeout):  # the search starts it again, or says why not
            return ""


def _use(use: ModelUse) -> ModelUseItem:
    return ModelUseItem(use.requests, use.prompt_tokens, use.answer_tokens, use.seconds, use.is_estimate)


def _hindrance_in(outcome: TacticOutcome, text: str) -> str:
    """What Lean's verdict on `_OF_A_PROPOSITION` in a text says against a search."""
    if outcome.status == "fails" and "ype mismatch" in outcome.message:
        return "The goal is data, not a proposition: any value of its type would do. Give one by hand."
    if outcome.edit is not None and outcome.edit.text != outcome.edit.text.rstrip():
        return (
            "Lean accepts the tactic that is there. Write `sorry` in its place to search for another proof."
        )
    if outcome.edit is not None and _is_followed(outcome.edit, text):
        return "There are tactics below. Write `sorry` in their place, or choose the line of one of them."
    return ""


def _is_followed(edit: Edit, text: str) -> bool:
    """Whether an edit inserts a tactic at the end of a line, above deeper ones."""
    document = LeanDocument(text)
    offset = document.offset(edit.span.start)
    return edit.span.start == edit.span.end and WrittenTactics(document, offset).below(offset) is not None


def _declaration(found: GoalFound) -> str:
    """The name of the declaration around a goal, as written; empty if it has none."""
    document = LeanDocument(found.at.text or "")
    offset = document.offset(found.at.position)
    start, _ = document.declaration(offset)
    return declared_name(document.text, start, offset)


class _Progress:
    """Reports a search, a few times a second at most."""

    def __init__(self, report: OnProofProgress, limit: float) -> None:
        self._report, self._limit = report, limit
        self._last = -PROOF_PROGRESS_SECONDS

    def __call__(self, so_far: SearchResult) -> None:
        if so_far.seconds - self._last < PROOF_PROGRESS_SECONDS:
            return
        self._last = so_far.seconds
        self._report(_progress(so_far, self._limit))


def _progress(so_far: SearchResult, limit: float) -> ProofProgress:
    proof = furthest(so_far.tree)
    proved, goals = proof.ends if proof else (0, 1)
    steps = forms(proof)[0] if proof else ""
    seconds = round(so_far.seconds, 1)
    return ProofProgress(seconds, limit, so_far.nodes, so_far.tactics, proved, goals, steps)
