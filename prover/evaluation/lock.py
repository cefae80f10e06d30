"""One evaluation at a time in a folder: a lock that the system takes away when its holder dies."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from lean_extract.errors import UserError
from lean_extract.files.json_text import parse_json

if sys.platform == "win32":
    import msvcrt

    def _acquire(handle: int) -> None:
        # A byte far behind what is written, so that others can still read that.
        os.lseek(handle, 1 << 20, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _acquire(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


LOCK = "lock"
"""The file in an evaluation's folder."""
_LONGEST = 4096


class FolderInUse(UserError):
    """Another evaluation writes to this folder."""


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold the folder for the block.

    Raises:
        FolderInUse: another process holds it; the message says which one.
        UserError: the folder has a file of that name which is something else.
        OSError: the folder cannot be written to.
    """
    path = folder / LOCK
    if is_foreign(folder):
        raise UserError(
            f"{path} is no evaluation's, and would be written over.",
            "Put it elsewhere, or name another folder with --out.",
        )
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o644)
    try:
        try:
            _acquire(handle)
        except OSError as error:
            raise _in_use(folder, path) from error
        since = datetime.now().astimezone().isoformat(" ", "seconds")
        holder = {"pid": os.getpid(), "host": socket.gethostname(), "since": since}
        os.ftruncate(handle, 0)
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, f"{json.dumps(holder)}\n".encode())
        yield
    finally:
        os.close(handle)


def is_foreign(folder: Path) -> bool:
    """Whether the folder's `lock` is something else. An empty one is not: its holder is about to write it.

    Raises:
        OSError: it cannot be read.
    """
    path = folder / LOCK
    if not path.exists():
        return path.is_symlink()
    if not path.is_file():
        return True
    with path.open("rb") as stream:
        said = stream.read(_LONGEST)
    try:
        return bool(said) and not _who(said)
    except (ValueError, KeyError, TypeError, RecursionError):
        return True


def _who(said: bytes) -> str:
    """The holder that a lock names. Raises ValueError, KeyError, TypeError: it names none."""
    holder = parse_json(said)
    return f"process {holder['pid']} on {holder['host']}, since {holder['since']}"


def _in_use(folder: Path, path: Path) -> FolderInUse:
    try:
        who = _who(path.read_bytes())
    except (OSError, ValueError, KeyError, TypeError):  # it has not written yet who it is
        who = "another process"
    return FolderInUse(
        f"Another evaluation writes to {folder}: {who}.",
        "Wait for its end, or name another folder with --out.",
    )
