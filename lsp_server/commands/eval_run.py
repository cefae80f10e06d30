"""An evaluation from its plan to its rows, with its progress on a terminal, until it is done or stopped.

Problems are proved by Leans of this process, or on Dask (docs/scale.md): there each worker has a Lean, an index that
it opens, and sources of tactics. This process hands out problems and keeps the run's folder; workers return rows. If a
worker dies, another one gets its problem; a problem counts as failed once several workers have died with it.
"""

from __future__ import annotations

import asyncio
import contextvars
import shutil
import signal
import sys
import threading
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any, TypeVar

from tqdm import tqdm

from lean_extract.common.cluster import ClusterOptions, cluster_client, opened_on_workers, result_of
from lean_extract.common.errors import ClusterLost, PremiseSuggestError, TaskFailed, UserError, WorkersDied
from lean_extract.toolchains.compile import CompilationStopped
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
from lsp_server.engine.generators import open_generator
from lsp_server.rendering.progress_bar import ProgressBar
from prover.generator.source import TacticGenerator
from prover.search.problems import Problem
from prover.search.proving import Prove, Task, keep_proof, run, stems_of
from prover.search.run_folder import ProblemRow, Results, opened
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
        if prepared.server is not None:
            await prepared.server.models()  # rather no answer now than after the index is built
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
        settings = results.description.settings

        def on_row(row: ProblemRow) -> None:
            posed = by_name[row.name]
            if row.is_proved and isinstance(posed, Problem):
                keep_proof(results.proofs, stems[row.name], posed, row)
            row = replace(
                row,
                retriever=str(settings["retriever"]),
                tactics_from=str(settings["tactics_from"]),
                generator=str(settings["generator"]),
                settings=results.description.digest,
            )
            results.append(row)
            self.watcher.on_row(row)

        async with AsyncExitStack() as stack:
            if self.cluster is None:
                workers = await _on_leans(stack, setup, prepared, min(self.plan.workers, len(tasks)))
            else:  # The scheduler decides which process proves a problem, and when.
                workers = [await _on_cluster(stack, setup, prepared, self.cluster)] * len(tasks)
            await run(tasks, workers, on_row)


async def _on_leans(
    stack: AsyncExitStack, setup: ProvingSetup, prepared: Prepared, count: int
) -> list[Prove]:
    """Leans of this process, which share an index."""
    sources = await asyncio.to_thread(proposers, setup, prepared)
    opened_provers = (opened_prover(setup, prepared, sources) for _ in range(count))
    return [await stack.enter_async_context(one) for one in opened_provers]


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


_Value = TypeVar("_Value")


async def _on_cluster(
    stack: AsyncExitStack, setup: ProvingSetup, prepared: Prepared, options: ClusterOptions
) -> Prove:
    """A function that proves a problem in any process of a cluster, which ends with the stack.

    Raises UserError, ClusterLost. The function raises ClusterLost, WorkersDied (if no problem was done before), and
    what a process raises when it opens its Lean or its index.
    """
    client = await _entered(stack, cluster_client(options))
    models = (_fingerprint(prepared.encoder), _fingerprint(prepared.generator))
    work_of = await _entered(stack, opened_on_workers(client, partial(ProvingProcess, setup, models)))
    work = work_of(_prove)
    has_answered = (
        False  # From then on, a process that dies does so because of its problem, not at its start.
    )

    async def prove(problem: Problem, pass_number: int) -> ProblemRow:
        nonlocal has_answered
        found = await result_of(client, work, (problem, pass_number))
        if isinstance(found, WorkersDied) and not has_answered:
            raise found
        if isinstance(found, TaskFailed):
            return ProblemRow(problem.name, pass_number, "failed", problem.level, error=str(found))
        if isinstance(found, PremiseSuggestError):  # the next problem would fail in the same way
            raise found
        has_answered = True
        return found

    return prove


async def _entered(stack: AsyncExitStack, manager: AbstractContextManager[_Value]) -> _Value:
    """Enter a context manager that waits for other processes, and leave it with the stack, in threads.

    Both see the same context variables: Dask sets some and sets them back.
    """
    loop, variables = asyncio.get_running_loop(), contextvars.copy_context()

    async def leave() -> None:
        await loop.run_in_executor(None, variables.run, manager.__exit__, None, None, None)

    entering = loop.run_in_executor(None, variables.run, manager.__enter__)
    try:
        found = await asyncio.shield(entering)
    except asyncio.CancelledError:
        await asyncio.wait([entering])
        if entering.exception() is None:
            await leave()
        raise
    stack.push_async_callback(leave)
    return found


class ProvingProcess:
    """One worker's Lean, index and sources of tactics, on an event loop of its own.

    Args:
        setup: what problems are proved with.
        models: the fingerprints of encoder and generator where the evaluation was begun.

    Raises LeanError, ModelError, PremiseIndexError, and ClusterLost: the worker has other models.
    """

    def __init__(self, setup: ProvingSetup, models: tuple[str, str]) -> None:
        plan = setup.plan
        generator = open_generator(plan.generator, plan.download, "cpu") if plan.has_generator else None
        prepared = prepare(setup.problems, plan, generator, lambda stage, done, total: None, Event())
        if (_fingerprint(prepared.encoder), _fingerprint(generator)) != models:
            raise ClusterLost(
                "A worker has another model than this machine.", "Install the same models on all machines."
            )
        sources = proposers(setup, prepared)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()  # Lean ends with the thread that started it
        self._proving: asyncio.Task[Any] | None = None
        self._stack = AsyncExitStack()
        try:
            opening = opened_prover(setup, prepared, sources)
            self._prove = self._run(self._stack.enter_async_context(opening))
        except BaseException:
            self._end_loop()
            raise

    def prove(self, problem: Problem, pass_number: int) -> ProblemRow:
        """Prove a problem. Raises LeanNotFound, ModelUnreachable."""
        return self._run(self._proved(problem, pass_number))

    async def _proved(self, problem: Problem, pass_number: int) -> ProblemRow:
        self._proving = asyncio.current_task()
        try:
            return await self._prove(problem, pass_number)
        finally:
            self._proving = None

    def _run(self, work: Coroutine[Any, Any, _Value]) -> _Value:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def close(self) -> None:
        """End what is being proved, and Lean."""
        try:
            self._run(self._ended())
        finally:
            self._end_loop()

    def _end_loop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _ended(self) -> None:
        if (proving := self._proving) is not None:
            proving.cancel()
            await asyncio.wait([proving])
        await self._stack.aclose()


def _prove(process: ProvingProcess, task: tuple[Problem, int]) -> ProblemRow:
    return process.prove(*task)


def _fingerprint(model: Any) -> str:
    return str(model.fingerprint) if model is not None else ""
