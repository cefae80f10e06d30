"""One writer at a time: an advisory lock that the system takes away when its holder dies."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from lean_extract.errors import IndexLocked

if sys.platform == "win32":
    import msvcrt

    def _acquire(handle: int) -> None:
        # A byte far behind the pid, so that others can still read that.
        os.lseek(handle, 1 << 20, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _acquire(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


_ASK_AGAIN_SECONDS = 0.1


@contextmanager
def locked(path: Path, wait: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """Hold the lock file `path` for the block.

    Raises IndexLocked if another process holds it and `wait`, asked ten times a second, says no.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o644)
    try:
        while not _taken(handle):
            if not wait():
                raise _held(path)
            time.sleep(_ASK_AGAIN_SECONDS)  # the system's own wait could not be broken off
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, f"{os.getpid():<20}\n".encode())
        yield
    finally:
        os.close(handle)


def _taken(handle: int) -> bool:
    """Whether it is ours now. Raises OSError where the system cannot lock at all."""
    try:
        _acquire(handle)
    except (BlockingIOError, PermissionError):  # the latter on Windows
        return False
    return True


def _held(path: Path) -> IndexLocked:
    try:
        pid = path.read_text(encoding="utf-8").strip()
    except OSError:
        pid = ""
    who = f"process {pid}" if pid.isdigit() else "another process"
    return IndexLocked(
        f"The premise index in {path.parent} is being written by {who}.",
        "Wait until it is done, or stop that process, and try again.",
    )
