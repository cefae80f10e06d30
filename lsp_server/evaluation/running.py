"""An evaluation from its plan to its rows."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Protocol

from lean_extract.errors import UserError
from lean_extract.session import LeanLimits, LeanSession
from lean_extract.toolchains.toolchain import Toolchain
from lsp_server.evaluation.mathlib import require_mathlib
from lsp_server.evaluation.plan import EvaluationPlan, ProblemSet
from lsp_server.evaluation.preparing import describe, prepare, proposers
from prover.evaluation.problems import Posed
from prover.evaluation.proving import Prover, stems_of
from prover.evaluation.rows import ProblemRow
from prover.evaluation.run_folder import Results, RunDescription, opened
from prover.evaluation.runner import Task, run
from prover.opening import AnyGenerator


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
    generator: AnyGenerator | None,
) -> None:
    """Prove the problems and write the rows. However it ends, the rows written so far are kept.

    Args:
        limit: how many problems, from the first, are tried now.
        stop: set to end compilation or indexing.
        generator: writes tactics; may be None.

    Raises:
        UserError: the plan does not fit the problems, the folder holds something else (`run_folder.opened`).
        LeanError: there is no Lean, or no Mathlib that problems import. ModelError, PremiseIndexError.
        ResultsNotWritten: the folder cannot be written to; what was kept until then stays.
    """
    check(problems, plan)
    prepared = await asyncio.to_thread(prepare, problems, plan, generator, watcher.report, stop)
    description = await asyncio.to_thread(describe, problems, plan, prepared)
    await require_mathlib(problems.posed, problems.project, prepared.toolchain)
    with opened(out, description, resume=resume) as results:
        tasks = left_to_do(problems, plan, results, limit)
        if tasks:
            proposer_for = await asyncio.to_thread(proposers, problems, plan, prepared, watcher.report, stop)
        watcher.begin(results, description.passes * len(_chosen(problems, limit)))
        if not tasks:
            return

        def on_row(row: ProblemRow) -> None:
            results.append(stamped(row, description))
            watcher.on_row(row)

        stems = stems_of(posed.name for posed in problems.posed)
        async with AsyncExitStack() as stack:
            workers = [
                Prover(
                    await stack.enter_async_context(await _session(problems.project, prepared.toolchain)),
                    prepared.toolchain,
                    problems.project,
                    proposer_for,
                    plan.limits,
                    results.proofs,
                    stems,
                    problems.stated_alone,
                )
                for _ in range(min(plan.workers, len(tasks)))
            ]
            await run(tasks, workers, on_row)


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


async def _session(project: Path, toolchain: Toolchain) -> LeanSession:
    return await LeanSession.start(project, toolchain, LeanLimits())
