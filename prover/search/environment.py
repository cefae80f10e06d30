"""The interfaces that a search needs: a theorem that is open in some Lean, and a proposer of tactics."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Protocol

from lean_extract.records import Goal, ProofState, TacticOutcome

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

    async def tactics(self, goals: Sequence[Goal]) -> list[Proposed]:
        """Tactics for the first of these goals; the others remain after it."""
        ...
