"""An environment that plays a table, for what real Lean cannot be told to do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field

from lean_extract.common.errors import PremiseSuggestError
from lean_extract.goals import format_goal, parse_state
from lean_extract.records import Goal, ProofState
from prover.search import Proposed, Reached, Verdict

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
    is_closed: bool = False
    let_go: int = 0

    async def start(self) -> Reached:
        if self.error is not None:
            raise self.error
        return Reached(state(self.first), self.first)

    async def run(
        self, node: Reached, tactics: Sequence[str], *, timeout: float
    ) -> AsyncGenerator[Verdict, None]:
        here = str(node.handle)
        self.expanded.append(here)
        self.asked.append(tuple(tactics))
        try:
            for tactic in sorted(tactics, key=lambda tactic: self.rank.get(tactic, 0)):
                _, end = self.table[here][tactic]
                if end == "hangs":
                    self.hung.set()
                    await asyncio.Event().wait()
                yield self._verdict(tactic, end)
        finally:
            self.let_go += 1

    def _verdict(self, tactic: str, end: str) -> Verdict:
        if end == "dies":
            raise PremiseSuggestError("Lean is gone.")
        if end == "done":
            return Verdict(tactic, "closes", Reached(ProofState(())))
        if end in ("fails", "timeout"):
            return Verdict(tactic, end, None, f"{tactic} is refused\nfor reasons")  # type: ignore[arg-type]
        return Verdict(tactic, "progress", Reached(state(end), end))

    async def close(self) -> None:
        self.is_closed = True


@dataclass
class Listed:
    """Proposes what the table has."""

    table: Table

    async def tactics(self, goals: Sequence[Goal]) -> list[Proposed]:
        here = format_goal(goals[0]).removeprefix("⊢ ")
        return [Proposed(tactic, score) for tactic, (score, _) in self.table.get(here, {}).items()]
