"""What a search needs: a theorem to prove in some Lean, and something that proposes tactics."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from lean_extract.records import Goal, ProofState

VerdictStatus = Literal["closes", "progress", "fails", "timeout"]


@dataclass(frozen=True, slots=True)
class Reached:
    """A state that tactics have reached: all goals that are left, main goal first.

    `handle` is the environment's own and means nothing to others.
    """

    state: ProofState
    handle: object = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What Lean said of one tactic, run on one state.

    `closes`: no goals are left. `progress`: `reached` is the state that it leaves. `fails` and
    `timeout`: `message` says why. `milliseconds`: how long it took.
    """

    tactic: str
    status: VerdictStatus
    reached: Reached | None = None
    message: str = ""
    milliseconds: float = 0.0


class ProofEnvironment(Protocol):
    """One theorem, open to be proved."""

    async def start(self) -> Reached:
        """The theorem's first state. Raises PremiseSuggestError where there is none."""
        ...

    def run(self, node: Reached, tactics: Sequence[str], *, timeout: float) -> AsyncGenerator[Verdict, None]:
        """Run each tactic by itself on a state; one verdict for each, as they come, in any order.

        A tactic acts on the main goal, and the others stay behind it. One that loops, or under which
        Lean dies, has a verdict of its own (`timeout`, `fails`). To be closed (`contextlib.aclosing`)
        by who leaves it early.

        Args:
            node: what `start` or an earlier verdict of this environment gave.
            timeout: seconds for each tactic.

        Raises:
            PremiseSuggestError: the environment is of no use any more.
        """
        ...

    async def close(self) -> None:
        """Let go of what the environment holds."""
        ...


@dataclass(frozen=True, slots=True)
class Proposed:
    """A tactic to try and the natural logarithm of its probability (at most 0)."""

    tactic: str
    log_probability: float


class Proposer(Protocol):
    """What proposes tactics for a state: a generator, templates, both."""

    async def tactics(self, goals: Sequence[Goal]) -> list[Proposed]:
        """Tactics for the first of these goals; the others are those that stay behind it."""
        ...
