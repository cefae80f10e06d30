"""Which process is meant by a number, also after the number went to another one."""

from __future__ import annotations

import socket
from dataclasses import dataclass

import psutil

_SAME_SECONDS = 60.0
"""Start times are told by the clock of the day, which may be set. No number is given again so soon."""


@dataclass(frozen=True, slots=True)
class RunProcess:
    """The process of a run."""

    number: int
    started: float
    """By the clock of the day, in seconds since 1970."""
    host: str

    @property
    def is_here(self) -> bool:
        """Whether it is one of this machine."""
        return self.host == socket.gethostname()

    @property
    def is_alive(self) -> bool:
        """Whether it is still running; only known on its machine."""
        found = find_process(self.number)
        return found is not None and self.is_same(found)

    def is_same(self, other: RunProcess) -> bool:
        """Whether both are one process."""
        close = abs(self.started - other.started) < _SAME_SECONDS
        return (self.number, self.host) == (other.number, other.host) and close


def find_process(number: int) -> RunProcess | None:
    """The process of this machine that has the number now; None if it has ended."""
    try:
        process = psutil.Process(number)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        return RunProcess(number, float(process.create_time()), socket.gethostname())
    except psutil.NoSuchProcess:
        return None


def wait_until_ended(process: RunProcess, seconds: float) -> bool:
    """Wait for a process of this machine to end, at most so long; whether it has ended."""
    if not process.is_alive:
        return True
    try:
        psutil.Process(process.number).wait(seconds)
    except psutil.NoSuchProcess:
        return True
    except psutil.TimeoutExpired:
        return False
    return True
