"""One writer at a time: an advisory lock that the system takes away when its holder dies."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
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


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file `path` for the block. Raises IndexLocked at once if another process holds it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o644)
    try:
        try:
            _acquire(handle)
        except OSError as error:
            raise _held(path) from error
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, f"{os.getpid():<20}\n".encode())
        yield
    finally:
        os.close(handle)


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
