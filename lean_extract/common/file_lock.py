"""A lock file that one process holds at a time, and that names its holder.

The lock comes from the package filelock. The operating system releases it when the holder exits, however that
happens. `filelock.FileLock` is not used because it does not expose its descriptor, through which the holder's
name is written.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def open_lock_file(path: Path, mode: int = 0o644) -> Iterator[int]:
    """The descriptor of the lock file, which is created if needed. Closing it at the end releases the lock.

    `mode`: who may read and write a file that is created, less what the umask takes away.

    Raises OSError: the file cannot be created or opened for writing.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, mode)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def try_lock(descriptor: int) -> bool:
    """Acquire the lock unless another process holds it. Raises OSError: the file system has no locks."""
    from filelock import lock_descriptor  # imported here because it takes 10 ms and only writers need it

    return lock_descriptor(descriptor, blocking=False)


def write_holder(descriptor: int, holder: str) -> None:
    """Write the holder's name into a lock file that this process holds. Raises OSError."""
    os.ftruncate(descriptor, 0)
    os.lseek(descriptor, 0, os.SEEK_SET)
    # On Windows no other process can read the locked byte, which is the first, so it is a blank.
    os.write(descriptor, f" {holder}\n".encode())


def read_holder(path: Path, most: int = -1) -> bytes:
    """The first `most` bytes of the lock file (-1: all), perhaps with white space around. Raises OSError."""
    with path.open("rb") as stream:
        try:
            return stream.read(most)
        except PermissionError:  # held, on Windows
            stream.seek(1)
            return stream.read(most)
