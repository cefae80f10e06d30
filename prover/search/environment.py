"""What a search works with: a theorem that is open in some Lean, and proposers of tactics."""

from __future__ import annotations

import asyncio
import math
import random
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Protocol

from lean_extract.common.errors import LeanDied, LeanTimeout, NoGoalHere
from lean_extract.goals import format_goal
from lean_extract.records import Goal, Premise, ProofState, TacticOutcome
from lean_extract.session.live import LiveLean
from prover.candidates import CandidateSource
from prover.generator.source import TacticGenerator, as_candidates
from prover.odds import shipped_odds
from prover.opening import count_for
from prover.search.theorem import Theorem, script
from prover.verify import GoalPosition

TacticPath = tuple[str, ...]
"""The tactics that lead from the theorem to a state, each for the main goal that those before it leave."""


class ProofEnvironment(Protocol):
    """One theorem to prove, open in some Lean."""

    async def start(self) -> ProofState:
        """The theorem's first state. Raises PremiseSuggestError: it cannot be had."""
        ...

    def run(
        self, path: TacticPath, tactics: Sequence[str], *, timeout: float
    ) -> AsyncGenerator[TacticOutcome, None]:
        """Run each tactic separately on a state, and yield one outcome for each, in any order.

        A tactic acts on the main goal; the other goals stay after it. A tactic that loops or makes Lean die
        gets an outcome, too (`timeout`, `fails`); none is `unjudged`. A caller that stops early must close the
        generator (`contextlib.aclosing`).

        Args:
            path: the tactics that lead to the state; empty, or a path of this environment whose last step it
                judged `progress`.
            timeout: seconds for each tactic.

        Raises:
            PremiseSuggestError: the environment can no longer be used.
        """
        ...


@dataclass(frozen=True, slots=True)
class Proposed:
    """A tactic to try and the natural logarithm of its probability (at most 0)."""

    tactic: str
    log_probability: float


class Proposer(Protocol):
    """Proposes tactics for a state: a generator, templates, or both."""

    def quick(self, goal: Goal) -> Sequence[Proposed]:
        """What is tried on a goal before the tactics, likeliest first; found at once."""
        ...

    async def tactics(self, goals: Sequence[Goal]) -> list[Proposed]:
        """Tactics for the first of these goals; the others remain after it."""
        ...


_Retrieve = Callable[[Goal], Awaitable[Sequence[Premise]]]
"""The premises that fit a goal, best first."""
_FIRST = math.log(0.3)
"""The log-probability of what is tried before all else."""
_INTRODUCTION = re.compile(r"intros?(?: [\w'.✝]+)*")
_SHORTER = 0.7
"""How much less likely each further, shorter `intro` is."""
_TEMPERATURE = 0.5
"""By how much, on average, a seed lowers a tactic's log-probability."""


@dataclass(frozen=True, slots=True)
class SourcesProposer:
    """Any sources of candidates, and a generator, as a proposer, by the fitted odds.

    `retrieve`: finds the premises; None: without premises. `sources`: if there are none, the generator's own
    log-probabilities count (section 4.5, after LeanDojo). `limit`: how many tactics are proposed. `first`: those that
    are tried before all others. `generated`: how many the generator writes for a state. `readable`: which premises
    the generator reads.
    """

    retrieve: _Retrieve | None
    sources: tuple[CandidateSource, ...]
    limit: int = 32
    first: tuple[str, ...] = ()
    generator: TacticGenerator | None = None
    generated: int = 16
    readable: Callable[[Premise], bool] = lambda premise: True

    def quick(self, goal: Goal) -> list[Proposed]:
        """The tactics that are tried before all others."""
        return [Proposed(tactic, _FIRST) for tactic in self.first] if self.sources else []

    async def tactics(self, goals: Sequence[Goal]) -> list[Proposed]:
        """At most `limit` tactics, best first; all sources run in a thread. Raises ModelError, IndexDamaged."""
        premises = await self.retrieve(goals[0]) if self.retrieve else ()
        return await asyncio.to_thread(self._proposed, goals, premises)

    def _proposed(self, goals: Sequence[Goal], premises: Sequence[Premise]) -> list[Proposed]:
        written = []
        if self.generator is not None:
            read = [premise for premise in premises if self.readable(premise)]
            count = count_for(self.generator, self.generated)
            written = self.generator.generate(goals, read, count=count)
        if not self.sources:
            return [Proposed(one.tactic, one.log_probability) for one in written][: self.limit]
        lists = [source.candidates(goals[0], premises, self.limit) for source in self.sources]
        found = shipped_odds().weighed([*lists, as_candidates(written)])
        return _longest_first([Proposed(one.tactic, math.log(one.score)) for one in found])[: self.limit]


def _longest_first(proposed: Sequence[Proposed]) -> list[Proposed]:
    """The same with the log-probabilities of plain `intro`s exchanged: one that introduces all comes before those that
    introduce a part, which lead to the same goals on a longer way."""
    places = [place for place, one in enumerate(proposed) if _INTRODUCTION.fullmatch(one.tactic)]
    longest = sorted((proposed[place] for place in places), key=lambda one: -len(one.tactic.split()))
    found = list(proposed)
    for rank, (place, one) in enumerate(zip(places, longest, strict=True)):
        found[place] = Proposed(one.tactic, proposed[place].log_probability - _SHORTER * rank)
    return sorted(found, key=lambda one: -one.log_probability)


@dataclass(frozen=True, slots=True)
class Shuffled:
    """A proposer whose log-probabilities are lowered at random, each by a draw of its own.

    The draw is exponential with mean `temperature`. It depends only on seed, goals and tactic, so that the same
    seed gives the same search. Seed 0 changes nothing.
    """

    proposer: Proposer
    seed: int
    temperature: float = _TEMPERATURE

    def quick(self, goal: Goal) -> Sequence[Proposed]:
        """Those of the proposer."""
        return self.proposer.quick(goal)

    async def tactics(self, goals: Sequence[Goal]) -> list[Proposed]:
        """The proposer's tactics, best first by the lowered log-probabilities."""
        proposed = await self.proposer.tactics(goals)
        if self.seed == 0:
            return proposed
        state = "\n".join(map(format_goal, goals))
        lowered = [
            Proposed(item.tactic, item.log_probability - self._draw(state, item.tactic)) for item in proposed
        ]
        return sorted(lowered, key=lambda item: -item.log_probability)

    def _draw(self, state: str, tactic: str) -> float:
        chance = random.Random(f"{self.seed}\0{state}\0{tactic}").random()
        return -self.temperature * math.log1p(-chance)


@dataclass(frozen=True, slots=True)
class Seeded:
    """A proposer that has further tactics for the first state, tried first: beginnings of proofs that Lean accepts."""

    proposer: Proposer
    goal: Goal
    seeds: tuple[str, ...]

    def quick(self, goal: Goal) -> Sequence[Proposed]:
        """Those of the proposer; the beginnings, where they are for the goal."""
        seeds = [Proposed(seed, _FIRST) for seed in self.seeds] if goal == self.goal else []
        return [*seeds, *self.proposer.quick(goal)]

    async def tactics(self, goals: Sequence[Goal]) -> list[Proposed]:
        """Those of the proposer."""
        return await self.proposer.tactics(goals)


class LeanEnvironment:
    """A theorem, or the main goal at a position, in the live session.

    A tactic is tried together with all tactics that led to its state, in a copy of the file where they
    replace the `sorry`. So all goals count, and `closes` means a complete proof. If Lean's server
    dies, each tactic without a verdict is tried again on its own in a new server, and fails if that dies, too.
    The session belongs to the caller and stays open.
    """

    def __init__(self, session: LiveLean, theorem: Theorem | GoalPosition, *, deaths: int = 8) -> None:
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
            theorem.path, theorem.text, theorem.position, list(whose), timeout=seconds, are_steps=True
        )
        async with aclosing(outcomes) as stream:
            async for outcome in stream:
                for tactic in whose[outcome.tactic]:
                    if outcome.status == "progress":
                        self._milliseconds[*path, tactic] = outcome.milliseconds
                    yield _of_one(tactic, outcome)


def _of_one(tactic: str, outcome: TacticOutcome) -> TacticOutcome:
    """The outcome of a script, as that of its last tactic."""
    if outcome.rests_on_sorry:
        names = " and ".join(outcome.unfinished) or "something"
        outcome = replace(outcome, status="unjudged", message=f"it rests on {names}, which is not proved")
    if outcome.status == "unjudged":  # What Lean could not judge cannot be a step of a proof.
        return replace(outcome, tactic=tactic, status="fails", state=None)
    return replace(outcome, tactic=tactic)
