"""A theorem in the live session. To try a tactic on a state, the tactics that led to it are run again with it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

from lean_extract.common.errors import LeanDied, LeanTimeout, NoGoalHere
from lean_extract.records import ProofState, TacticOutcome
from lean_extract.session.live import LiveLean
from prover.search.environment import TacticPath
from prover.search.theorem import Theorem, script


class LeanEnvironment:
    """A theorem in the live session.

    A tactic is tried together with all tactics that led to its state, in a copy of the file where they
    replace the theorem's `sorry`. So all goals count, and `closes` means a complete proof. If Lean's server
    dies, each tactic without a verdict is tried again on its own in a new server, and fails if that dies, too.
    The session belongs to the caller and stays open.
    """

    def __init__(self, session: LiveLean, theorem: Theorem, *, deaths: int = 8) -> None:
        """`deaths`: how often Lean may die before the theorem is given up."""
        self._session = session
        self._theorem = theorem
        self._deaths_left = deaths
        self._milliseconds: dict[TacticPath, float] = {}
        """How long Lean took for each path that left goals."""

    async def start(self) -> ProofState:
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
        return ProofState(state.goals[:1])

    async def run(
        self, path: TacticPath, tactics: Sequence[str], *, timeout: float
    ) -> AsyncGenerator[TacticOutcome, None]:
        """See `ProofEnvironment.run`. `timeout` is added to the time of the tactics that led to the state.

        Raises:
            LeanDied, LeanTimeout: Lean died more often than `deaths` allows.
            NoGoalHere, ProjectBroken: the theorem's file changed during the search.
        """
        left = list(dict.fromkeys(tactics))
        alone = False
        while left:
            batch = left[:1] if alone else list(left)
            try:
                async with aclosing(self._try(path, batch, timeout)) as outcomes:
                    async for outcome in outcomes:
                        left.remove(outcome.tactic)
                        yield outcome
            except (LeanDied, LeanTimeout) as error:
                self._deaths_left -= 1
                if self._deaths_left < 0:
                    raise
                if alone:
                    yield TacticOutcome(left.pop(0), "fails", message=error.message)
                alone = True

    async def _try(
        self, path: TacticPath, tactics: Sequence[str], timeout: float
    ) -> AsyncGenerator[TacticOutcome, None]:
        whose: dict[str, list[str]] = {}
        for tactic in tactics:
            whose.setdefault(script([*path, tactic]), []).append(tactic)
        theorem, seconds = self._theorem, timeout + self._milliseconds.get(path, 0.0) / 1000
        outcomes = self._session.try_tactics(
            theorem.path, theorem.text, theorem.position, list(whose), timeout=seconds
        )
        async with aclosing(outcomes) as stream:
            async for outcome in stream:
                for tactic in whose[outcome.tactic]:
                    if outcome.status == "progress":
                        self._milliseconds[*path, tactic] = outcome.milliseconds
                    yield _of_one(tactic, outcome)


def _of_one(tactic: str, outcome: TacticOutcome) -> TacticOutcome:
    """The outcome of a script, as that of its last tactic."""
    if outcome.status == "unjudged":  # What Lean could not judge cannot be a step of a proof.
        return replace(outcome, tactic=tactic, status="fails", state=None)
    return replace(outcome, tactic=tactic)
