"""An environment that plays a table, for what real Lean does not do on demand."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field

from lean_extract.common.errors import PremiseSuggestError
from lean_extract.goals import format_goal, parse_state
from lean_extract.records import Goal, ProofState, TacticOutcome
from prover.search.environment import Proposed

Table = Mapping[str, Mapping[str, tuple[float, str]]]
"""For each state, its tactics: log-probability, and what it leads to: a state, `done`, or one of
`fails`, `timeout`, `dies` (the environment is of no use any more) and `hangs` (it never answers)."""


def state(name: str) -> ProofState:
    return parse_state(f"⊢ {name}")


@dataclass
class Scripted:
    """Plays a table; verdicts come in the order that `rank` gives, or in that of the tactics."""

    table: Table
    first: str = "start"
    rank: Mapping[str, int] = field(default_factory=dict)
    error: PremiseSuggestError | None = None
    hung: asyncio.Event = field(default_factory=asyncio.Event)
    expanded: list[str] = field(default_factory=list)
    asked: list[tuple[str, ...]] = field(default_factory=list)
    let_go: int = 0

    async def start(self) -> ProofState:
        if self.error is not None:
            raise self.error
        return state(self.first)

    async def run(
        self, path: tuple[str, ...], tactics: Sequence[str], *, timeout: float
    ) -> AsyncGenerator[TacticOutcome, None]:
        here = self.first
        for tactic in path:
            here = self.table[here][tactic][1]
        self.expanded.append(here)
        self.asked.append(tuple(tactics))
        try:
            for tactic in sorted(tactics, key=lambda tactic: self.rank.get(tactic, 0)):
                _, end = self.table[here][tactic]
                if end == "hangs":
                    self.hung.set()
                    await asyncio.Event().wait()
                yield self._outcome(tactic, end)
        finally:
            self.let_go += 1

    def _outcome(self, tactic: str, end: str) -> TacticOutcome:
        if end == "dies":
            raise PremiseSuggestError("Lean has died.")
        if end == "done":
            return TacticOutcome(tactic, "closes", ProofState(()))
        if end in ("fails", "timeout"):
            return TacticOutcome(tactic, end, None, f"{tactic} is refused\nfor reasons")  # type: ignore[arg-type]
        return TacticOutcome(tactic, "progress", state(end))


@dataclass
class Listed:
    """Proposes what the table has."""

    table: Table

    def quick(self, goal: Goal) -> list[Proposed]:
        return []

    async def tactics(self, goals: Sequence[Goal]) -> list[Proposed]:
        here = format_goal(goals[0]).removeprefix("⊢ ")
        return [Proposed(tactic, score) for tactic, (score, _) in self.table.get(here, {}).items()]
