"""Many problems on several Leans: each worker takes the next one when it is done with the last."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from prover.evaluation.problems import Posed
from prover.evaluation.rows import ProblemRow

Task = tuple[Posed, int]
"""A problem and the number of the pass, from 1."""


class Worker(Protocol):
    """What proves one problem at a time."""

    async def prove(self, posed: Posed, pass_number: int) -> ProblemRow:
        """What becomes of it."""
        ...


async def run(tasks: Iterable[Task], workers: Sequence[Worker], heard: Callable[[ProblemRow], None]) -> None:
    """Give each task to the next free worker; `heard` is given each row as soon as there is one.

    What a worker or `heard` raises ends the others, too, as does being cancelled: a problem that is not
    done then has no row.
    """
    waiting = iter(tasks)

    async def work(worker: Worker) -> None:
        for posed, pass_number in waiting:
            heard(await worker.prove(posed, pass_number))

    running = [asyncio.create_task(work(worker)) for worker in workers]
    try:
        await asyncio.gather(*running)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
