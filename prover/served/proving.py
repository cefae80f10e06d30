"""Whole proofs by a model: some are written at once, Lean judges them, and its errors go back to the model."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from lean_extract.records import Goal, TacticOutcome
from prover.limits import MAX_JUDGED_PREFIXES
from prover.search.writer import Judge, WrittenProof
from prover.served.answers import read_answer, steps_of
from prover.served.asked import Asked
from prover.served.client import ModelServer
from prover.served.prompts import Family, Material, fill, form_for
from prover.spending import BudgetSpent, Spending


@dataclass(frozen=True, slots=True)
class ProofPlan:
    """How much a model is asked for one proof: `samples` + `repairs` answers at most."""

    samples: int
    """Proofs that are written at first, by different seeds."""
    repairs: int
    """How often the best of what Lean refused is sent back with Lean's error."""
    prompt_tokens: int
    answer_tokens: int
    """Of one answer."""
    prompts: str = ""
    """A file with the user's own forms; empty: the shipped ones."""
    seed: int = 0
    """The first of the seeds."""


@dataclass(frozen=True, slots=True)
class ModelAuthor:
    """A model at a server as an author of proofs of one theorem. `material`: what fills prompts about a goal."""

    server: ModelServer
    material: Callable[[Goal], Awaitable[Material]]
    plan: ProofPlan
    spending: Spending

    async def write(self, goal: Goal, judge: Judge) -> WrittenProof:
        """See `Author.write`."""
        server = self.server.counted_by(self.spending)
        return await write_proof(server, await self.material(goal), judge, self.plan)


async def write_proof(server: ModelServer, material: Material, judge: Judge, plan: ProofPlan) -> WrittenProof:
    """A proof that Lean accepts, or the beginnings that it accepts. Nothing more is asked once a budget is spent.

    Raises ModelError, and what `judge` raises.
    """
    run = _Run(server, judge, plan)
    asked, seeds = run.asked("proof", material), range(plan.seed, plan.seed + plan.samples)
    writing = [asyncio.create_task(run.judged(replace(asked, seed=seed))) for seed in seeds]
    try:
        for one in asyncio.as_completed(writing):
            await one
            if run.found.proof is not None:
                return run.found
    finally:
        for task in writing:
            task.cancel()
        await asyncio.gather(*writing, return_exceptions=True)
    for _ in range(plan.repairs):
        if run.found.proof is not None or run.found.error is not None or not run.refused:
            break
        _, outcome = max(run.refused, key=lambda one: one[0])
        run.refused = [one for one in run.refused if one[1] is not outcome]
        again = replace(material, proof=outcome.tactic, errors=outcome.message)
        await run.judged(replace(run.asked("repair", again), seed=plan.seed))
    return run.found


class _Run:
    """The writing of one proof."""

    def __init__(self, server: ModelServer, judge: Judge, plan: ProofPlan) -> None:
        self._server, self._judge, self._plan = server, judge, plan
        self._seen: set[str] = set()
        self.found = WrittenProof()
        self.refused: list[tuple[int, TacticOutcome]] = []
        """How many steps of it Lean accepts, and a script that it refused."""

    def asked(self, family: Family, material: Material) -> Asked:
        form = form_for(family, self._server.address.model, self._plan.prompts)
        asked = fill(form, material, self._plan.prompt_tokens)
        return replace(asked, tokens=self._plan.answer_tokens)

    async def judged(self, asked: Asked) -> None:
        """Have an answer written and judged."""
        try:
            answer = await self._server.answer(asked)
        except BudgetSpent as error:  # what was written before is judged all the same
            self.found.error = error
            return
        scripts = read_answer(answer, whole=True)
        new = [script for script in scripts if script not in self._seen]
        self._seen.update(new)
        for outcome in await self._judge(new) if new else ():
            if outcome.status == "closes" and not outcome.rests_on_sorry:
                self.found.proof = self.found.proof or outcome
            elif outcome.status in ("fails", "timeout"):
                self.refused.append((await self._beginning(outcome.tactic), outcome))

    async def _beginning(self, script: str) -> int:
        """How many steps of a refused proof Lean accepts; the beginning is kept if it leaves goals."""
        steps = steps_of(script)[:MAX_JUDGED_PREFIXES]
        beginnings = ["\n".join(steps[:count]) for count in range(1, len(steps))]
        outcomes = {one.tactic: one for one in await self._judge(beginnings)} if beginnings else {}
        for count in range(len(beginnings), 0, -1):
            text = beginnings[count - 1]
            if text in outcomes and outcomes[text].status == "progress":
                self.found.beginnings.append(text)
                return count
        return 0
