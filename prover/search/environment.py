"""The interfaces that a search needs: a theorem that is open in some Lean, and a proposer of tactics."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from lean_extract.records import Goal, ProofState

VerdictStatus = Literal["closes", "progress", "fails", "timeout"]


@dataclass(frozen=True, slots=True)
class Reached:
    """A state that tactics have reached: all remaining goals, the main goal first.

    `handle` is private to the environment.
    """

    state: ProofState
    handle: object = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Lean's verdict on one tactic, run on one state.

    `closes`: no goals remain. `progress`: `reached` is the resulting state. `fails`, `timeout`: `message` gives
    the reason. `milliseconds`: how long it took.
    """

    tactic: str
    status: VerdictStatus
    reached: Reached | None = None
    message: str = ""
    milliseconds: float = 0.0


class ProofEnvironment(Protocol):
    """One theorem to prove, open in some Lean."""

    async def start(self) -> Reached:
        """The theorem's first state. Raises PremiseSuggestError: it cannot be had."""
        ...

    def run(self, node: Reached, tactics: Sequence[str], *, timeout: float) -> AsyncGenerator[Verdict, None]:
        """Run each tactic separately on a state, and yield one verdict for each, in any order.

        A tactic acts on the main goal; the other goals stay behind it. A tactic that loops or makes Lean die
        gets a verdict, too (`timeout`, `fails`). A caller that stops early must close the generator
        (`contextlib.aclosing`).

        Args:
            node: a state from `start` or from an earlier verdict of this environment.
            timeout: seconds for each tactic.

        Raises:
            PremiseSuggestError: the environment can no longer be used.
        """
        ...

    async def close(self) -> None:
        """Release what the environment holds."""
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
