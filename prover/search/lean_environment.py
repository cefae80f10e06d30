"""A theorem in the live session. A state is the list of tactics that led to it; they are run again with each
further tactic."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from lean_extract.common.errors import LeanDied, LeanTimeout, NoGoalHere
from lean_extract.records import Position, ProofState, TacticOutcome
from prover.search.environment import Reached, Verdict
from prover.search.theorem import Theorem, script


class LeanForSearch(Protocol):
    """What a search needs of a live Lean; `LeanSession` provides it."""

    async def goals_at(self, path: Path, text: str | None, position: Position) -> ProofState:
        """The goals at a position."""
        ...

    async def prepare(self, path: Path, text: str | None, position: Position) -> None:
        """Load the file's imports."""
        ...

    def try_tactics(
        self,
        path: Path,
        text: str | None,
        position: Position,
        tactics: Sequence[str],
        *,
        timeout: float | None = None,
    ) -> AsyncGenerator[TacticOutcome, None]:
        """Outcomes as they finish; `timeout` is in seconds, for each tactic."""
        ...


@dataclass(frozen=True, slots=True)
class _Way:
    """The tactics that led to a state, and the time that Lean took for them."""

    tactics: tuple[str, ...] = ()
    milliseconds: float = 0.0


class LeanEnvironment:
    """A theorem in the live session.

    A tactic is tried together with all tactics that led to its state, in a shadow copy of the file where they
    replace the theorem's `sorry`. So all goals count, and `closes` means a complete proof. If Lean's server
    dies, each tactic without a verdict is tried again on its own in a new server, and fails if that dies, too.
    The session belongs to the caller and stays open.
    """

    def __init__(self, session: LeanForSearch, theorem: Theorem, *, deaths: int = 8) -> None:
        """`deaths`: how often Lean may die before the theorem is given up."""
        self._session = session
        self._theorem = theorem
        self._deaths_left = deaths

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Does nothing: the session belongs to the caller."""

    async def start(self) -> Reached:
        """The theorem's goals.

        Raises:
            NoGoalHere, BadPosition, ProjectBroken, LeanDied, LeanTimeout: as `LeanSession.goals_at`.
        """
        theorem = self._theorem
        state = await self._session.goals_at(theorem.path, theorem.text, theorem.position)
        if not state.goals:
            raise NoGoalHere(
                f"The proof in line {theorem.position.line + 1} of {theorem.path.name} is complete.",
                "Name a theorem that ends in `sorry`.",
            )
        await self._session.prepare(theorem.path, theorem.text, theorem.position)
        return Reached(ProofState(state.goals[:1]), _Way())

    async def run(
        self, node: Reached, tactics: Sequence[str], *, timeout: float
    ) -> AsyncGenerator[Verdict, None]:
        """See `ProofEnvironment.run`. `timeout` is added to the time of the tactics that led to the state.

        Raises:
            LeanDied, LeanTimeout: Lean died more often than `deaths` allows.
            NoGoalHere, ProjectBroken: the theorem's file changed during the search.
        """
        way = node.handle
        assert isinstance(way, _Way)
        left = list(dict.fromkeys(tactics))
        alone = False
        while left:
            batch = left[:1] if alone else list(left)
            try:
                async with aclosing(self._try(way, batch, timeout)) as verdicts:
                    async for verdict in verdicts:
                        left.remove(verdict.tactic)
                        yield verdict
            except (LeanDied, LeanTimeout) as error:
                self._deaths_left -= 1
                if self._deaths_left < 0:
                    raise
                if alone:
                    yield Verdict(left.pop(0), "fails", None, error.message)
                alone = True

    async def _try(self, way: _Way, tactics: Sequence[str], timeout: float) -> AsyncGenerator[Verdict, None]:
        whose: dict[str, list[str]] = {}
        for tactic in tactics:
            whose.setdefault(script([*way.tactics, tactic]), []).append(tactic)
        theorem, seconds = self._theorem, timeout + way.milliseconds / 1000
        outcomes = self._session.try_tactics(
            theorem.path, theorem.text, theorem.position, list(whose), timeout=seconds
        )
        async with aclosing(outcomes) as stream:
            async for outcome in stream:
                for tactic in whose[outcome.tactic]:
                    yield _verdict(tactic, way, outcome)


def _verdict(tactic: str, way: _Way, outcome: TacticOutcome) -> Verdict:
    reached = None
    if outcome.status in ("closes", "progress") and outcome.state is not None:
        reached = Reached(outcome.state, _Way((*way.tactics, tactic), outcome.milliseconds))
    # A tactic that Lean could not judge cannot be a step of a proof.
    status = "fails" if outcome.status == "unjudged" else outcome.status
    return Verdict(tactic, status, reached, outcome.message, outcome.milliseconds)
