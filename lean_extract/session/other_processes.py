"""Processes as psutil shows them, for systems without /proc (macOS, Windows)."""

from __future__ import annotations

import psutil


def descendants(pid: int) -> list[int]:
    """The children of a process, their children and so on, without the process itself."""
    try:
        return [child.pid for child in psutil.Process(pid).children(recursive=True)]
    except psutil.Error:  # it has ended
        return []


def private_megabytes(pid: int) -> float:
    """The memory of a process in MiB, without what it shares where the system says that. 0 if it has ended."""
    try:
        memory = psutil.Process(pid).memory_info()
    except psutil.Error:
        return 0.0
    shared = getattr(memory, "shared", 0)
    return float(getattr(memory, "private", memory.rss - shared)) / (1 << 20)


def start_time(pid: int) -> str | None:
    """The start time of a process; None if it has ended."""
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else str(process.create_time())
    except psutil.Error:
        return None
