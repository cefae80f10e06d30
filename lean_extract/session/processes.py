"""The processes of a server: its descendants, their memory, their end.

A process is identified by its number and its start time, so that a later one of the same number is not killed.

On Linux they are read from /proc. psutil, which is used elsewhere, reads every process of the machine to list
descendants (2.9 ms instead of 0.2 ms, with 126 processes). For private memory including swap it reads the whole memory
map (0.84 ms instead of 0.03 ms), which is long for a Lean with thousands of mapped files.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

Process = tuple[int, str]
"""A process's number and start time."""

_KILL = signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL
"""On Windows, SIGTERM ends a process at once."""
_PROC = Path("/proc")
_GUARD = Path(__file__).with_name("guard.py")


def guarded(command: Sequence[str], variables: Mapping[str, str]) -> list[str]:
    """The command with these variables, which is killed when this process ends (`guard.py`)."""
    settings = [f"{name}={value}" for name, value in variables.items()]
    return [sys.executable, "-I", "-S", str(_GUARD), str(os.getpid()), *settings, "--", *command]


def identify(pids: Iterable[int]) -> frozenset[Process]:
    """The running processes with these numbers, identified so that later ones with the same numbers differ."""
    return frozenset((pid, start) for pid in pids if (start := _start_time(pid)) is not None)


def running(processes: Iterable[Process]) -> frozenset[Process]:
    """Those of the processes that have not ended."""
    return frozenset((pid, start) for pid, start in processes if _start_time(pid) == start)


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


if sys.platform.startswith("linux"):

    def descendants(pid: int) -> list[int]:
        """The children of a process, their children and so on, without the process itself."""
        found: list[int] = []
        waiting = [pid]
        while waiting:
            children = _children(waiting.pop())
            found += children
            waiting += children
        return found

    def _children(pid: int) -> list[int]:
        """The children of a process. Each thread's children are in a file of its own, so all threads are read."""
        found: list[int] = []
        with contextlib.suppress(OSError):  # The process ended meanwhile.
            for task in (_PROC / str(pid) / "task").iterdir():
                with contextlib.suppress(OSError):
                    found += map(int, (task / "children").read_text().split())
        return found

    def private_megabytes(pid: int) -> float:
        """The private memory of a process in MiB, without the `.olean` files that it maps. 0 if it has ended."""
        try:
            status = (_PROC / str(pid) / "status").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return 0.0
        kilobytes = 0
        for line in status.splitlines():
            if line.startswith(("RssAnon:", "RssShmem:", "VmSwap:")):
                kilobytes += int(line.split()[1])
        return kilobytes / 1024

    def machine_megabytes() -> int:
        """The memory of this machine in MiB."""
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20

    def _start_time(pid: int) -> str | None:
        """The start time of a process, in the kernel's unit; None if it has ended."""
        try:
            fields = (_PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            return None
        return None if fields[0] in "ZX" else fields[19]

else:
    import psutil

    def descendants(pid: int) -> list[int]:
        """The children of a process, their children and so on, without the process itself."""
        try:
            return [child.pid for child in psutil.Process(pid).children(recursive=True)]
        except psutil.Error:  # it has ended
            return []

    def private_megabytes(pid: int) -> float:
        """The private memory of a process in MiB, without the `.olean` files that it maps. 0 if it has ended."""
        try:
            return float(psutil.Process(pid).memory_full_info().uss) / (1 << 20)
        except psutil.Error:
            return 0.0

    def machine_megabytes() -> int:
        """The memory of this machine in MiB."""
        return int(psutil.virtual_memory().total) >> 20

    def _start_time(pid: int) -> str | None:
        """The start time of a process; None if it has ended."""
        try:
            process = psutil.Process(pid)
            return None if process.status() == psutil.STATUS_ZOMBIE else str(process.create_time())
        except psutil.Error:
            return None
