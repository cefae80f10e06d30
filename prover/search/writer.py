"""A proof that a model writes while a search for one runs, and the search that goes on from what it has begun."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Protocol

from lean_extract.common.errors import PremiseSuggestError
from lean_extract.records import Goal, TacticOutcome
from prover.search.environment import ProofEnvironment, Proposer, Seeded
from prover.search.search import OnSearched, SearchLimits, SearchResult, search
from prover.spending import Spending

Judge = Callable[[Sequence[str]], Awaitable[Sequence[TacticOutcome]]]
"""Lean's verdicts on scripts for the goal, in any order."""


@dataclass(slots=True)
class WrittenProof:
    """What came of the writing."""

    proof: TacticOutcome | None = None
    beginnings: list[str] = field(default_factory=list)
    """Beginnings of refused proofs that Lean accepts and that leave goals, the longest of each."""
    error: PremiseSuggestError | None = None
    """What kept the model from writing more."""


class Author(Protocol):
    """A model that writes proofs of one theorem."""

    @property
    def spending(self) -> Spending:
        """Counts what that takes."""
        ...

    async def write(self, goal: Goal, judge: Judge) -> WrittenProof:
        """A proof that Lean accepts, or beginnings that it accepts. Raises PremiseSuggestError."""
        ...


class ProofWriter:
    """The writing for one search. Where there is no author, nothing comes of it.

    `ended`: set when the search may stop: a proof was written, or `stop` is set.
    """

    def __init__(self, goal: Goal, stop: asyncio.Event, limits: SearchLimits) -> None:
        self.ended = stop
        self.found = WrittenProof()
        self._goal, self._stop, self._limits = goal, stop, limits
        self._end = time.monotonic() + limits.seconds
        self._writing: asyncio.Task[None] | None = None

    @property
    def error(self) -> PremiseSuggestError | None:
        """Why there is no proof by the model, if something kept it from writing."""
        return None if self.found.proof is not None else self.found.error

    @property
    def _left(self) -> float:
        return max(self._end - time.monotonic(), 0.0)

    @asynccontextmanager
    async def at_work(
        self, author: Author | None, environment: ProofEnvironment
    ) -> AsyncGenerator[None, None]:
        """A context in which the author writes, and Lean judges it in the environment."""
        if author is None:
            yield
            return
        self.ended = asyncio.Event()
        self._writing = asyncio.create_task(self._write(author, environment))
        stopping = asyncio.create_task(self._stop_with())
        try:
            yield
        finally:
            for task in (self._writing, stopping):
                task.cancel()
            await asyncio.gather(self._writing, stopping, return_exceptions=True)

    async def _write(self, author: Author, environment: ProofEnvironment) -> None:
        async def judged(scripts: Sequence[str]) -> list[TacticOutcome]:
            outcomes = environment.run((), scripts, timeout=self._limits.tactic_seconds)
            async with aclosing(outcomes) as stream:
                return [one async for one in stream]

        try:
            self.found = await author.write(self._goal, judged)
        except PremiseSuggestError as error:  # the search may find a proof without it
            self.found = WrittenProof(error=error)
        if self.found.proof is not None:
            self.ended.set()

    async def _stop_with(self) -> None:
        await self._stop.wait()
        self.ended.set()

    async def after(
        self,
        result: SearchResult,
        environment: ProofEnvironment,
        proposer: Proposer,
        on_outcome: OnSearched | None = None,
    ) -> tuple[SearchResult, TacticOutcome | None]:
        """What follows a search without a proof: the model's proof, awaited while there is time, or else a search
        from what it has begun, whose result has what both searches took."""
        if self._stop.is_set() or self._writing is None:
            return result, None
        stopped = asyncio.ensure_future(self._stop.wait())
        await asyncio.wait([self._writing, stopped], timeout=self._left, return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        if self._writing.done():
            self._writing.result()  # an error that nobody expects is not lost
        found, left = self.found, self._left
        if result.status == "exhausted" and not left:
            result = replace(result, status="limit", reason=f"Time ran out ({self._limits.seconds:g} s).")
        if found.proof is not None or not found.beginnings or not left or self._stop.is_set():
            return result, found.proof
        seeded = Seeded(proposer, self._goal, tuple(found.beginnings))
        limits = replace(self._limits, seconds=left)
        again = await search(environment, seeded, limits, stop=self._stop, on_outcome=on_outcome)
        seconds = result.seconds + again.seconds
        nodes, tactics = result.nodes + again.nodes, result.tactics + again.tactics
        return replace(again, seconds=seconds, nodes=nodes, tactics=tactics), None
