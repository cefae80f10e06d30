"""What every source of live goals offers, the language server's session and the REPL's, and its limits."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from lean_extract.common.errors import BadSettings
from lean_extract.records import Position, ProofState, TacticOutcome
from lean_extract.session.faults import Fault
from lean_extract.session.processes import machine_megabytes

_MOST_MB = 8192


def _default_memory_mb() -> int:
    return min(_MOST_MB, machine_megabytes() // 3)


TacticSeconds = float | Callable[[str], float]
"""The time for each tactic, or a function of a tactic that says it."""


@dataclass(frozen=True, slots=True)
class LeanLimits:
    """Limits on time, memory and parallelism of a session. Raises BadSettings if one is not positive.

    `start_seconds`: from the start of the server to its first response. `request_seconds`: without any progress of
    Lean while a goal is awaited. `tactic_seconds`: for one tactic, from when all above it is elaborated, unless the
    caller gives a time. `memory_mb`: private memory of one Lean process, which is killed above that; a third of the
    machine's by default. `slots`: the number of tactics tried at the same time, each in a Lean process of its own.
    """

    start_seconds: float = 60.0
    request_seconds: float = 120.0
    tactic_seconds: float = 10.0
    memory_mb: int = field(default_factory=_default_memory_mb)
    slots: int = 2

    @property
    def all_mb(self) -> int:
        """Private memory of all Lean processes together, of which the largest is killed above that."""
        return max(self.memory_mb, machine_megabytes() // 2)

    def __post_init__(self) -> None:
        for name in ("start_seconds", "request_seconds", "tactic_seconds", "memory_mb", "slots"):
            value = getattr(self, name)
            if not value > 0:
                raise BadSettings(f"The limit {name} is {value}.", "Give a number above 0.")


class LiveLean(Protocol):
    """A live Lean for one project; `LeanSession` says what each of these takes, gives and raises."""

    @property
    def lean_version(self) -> str:
        """The version of the running Lean; empty if it is not known."""

    @property
    def needs_compiling(self) -> bool:
        """Whether this Lean has no Lake, so that we compile what files import."""

    def left(self, path: Path, lines: int) -> int:
        """How many of the first lines of a file this Lean has still to elaborate; 0 if that is not known."""
        ...

    async def goals_at(self, path: Path, text: str | None, position: Position) -> ProofState:
        """The goals at a position."""
        ...

    async def expected_at(self, path: Path, text: str | None, position: Position) -> ProofState:
        """The goal of the `sorry` at the position of a term."""
        ...

    async def errors_above(self, path: Path, text: str | None, position: Position) -> Sequence[Fault]:
        """The errors in the declarations above that of a position."""
        ...

    async def prepare(self, path: Path, text: str | None, position: Position) -> None:
        """Begin with what `try_tactics` at a position will wait for."""
        ...

    def try_tactics(
        self,
        path: Path,
        text: str | None,
        position: Position,
        tactics: Sequence[str] | AsyncIterable[str],
        *,
        timeout: TacticSeconds | None = None,
        within: float | None = None,
    ) -> AsyncGenerator[TacticOutcome, None]:
        """Try tactics on the main goal at a position, each separately."""
        ...

    async def close(self) -> None:
        """Stop Lean."""
        ...
