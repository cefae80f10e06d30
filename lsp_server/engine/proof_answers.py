"""Makes the answer of a search for a proof: the script, the edits that insert it, and a new Lean's verdict."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

from lean_extract.records import TacticOutcome
from lean_extract.session import LeanSession
from lean_extract.session.live import LiveLean
from lsp_server.engine.goal_places import GoalFound
from lsp_server.engine.items import edit_item, position_item
from lsp_server.engine.peak_memory import PeakMemory
from lsp_server.engine.proof_scripts import ScriptWriter, as_term, edited_file
from lsp_server.engine.proposing import ProjectPremises
from lsp_server.engine.requests import ProveRequest, main_goal
from lsp_server.engine.schema_proofs import ProofAnswer, ProofStatus
from lsp_server.engine.tasks import begun_again, unless_set
from lsp_server.limits import PROOF_CHECK_SECONDS
from prover.search.fresh_lean import FreshLean
from prover.search.partial import proof_at
from prover.search.script import Proof
from prover.search.search import SearchLimits, SearchResult
from prover.search.theorem import CheckedProof, check_file
from prover.search.tree import SearchTree

_UNJUDGED = "cannot be judged"


@dataclass(frozen=True, slots=True)
class ProofAnswers:
    """The answers to one request.

    `root`: the project's. `lean`: judges scripts at the place that was `found`. `peak`: of its memory, to which a new
    Lean is added. `stop`: once it is set, no more is checked.
    """

    root: Path | None
    lean: LiveLean
    found: GoalFound
    request: ProveRequest
    peak: PeakMemory
    stop: asyncio.Event

    async def answered(
        self, answer: ProofAnswer, result: SearchResult, premises: ProjectPremises
    ) -> ProofAnswer:
        """The answer with what a search has found."""
        if result.status != "proved":
            return await self._unfinished(answer, result, premises)
        proof = await self._whole(result.tree)
        outcome = await begun_again(lambda: self._writer.written(proof))
        if outcome is None:
            message = "A proof was found, but Lean does not accept it in the document."
            return replace(answer, status=ProofStatus.NOT_PROVED, message=message)
        proved, goals = proof.ends
        answer = replace(answer, status=ProofStatus.PROVED, proved=proved, goals=goals)
        return await self.shown(answer, self.found.outcome(outcome), premises)

    async def _unfinished(
        self, answer: ProofAnswer, result: SearchResult, premises: ProjectPremises
    ) -> ProofAnswer:
        """The answer with what a search without success has found."""
        found = await self._writer.furthest(result.tree)
        if found is not None:
            proof, outcome = found
            proved, goals = proof.ends
            message = _why(result)
            answer = replace(answer, status=ProofStatus.PARTIAL, proved=proved, goals=goals, message=message)
            return await self.shown(answer, self.found.outcome(outcome), premises)
        if result.status == "failed":
            return replace(answer, status=ProofStatus.FAILED, message=result.reason)
        if self.stop.is_set():
            return answer
        return replace(answer, status=ProofStatus.NOT_PROVED, message=_why(result))

    async def shown(
        self, answer: ProofAnswer, outcome: TacticOutcome, premises: ProjectPremises
    ) -> ProofAnswer:
        """The answer with a script that Lean accepts in the document, once a new Lean has judged it.

        `by exact e` becomes `e` if the new Lean accepts that.
        """
        term = as_term(outcome)
        verdict = await self._verdict(term) if term is not None else None
        if term is not None and verdict is not None and verdict.accepted:
            return replace(await self._with_script(answer, term, premises), checked=True)
        shown, verdict = await self._with_script(answer, outcome, premises), await self._verdict(outcome)
        if verdict is None:
            return shown
        if verdict.is_timeout:
            late = f"Not checked by a new Lean process: {verdict.message}"
            return replace(shown, warnings=[*shown.warnings, late])
        if verdict.accepted:
            return replace(shown, checked=True)
        message = f"A proof was found, but a new Lean process refuses it: {verdict.message}"
        return replace(answer, status=ProofStatus.NOT_PROVED, message=message, proved=0, goals=1)

    async def _with_script(
        self, answer: ProofAnswer, outcome: TacticOutcome, premises: ProjectPremises
    ) -> ProofAnswer:
        assert outcome.edit is not None
        added = outcome.import_edit
        cursor = position_item(outcome.edit.cursor)
        if cursor is not None and added is not None:
            cursor = replace(cursor, line=cursor.line + added.text.count("\n"))
        goal = main_goal(self.found.state)
        return replace(
            answer,
            script=outcome.shown,
            edits=[edit_item(one) for one in (outcome.edit, added) if one is not None],
            cursor=cursor,
            imports=[outcome.import_line] if outcome.import_line else [],
            uses=await asyncio.to_thread(premises.used_by, goal, outcome.shown),
        )

    async def _verdict(self, outcome: TacticOutcome) -> CheckedProof | None:
        """A new Lean's verdict on the edited document; None if none is wanted."""
        if not self.request.check or not isinstance(self.lean, LeanSession) or self.stop.is_set():
            return None
        file = await asyncio.to_thread(edited_file, self.found, outcome)
        started = self.peak.own.add
        fresh = FreshLean(self.lean.toolchain, self.root, PROOF_CHECK_SECONDS, on_start=started)
        return await unless_set(self.stop, check_file(file, fresh))

    async def _whole(self, tree: SearchTree) -> Proof:
        """The proof that was found, without what is not needed."""
        if self.stop.is_set() and tree.proved is not None:
            return proof_at(tree, tree.proved)
        return await self._writer.minimised(tree)

    @property
    def _writer(self) -> ScriptWriter:
        return ScriptWriter(self.lean, self.found, self.request.seconds + SearchLimits().tactic_seconds)


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
    return f"{result.reason} Tactics {unjudged.rstrip('.')}." if unjudged else result.reason
