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

__all__ = ["Process", "descendants", "identify", "kill", "machine_megabytes", "private_megabytes"]

Process = tuple[int, str]
"""A process's number and start time."""

_KILL = signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL
"""On Windows, SIGTERM ends a process at once."""


def identify(pids: Iterable[int]) -> frozenset[Process]:
    """The running processes with these numbers, identified so that later ones with the same numbers differ."""
    return frozenset((pid, start) for pid in pids if (start := start_time(pid)) is not None)


def kill(processes: Iterable[Process]) -> None:
    """Kill processes; those that have already ended are ignored."""
    for pid, start in processes:
        if start_time(pid) == start:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, _KILL)
