"""The processes of a server: its descendants, their memory, their end.

A process is identified by its number and its start time, so that a later one of the same number is not killed.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterable

if sys.platform.startswith("linux"):
    from lean_extract.session.linux_processes import (
        descendants,
        machine_megabytes,
        private_megabytes,
        start_time,
    )
else:
    from lean_extract.session.other_processes import (
        descendants,
        machine_megabytes,
        private_megabytes,
        start_time,
    )

__all__ = [
    "Process",
    "descendants",
    "identify",
    "kill",
    "machine_megabytes",
    "private_megabytes",
    "running",
    "terminate",
]

Process = tuple[int, str]
"""A process's number and start time."""

_KILL = signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL
"""On Windows, SIGTERM ends a process at once."""


def identify(pids: Iterable[int]) -> frozenset[Process]:
    """The running processes with these numbers, identified so that later ones with the same numbers differ."""
    return frozenset((pid, start) for pid in pids if (start := start_time(pid)) is not None)


def running(processes: Iterable[Process]) -> frozenset[Process]:
    """Those of the processes that have not ended."""
    return frozenset((pid, start) for pid, start in processes if start_time(pid) == start)


def terminate(processes: Iterable[Process]) -> None:
    """Ask processes to end; those that have already ended are ignored."""
    _signal(processes, signal.SIGTERM)


def kill(processes: Iterable[Process]) -> None:
    """Kill processes; those that have already ended are ignored."""
    _signal(processes, _KILL)


def _signal(processes: Iterable[Process], number: int) -> None:
    for pid, _ in running(processes):
        with contextlib.suppress(OSError):  # it has ended; Windows says so in other words
            os.kill(pid, number)
