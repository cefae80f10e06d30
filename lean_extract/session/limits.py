"""Limits on the time and memory that a session lets Lean use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from lean_extract.common.errors import BadSettings
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
