"""One writer of an index at a time."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from lean_extract.common.errors import IndexLocked
from lean_extract.common.file_lock import open_lock_file, read_holder, try_lock, write_holder
from lean_extract.common.files.atomic import make_private_folder

_ASK_AGAIN_SECONDS = 0.1


@contextmanager
def locked(path: Path, wait: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """Hold the lock file `path` for the block.

    Raises:
        IndexLocked: another process holds it and `wait`, asked ten times a second, returned False.
        OSError: the file cannot be made or locked.
    """
    make_private_folder(path.parent)
    with open_lock_file(path, 0o600) as descriptor:
        while not try_lock(descriptor):
            if not wait():
                raise _held(path)
            time.sleep(_ASK_AGAIN_SECONDS)  # a wait in the system could not be interrupted
        write_holder(descriptor, str(os.getpid()))
        yield


def _held(path: Path) -> IndexLocked:
    try:
        pid = read_holder(path).decode().strip()
    except (OSError, UnicodeDecodeError):
        pid = ""
    who = f"process {pid}" if pid.isdigit() else "another process"
    return IndexLocked(
        f"The premise index in {path.parent} is being written by {who}.",
        "Wait until it is done, or stop that process, and try again.",
    )
