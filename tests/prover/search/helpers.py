"""What the tests of the search share: the example library's premises, and theorems on it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from lean_extract.records import Goal, Premise
from lean_extract.source.reader import read_file
from lean_extract.toolchains.packaged import CORE_SOURCES
from prover.candidates import FinishingTactics, Templates
from prover.search.environment import Proposed, SourcesProposer
from prover.search.search import SearchLimits
from prover.search.theorem import Theorem

EXAMPLE = CORE_SOURCES.parent / "example"
QUICK = SearchLimits(seconds=60, nodes=40, tactics=24, tactic_seconds=5)


@cache
def premises() -> dict[str, Premise]:
    """Every premise of the example library, by name."""
    found = {}
    for path in sorted((EXAMPLE / "Example").rglob("*.lean")):
        module = ".".join(path.relative_to(EXAMPLE).with_suffix("").parts)
        found |= {premise.name: premise for premise in read_file(path, module).premises}
    return found


def templates(*names: str) -> SourcesProposer:
    """Templates and closers with these premises for every goal."""
    chosen = [premises()[name] for name in names]

    async def retrieve(goal: Goal) -> Sequence[Premise]:
        return chosen

    return SourcesProposer(retrieve, (Templates(), FinishingTactics()))


def theorem(statement: str, *imports: str) -> Theorem:
    header = "\n".join(f"import {name}" for name in imports)
    return Theorem.stated(Path("Goal.lean"), header, statement)


class Scripts:
    """Proposes these tactics for every state, the first ones likeliest."""

    def __init__(self, *tactics: str) -> None:
        self._tactics = tactics

    def quick(self, goal: Goal) -> list[Proposed]:
        return []

    async def tactics(self, goals: Sequence[Goal]) -> list[Proposed]:
        return [Proposed(tactic, -0.1 * (place + 1)) for place, tactic in enumerate(self._tactics)]
