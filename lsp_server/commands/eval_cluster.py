"""Proves problems on Dask: each worker has a Lean, an index that it opens, and sources of tactics (docs/scale.md).

The process that runs the evaluation hands out problems and keeps the run's folder; workers return rows. A problem of
which the worker died is another one's, and counts as failed once several have died with it.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractContextManager, AsyncExitStack
from dataclasses import dataclass
from functools import partial
from threading import Event
from typing import Any, TypeVar

from lean_extract.common.cluster import ClusterOptions, cluster_client, opened_on_workers, result_of
from lean_extract.common.errors import ClusterLost, PremiseSuggestError, TaskFailed, WorkersDied
from lsp_server.commands.eval_proving import Prepared, ProvingSetup, opened_prover, prepare, proposers
from lsp_server.engine.generators import open_generator
from prover.search.problems import Problem
from prover.search.proving import Worker
from prover.search.run_folder import ProblemRow

Value = TypeVar("Value")


async def cluster_workers(
    stack: AsyncExitStack, setup: ProvingSetup, prepared: Prepared, options: ClusterOptions, tasks: int
) -> Sequence[Worker]:
    """As many workers as there are tasks: which process proves a problem, and when, is the scheduler's to say.

    What they need ends with the stack. Raises UserError, ClusterLost.
    """
    client = await _entered(stack, cluster_client(options))
    models = (_fingerprint(prepared.encoder), _fingerprint(prepared.generator))
    work_of = await _entered(stack, opened_on_workers(client, partial(ProvingProcess, setup, models)))
    worker = ClusterWorker(client, work_of(_prove))
    return [worker] * tasks


async def _entered(stack: AsyncExitStack, manager: AbstractContextManager[Value]) -> Value:
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


@dataclass(slots=True)
class ClusterWorker:
    """Has any process of a cluster prove a problem."""

    client: Any
    work: Callable[[tuple[Problem, int]], ProblemRow]
    has_answered: bool = False
    """Whether any process has given a row: then one that dies dies of its problem, and not at its start."""

    async def prove(self, problem: Problem, pass_number: int) -> ProblemRow:
        """The problem's row.

        Raises ClusterLost, WorkersDied (and no problem was done before), and what a worker raises when it opens its
        Lean or its index.
        """
        found = await result_of(self.client, self.work, (problem, pass_number))
        if isinstance(found, WorkersDied) and not self.has_answered:
            raise found
        if isinstance(found, TaskFailed):
            return ProblemRow(problem.name, pass_number, "failed", problem.level, error=str(found))
        if isinstance(found, PremiseSuggestError):  # the next problem would fail in the same way
            raise found
        self.has_answered = True
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
        generator = (
            None if plan.tactics_from == "templates" else open_generator(plan.generator, plan.download, "cpu")
        )
        prepared = prepare(setup.problems, plan, generator, lambda stage, done, total: None, Event())
        if (_fingerprint(prepared.encoder), _fingerprint(generator)) != models:
            raise ClusterLost(
                "A worker has another model than this machine.", "Install the same models on all machines."
            )
        proposer_for = proposers(setup, prepared)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()  # Lean ends with the thread that started it
        self._proving: asyncio.Task[Any] | None = None
        self._stack = AsyncExitStack()
        try:
            opening = opened_prover(setup, prepared, proposer_for)
            self._prover = self._run(self._stack.enter_async_context(opening))
        except BaseException:
            self._end_loop()
            raise

    def prove(self, problem: Problem, pass_number: int) -> ProblemRow:
        """Prove a problem. Raises LeanNotFound."""
        return self._run(self._proved(problem, pass_number))

    async def _proved(self, problem: Problem, pass_number: int) -> ProblemRow:
        self._proving = asyncio.current_task()
        try:
            return await self._prover.prove(problem, pass_number)
        finally:
            self._proving = None

    def _run(self, work: Coroutine[Any, Any, Value]) -> Value:
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
