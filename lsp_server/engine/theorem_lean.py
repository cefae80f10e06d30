"""A theorem that is open in some environment, as the live Lean of an engine: LeanDojo's `Dojo` in place of a server.

Whatever position is asked for, the goal is the theorem's, after the tactics that were given.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from lean_extract.common.errors import GoalBroken, NoGoalHere, UserError
from lean_extract.records import Position, ProofState, TacticOutcome
from lean_extract.session.faults import Fault, mentions_sorry
from lean_extract.session.limits import TacticSeconds
from lean_extract.session.round import Round
from lean_extract.session.verdict import same_goal
from lean_extract.syntax.tactic_text import defect
from prover.search.environment import ProofEnvironment, TacticPath


class ClosingEnvironment(ProofEnvironment, Protocol):
    """An environment that owns a process."""

    async def close(self) -> None:
        """End the process."""


class TheoremLean:
    """One theorem, after some tactics. It has the methods of `LeanSession`."""

    def __init__(
        self, environment: ClosingEnvironment, path: TacticPath, state: ProofState, tactic_seconds: float
    ) -> None:
        """Use `open` instead."""
        self._environment = environment
        self._path = path
        self._state = state
        self._seconds = tactic_seconds

    @classmethod
    async def open(
        cls, environment: ClosingEnvironment, after: Sequence[str], tactic_seconds: float
    ) -> TheoremLean:
        """Open the theorem and run tactics, one after the other.

        Raises UserError: a tactic fails; and what the environment raises.
        """
        path: TacticPath = ()
        try:
            state = await environment.start()
            for number, tactic in enumerate(after, start=1):
                outcome = await _run(environment, path, tactic, tactic_seconds)
                if outcome.state is None:
                    said = f"Tactic {number} of --after, `{tactic}`, fails: {outcome.message}"
                    raise UserError(said, "Give tactics that Lean accepts one after the other.")
                path, state = (*path, tactic), outcome.state
        except BaseException:
            await environment.close()
            raise
        return cls(environment, path, state, tactic_seconds)

    @property
    def lean_version(self) -> str:
        """Empty: environments do not tell it."""
        return ""

    @property
    def needs_compiling(self) -> bool:
        """Never: the environment has built what it needs."""
        return False

    async def goals_at(self, path: Path, text: str | None, position: Position) -> ProofState:
        """The theorem's goals, wherever they are asked for."""
        return self._state

    async def expected_at(self, path: Path, text: str | None, position: Position) -> ProofState:
        """The same."""
        return self._state

    async def errors_above(self, path: Path, text: str | None, position: Position) -> Sequence[Fault]:
        """None: the environment was built without an error."""
        return []

    def left(self, path: Path, lines: int) -> int:
        """0: LeanDojo does not say it."""
        return 0

    async def prepare(self, path: Path, text: str | None, position: Position) -> None:
        """Nothing: the theorem is open."""

    async def try_tactics(
        self,
        path: Path,
        text: str | None,
        position: Position,
        tactics: Sequence[str] | AsyncIterable[str],
        *,
        timeout: TacticSeconds | None = None,
        within: float | None = None,
    ) -> AsyncGenerator[TacticOutcome, None]:
        """Try tactics on the theorem's main goal, one after the other; see `LeanSession.try_tactics`.

        Raises NoGoalHere, GoalBroken, and what the environment raises.
        """
        goals = self._state.goals
        if not goals:
            raise NoGoalHere("The proof is complete here.", "Give fewer tactics to --after.")
        if mentions_sorry(goals[0]):
            raise GoalBroken("The goal mentions `sorry`.", "Fix what is above the theorem first.")
        seconds = timeout if timeout is not None else self._seconds
        trials = Round(self, tactics, slots=1, seconds=seconds, within=within)
        try:
            async for outcome in trials.outcomes():
                yield outcome
        finally:
            await trials.end()

    async def run(self, tactic: str, seconds: float) -> TacticOutcome:
        """The verdict on one tactic."""
        problem = defect(tactic)
        if problem is not None:
            return TacticOutcome(tactic, "fails", None, problem)
        outcome = await _run(self._environment, self._path, tactic, seconds)
        if outcome.state is not None and outcome.state.goals and _same(outcome.state, self._state):
            return replace(outcome, status="fails", state=None, message="changes nothing")
        return outcome

    async def close(self) -> None:
        """End the environment."""
        await self._environment.close()


def _same(one: ProofState, other: ProofState) -> bool:
    return len(one.goals) == len(other.goals) and all(map(same_goal, one.goals, other.goals))


async def _run(environment: ProofEnvironment, path: TacticPath, tactic: str, seconds: float) -> TacticOutcome:
    async with aclosing(environment.run(path, [tactic], timeout=seconds)) as outcomes:
        return await anext(outcomes)
