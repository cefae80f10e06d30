"""An evaluation from its plan to its rows."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Protocol

from lean_extract.common.cluster import ClusterOptions
from lean_extract.common.errors import UserError
from lsp_server.evaluation.mathlib import require_mathlib
from lsp_server.evaluation.on_cluster import cluster_workers
from lsp_server.evaluation.plan import EvaluationPlan, ProblemSet, ProvingSetup
from lsp_server.evaluation.preparing import Prepared, describe, opened_prover, prepare, proposers, setup_of
from prover.evaluation.problems import Posed, Problem
from prover.evaluation.proving import keep_proof, stems_of
from prover.evaluation.rows import ProblemRow
from prover.evaluation.run_folder import Results, RunDescription, opened
from prover.evaluation.runner import Task, Worker, run
from prover.generator.source import TacticGenerator


class Watcher(Protocol):
    """Receives the progress of an evaluation."""

    def report(self, stage: str, done: int, total: int) -> None:
        """A preparing stage has made progress."""
        ...

    def begin(self, results: Results, total: int) -> None:
        """The preparation is finished; the argument is the number of rows to come."""
        ...

    def on_row(self, row: ProblemRow) -> None:
        """A problem is done."""
        ...


async def evaluate(
    problems: ProblemSet,
    plan: EvaluationPlan,
    out: Path,
    watcher: Watcher,
    *,
    resume: bool = False,
    limit: int | None = None,
    stop: Event,
    generator: TacticGenerator | None,
    cluster: ClusterOptions | None = None,
) -> None:
    """Prove the problems and write the rows. However it ends, the rows written so far are kept.

    Args:
        limit: how many problems, from the first, are tried now.
        stop: set to end compilation or indexing.
        generator: writes tactics; may be None.
        cluster: processes of Dask that prove in place of this one; None: this one, with `plan.workers` Leans.

    Raises:
        UserError: the plan does not fit the problems, the folder holds something else (`run_folder.opened`).
        LeanError: there is no Lean, or no Mathlib that problems import. ModelError, PremiseIndexError.
        ResultsNotWritten: the folder cannot be written to; what was kept until then stays.
        ClusterLost: the scheduler has gone.
    """
    check(problems, plan)
    prepared = await asyncio.to_thread(prepare, problems, plan, generator, watcher.report, stop)
    description = await asyncio.to_thread(describe, problems, plan, prepared)
    await require_mathlib(problems.posed, problems.project, prepared.toolchain)
    with opened(out, description, resume=resume) as results:
        tasks = left_to_do(problems, plan, results, limit)
        if tasks:
            setup = await asyncio.to_thread(setup_of, problems, plan, prepared, watcher.report, stop)
        watcher.begin(results, description.passes * len(_chosen(problems, limit)))
        if not tasks:
            return

        stems = stems_of(posed.name for posed in problems.posed)
        by_name = {posed.name: posed for posed in problems.posed}

        def on_row(row: ProblemRow) -> None:
            posed = by_name[row.name]
            if row.is_proved and isinstance(posed, Problem):
                keep_proof(results.proofs, stems[row.name], posed, row)
            results.append(stamped(row, description))
            watcher.on_row(row)

        async with AsyncExitStack() as stack:
            if cluster is None:
                workers = await _provers(stack, setup, prepared, min(plan.workers, len(tasks)))
            else:
                workers = await cluster_workers(stack, setup, prepared, cluster, len(tasks))
            await run(tasks, workers, on_row)


async def _provers(
    stack: AsyncExitStack, setup: ProvingSetup, prepared: Prepared, count: int
) -> Sequence[Worker]:
    """Leans of this process, which share an index."""
    proposer_for = await asyncio.to_thread(proposers, setup, prepared)
    return [
        await stack.enter_async_context(opened_prover(setup, prepared, proposer_for)) for _ in range(count)
    ]


def stamped(row: ProblemRow, description: RunDescription) -> ProblemRow:
    """The row with the settings of the run."""
    settings = description.settings
    return replace(
        row,
        retriever=str(settings["retriever"]),
        tactics_from=str(settings["tactics_from"]),
        generator=str(settings["generator"]),
        settings=description.digest,
    )


def check(problems: ProblemSet, plan: EvaluationPlan) -> None:
    """Raise UserError if the plan does not fit the problems."""
    if plan.retriever == "oracle" and not problems.has_proofs:
        raise UserError(
            f"The problems of {problems.name} have no proofs to take an oracle's premises from.",
            "Choose another retriever.",
        )


def left_to_do(problems: ProblemSet, plan: EvaluationPlan, results: Results, limit: int | None) -> list[Task]:
    """The tasks without a row, pass by pass."""
    done = {(row.name, row.pass_number) for row in results.rows}
    return [
        (posed, number)
        for number in range(1, plan.passes + 1)
        for posed in _chosen(problems, limit)
        if (posed.name, number) not in done
    ]


def _chosen(problems: ProblemSet, limit: int | None) -> Sequence[Posed]:
    return problems.posed[:limit]
