"""One evaluation at a time in a folder."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from lean_extract.errors import UserError
from lean_extract.file_lock import open_lock_file, read_holder, try_lock, write_holder
from lean_extract.files.json_text import parse_json

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
        OSError: the folder cannot be written to, or its file system has no locks.
    """
    path = folder / LOCK
    if is_foreign(folder):
        raise UserError(
            f"{path} is no evaluation's, and would be written over.",
            "Put it elsewhere, or name another folder with --out.",
        )
    with open_lock_file(path) as descriptor:
        if not try_lock(descriptor):
            raise _in_use(folder, path)
        since = datetime.now().astimezone().isoformat(" ", "seconds")
        holder = {"pid": os.getpid(), "host": socket.gethostname(), "since": since}
        write_holder(descriptor, json.dumps(holder))
        yield


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
    said = read_holder(path, _LONGEST)
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
        who = _who(read_holder(path, _LONGEST))
    except (OSError, ValueError, KeyError, TypeError):  # it has not written yet who it is
        who = "another process"
    return FolderInUse(
        f"Another evaluation writes to {folder}: {who}.",
        "Wait for its end, or name another folder with --out.",
    )
