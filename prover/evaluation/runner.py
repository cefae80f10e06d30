"""Many problems on several Leans: each worker takes the next problem when it has finished one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from prover.evaluation.problems import Posed
from prover.evaluation.rows import ProblemRow

Task = tuple[Posed, int]
"""A problem and the number of the pass, from 1."""


class Worker(Protocol):
    """Proves one problem at a time."""

    async def prove(self, posed: Posed, pass_number: int) -> ProblemRow:
        """Try to prove the problem; returns its row."""
        ...


async def run(tasks: Iterable[Task], workers: Sequence[Worker], on_row: Callable[[ProblemRow], None]) -> None:
    """Give each task to the next free worker; `on_row` is called with each row as soon as it is there.

    An exception of a worker or of `on_row` stops the other workers, too, and so does cancellation. A problem
    that is unfinished then has no row.
    """
    waiting = iter(tasks)

    async def work(worker: Worker) -> None:
        for posed, pass_number in waiting:
            on_row(await worker.prove(posed, pass_number))

    running = [asyncio.create_task(work(worker)) for worker in workers]
    try:
        await asyncio.gather(*running)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
