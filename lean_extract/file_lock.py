"""A lock file that one process holds at a time, and that names its holder.

The lock itself is filelock's: the system frees it when its holder ends, however that happens. `FileLock` is
not used, since it keeps the descriptor that the holder is written through to itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def open_lock_file(path: Path) -> Iterator[int]:
    """The descriptor of the lock file, which is made if needed; closing it at the end frees the lock.

    Raises OSError: the file cannot be made or written to.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def try_lock(descriptor: int) -> bool:
    """Take the lock unless another holds it. Raises OSError: the file system has no locks."""
    from filelock import lock_descriptor  # here: only a writer waits the 10 ms that this takes

    return lock_descriptor(descriptor, blocking=False)


def write_holder(descriptor: int, holder: str) -> None:
    """Say in a lock file that is held who holds it. Raises OSError."""
    os.ftruncate(descriptor, 0)
    os.lseek(descriptor, 0, os.SEEK_SET)
    # Windows lets nobody else read the locked byte, which is the first; so that says nothing.
    os.write(descriptor, f" {holder}\n".encode())


def read_holder(path: Path, most: int = -1) -> bytes:
    """What the file says, at most so many bytes of it; blanks may stand around it. Raises OSError."""
    with path.open("rb") as stream:
        try:
            return stream.read(most)
        except PermissionError:  # held, on Windows
            stream.seek(1)
            return stream.read(most)
