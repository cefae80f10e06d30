"""What a session lets Lean use."""

from __future__ import annotations

from dataclasses import dataclass

from lean_extract.errors import BadSettings


@dataclass(frozen=True, slots=True)
class LeanLimits:
    """Bounds on time, memory and width of a session. Raises BadSettings where one is not positive.

    `start_seconds`: from the start of the server to its first answer. `request_seconds`: for a goal,
    with all that has to be elaborated above it, imports included. `tactic_seconds`: for one tactic,
    where the caller names no time. `memory_mb`: private memory of one Lean process; one that grows
    beyond it is ended. `slots`: how many tactics are tried at once, each slot being a Lean process.
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
