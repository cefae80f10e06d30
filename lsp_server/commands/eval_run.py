"""An evaluation from its plan to its rows, with its progress on a terminal, until it is done or stopped."""

from __future__ import annotations

import asyncio
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event

from tqdm import tqdm

from lean_extract.common.cluster import ClusterOptions
from lean_extract.common.errors import UserError
from lean_extract.toolchains.compile import CompilationStopped
from lsp_server.commands.eval_cluster import cluster_workers
from lsp_server.commands.eval_proving import (
    EvaluationPlan,
    Prepared,
    ProvingSetup,
    describe,
    opened_prover,
    prepare,
    proposers,
    setup_of,
)
from lsp_server.rendering.progress_bar import ProgressBar
from prover.generator.source import TacticGenerator
from prover.search.problems import Problem
from prover.search.proving import Task, Worker, keep_proof, run, stems_of
from prover.search.run_folder import ProblemRow, Results, RunDescription, opened
from prover.search.sets import ProblemSet, require_mathlib


class Watching:
    """Progress bars while preparing and while proving, with the pass rate so far."""

    def __init__(self, *, quiet: bool) -> None:
        self._hidden = quiet or not sys.stderr.isatty()
        self._preparing = ProgressBar(quiet=quiet)
        self._proving: tqdm = tqdm(disable=True)
        self._proved = 0
        self.complaints: list[str] = []

    def __enter__(self) -> Watching:
        return self

    def __exit__(self, *_: object) -> None:
        self._preparing.__exit__()
        self._proving.close()

    def report(self, stage: str, done: int, total: int) -> None:
        """Report progress of a preparing stage."""
        self._preparing.report(stage, done, total)

    def begin(self, results: Results, total: int) -> None:
        """Start the bar for the problems; `total` is the number of rows to come to."""
        self._preparing.__exit__()
        self.complaints = results.complaints
        self._proved = sum(row.is_proved for row in results.rows)
        self._proving = tqdm(
            desc="Proving",
            total=max(total, len(results.rows)),
            initial=len(results.rows),
            unit=" problems",
            file=sys.stderr,
            disable=self._hidden,
            ncols=min(shutil.get_terminal_size((100, 40)).columns, 100),
        )
        self._show()

    def on_row(self, row: ProblemRow) -> None:
        """Count a finished problem."""
        self._proved += row.is_proved
        self._proving.update(1)
        self._show()

    def _show(self) -> None:
        if not self._hidden and self._proving.n:
            percent = 100 * self._proved / self._proving.n
            self._proving.set_postfix_str(f"proved {self._proved}, {percent:.1f}%")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Proves problems by a plan and writes the rows to the folder `out`.

    However it ends, the rows written so far are kept. `generator`: writes tactics; may be None. `cluster`: processes
    of Dask that prove in place of this one; None: this one, with `plan.workers` Leans. `limit`: how many problems,
    from the first, are tried now.
    """

    problems: ProblemSet
    plan: EvaluationPlan
    out: Path
    watcher: Watching
    generator: TacticGenerator | None
    cluster: ClusterOptions | None
    resume: bool
    limit: int | None
    _stop: Event = field(default_factory=Event)

    def run(self) -> bool:
        """Whether the evaluation finished; False after Ctrl-C or SIGTERM.

        Raises:
            UserError: the plan does not fit the problems, the folder holds something else (`run_folder.opened`).
            LeanError: there is no Lean, or no Mathlib that problems import. ModelError, PremiseIndexError.
            ResultsNotWritten: the folder cannot be written to; what was kept until then stays.
            ClusterLost: the scheduler no longer answers.
        """
        return asyncio.run(self._until_stopped())

    async def _until_stopped(self) -> bool:
        task = asyncio.create_task(self._run())
        with _cancelled_by_signals(task, self._stop):
            try:
                await task
            except (asyncio.CancelledError, CompilationStopped):
                if self._stop.is_set():
                    return False
                raise
        return True

    async def _run(self) -> None:
        problems, plan = self.problems, self.plan
        if plan.retriever == "oracle" and not problems.has_proofs:
            raise UserError(
                f"The problems of {problems.name} have no proofs to take an oracle's premises from.",
                "Choose another retriever.",
            )
        watched = self.watcher.report, self._stop
        prepared = await asyncio.to_thread(prepare, problems, plan, self.generator, *watched)
        description = await asyncio.to_thread(describe, problems, plan, prepared)
        await require_mathlib(problems.posed, problems.project, prepared.toolchain)
        with opened(self.out, description, resume=self.resume) as results:
            tasks = self._left_to_do(results)
            if tasks:
                setup = await asyncio.to_thread(setup_of, problems, plan, prepared, *watched)
            self.watcher.begin(results, description.passes * len(problems.posed[: self.limit]))
            if tasks:
                await self._prove(tasks, setup, prepared, results)

    def _left_to_do(self, results: Results) -> list[Task]:
        """The tasks without a row, pass by pass."""
        done = {(row.name, row.pass_number) for row in results.rows}
        return [
            (posed, number)
            for number in range(1, self.plan.passes + 1)
            for posed in self.problems.posed[: self.limit]
            if (posed.name, number) not in done
        ]

    async def _prove(
        self, tasks: Sequence[Task], setup: ProvingSetup, prepared: Prepared, results: Results
    ) -> None:
        stems = stems_of(posed.name for posed in self.problems.posed)
        by_name = {posed.name: posed for posed in self.problems.posed}

        def on_row(row: ProblemRow) -> None:
            posed = by_name[row.name]
            if row.is_proved and isinstance(posed, Problem):
                keep_proof(results.proofs, stems[row.name], posed, row)
            results.append(stamped(row, results.description))
            self.watcher.on_row(row)

        async with AsyncExitStack() as stack:
            if self.cluster is None:
                count = min(self.plan.workers, len(tasks))
                workers = await _provers(stack, setup, prepared, count)
            else:
                workers = await cluster_workers(stack, setup, prepared, self.cluster, len(tasks))
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


@contextmanager
def _cancelled_by_signals(task: asyncio.Task[None], stop: Event) -> Iterator[None]:
    """The first Ctrl-C or SIGTERM cancels the task; the previous signal handlers are then restored."""
    loop = asyncio.get_running_loop()
    numbers = (signal.SIGINT, signal.SIGTERM)

    def ask() -> None:
        stop.set()
        task.cancel()
        for number in numbers:
            loop.remove_signal_handler(number)
        print("\nStopping ...", file=sys.stderr)

    with suppress(NotImplementedError):  # Windows: Ctrl-C is a KeyboardInterrupt there
        for number in numbers:
            loop.add_signal_handler(number, ask)
    try:
        yield
    finally:
        with suppress(NotImplementedError):
            for number in numbers:
                loop.remove_signal_handler(number)
