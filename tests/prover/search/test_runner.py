"""Workers share the problems; seeds change the order of tactics, and nothing else."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from lean_extract.records import Goal
from prover.search.environment import Proposed, Shuffled
from prover.search.problems import InvalidProblem, Problem
from prover.search.proving import run
from prover.search.run_folder import ProblemRow
from prover.search.theorem import Theorem

GOAL = Goal((), "p → p")


@dataclass
class Meeting:
    """A worker that finishes a problem only once as many are under way as there are workers."""

    barrier: asyncio.Barrier
    done: list[str] = field(default_factory=list)

    async def prove(self, problem: Problem, pass_number: int) -> ProblemRow:
        await self.barrier.wait()
        self.done.append(problem.name)
        return ProblemRow(problem.name, pass_number, "proved")


def problem(name: str) -> Problem:
    return Problem(name, Theorem.stated(Path("A.lean"), "", f"theorem {name} : True"))


async def test_workers_work_side_by_side_and_each_problem_once() -> None:
    barrier = asyncio.Barrier(3)
    workers = [Meeting(barrier) for _ in range(3)]
    rows: list[ProblemRow] = []
    names = [f"p{number}" for number in range(9)]
    async with asyncio.timeout(30):
        await run([(problem(name), 1) for name in names], [one.prove for one in workers], rows.append)
    assert sorted(row.name for row in rows) == names
    assert [len(worker.done) for worker in workers] == [3, 3, 3]


async def test_what_cannot_be_written_ends_all() -> None:
    def full(row: ProblemRow) -> None:
        raise OSError("disk full")

    barrier = asyncio.Barrier(2)
    workers = [Meeting(barrier), Meeting(barrier)]
    async with asyncio.timeout(30):
        with pytest.raises(OSError, match="disk full"):
            await run(
                [(problem(f"p{number}"), 1) for number in range(9)], [one.prove for one in workers], full
            )


async def test_an_invalid_problem_fails_with_its_reason_and_needs_no_worker() -> None:
    rows: list[ProblemRow] = []
    worker = Meeting(asyncio.Barrier(1))
    await run([(InvalidProblem("bad", "no name", "2"), 1), (problem("good"), 1)], [worker.prove], rows.append)
    assert rows == [ProblemRow("bad", 1, "failed", "2", error="no name"), ProblemRow("good", 1, "proved")]
    assert worker.done == ["good"]


class Fixed:
    """Always the same tactics."""

    async def tactics(self, goals: object) -> list[Proposed]:
        return [Proposed(f"t{number}", -0.1 * number) for number in range(20)]


async def test_a_seed_gives_one_order_and_another_seed_another() -> None:
    plain = await Fixed().tactics([GOAL])
    assert await Shuffled(Fixed(), 0).tactics([GOAL]) == plain
    once, again = [await Shuffled(Fixed(), 1).tactics([GOAL]) for _ in range(2)]
    other = await Shuffled(Fixed(), 2).tactics([GOAL])
    elsewhere = await Shuffled(Fixed(), 1).tactics([Goal((), "q")])
    assert once == again
    assert once != other
    assert once != elsewhere
    assert {item.tactic for item in once} == {item.tactic for item in plain}
    before = {item.tactic: item.log_probability for item in plain}
    assert all(item.log_probability <= before[item.tactic] for item in once)
    assert all(math.isfinite(item.log_probability) for item in once)
    assert [item.log_probability for item in once] == sorted((i.log_probability for i in once), reverse=True)
