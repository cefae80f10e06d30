"""Limits on the time and memory that a session lets Lean use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lean_extract.errors import BadSettings

TacticSeconds = float | Callable[[str], float]
"""The time for each tactic, or a function of a tactic that says it."""


@dataclass(frozen=True, slots=True)
class LeanLimits:
    """Limits on time, memory and parallelism of a session. Raises BadSettings if one is not positive.

    `start_seconds`: from the start of the server to its first response. `request_seconds`: for a goal,
    including imports and the elaboration of everything above it. `tactic_seconds`: for one tactic, unless the
    caller gives a time. `memory_mb`: private memory of one Lean process, which is killed above that. `slots`:
    the number of tactics tried at the same time, each in a Lean process of its own.
    """

    start_seconds: float = 60.0
    request_seconds: float = 120.0
    tactic_seconds: float = 10.0
    memory_mb: int = 8192
    slots: int = 2

    def __post_init__(self) -> None:
        for name in ("start_seconds", "request_seconds", "tactic_seconds", "memory_mb", "slots"):
            value = getattr(self, name)
            if not value > 0:
                raise BadSettings(f"The limit {name} is {value}.", "Give a number above 0.")
