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
    """The private memory of a process in MiB, without the `.olean` files that it maps. 0 if it has ended."""
    try:
        return float(psutil.Process(pid).memory_full_info().uss) / (1 << 20)
    except psutil.Error:
        return 0.0


def machine_megabytes() -> int:
    """The memory of this machine in MiB."""
    return int(psutil.virtual_memory().total) >> 20


def start_time(pid: int) -> str | None:
    """The start time of a process; None if it has ended."""
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else str(process.create_time())
    except psutil.Error:
        return None
