"""A lock that allows one evaluation at a time in a folder."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from lean_extract.common.errors import UserError
from lean_extract.common.file_lock import open_lock_file, read_holder, try_lock, write_holder
from lean_extract.common.files.json_text import parse_json

LOCK = "lock"
"""The lock file's name in an evaluation's folder."""
_LONGEST = 4096


class FolderInUse(UserError):
    """Another evaluation is writing to this folder."""


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold the folder for the block.

    Raises:
        FolderInUse: another process holds it; the message says which one.
        UserError: the folder has a file of that name that is not an evaluation's lock.
        OSError: the folder cannot be written to, or its file system has no locks.
    """
    path = folder / LOCK
    if is_foreign(folder):
        raise UserError(
            f"{path} is not an evaluation's lock, and would be overwritten.",
            "Move it elsewhere, or name another folder with --out.",
        )
    with open_lock_file(path) as descriptor:
        if not try_lock(descriptor):
            raise _in_use(folder, path)
        since = datetime.now().astimezone().isoformat(" ", "seconds")
        holder = {"pid": os.getpid(), "host": socket.gethostname(), "since": since}
        write_holder(descriptor, json.dumps(holder))
        yield


def is_foreign(folder: Path) -> bool:
    """Whether the folder's `lock` is not ours. An empty one is: its holder is about to write to it.

    Raises:
        OSError: it cannot be read.
    """
    path = folder / LOCK
    if not path.exists():
        return path.is_symlink()
    if not path.is_file():
        return True
    holder = read_holder(path, _LONGEST)
    try:
        return bool(holder) and not _description(holder)
    except (ValueError, KeyError, TypeError, RecursionError):
        return True


def _description(content: bytes) -> str:
    """The holder that a lock names. Raises ValueError, KeyError, TypeError: it names none."""
    holder = parse_json(content)
    return f"process {holder['pid']} on {holder['host']}, since {holder['since']}"


def _in_use(folder: Path, path: Path) -> FolderInUse:
    try:
        who = _description(read_holder(path, _LONGEST))
    except (OSError, ValueError, KeyError, TypeError):  # the holder has not written its name yet
        who = "another process"
    return FolderInUse(
        f"Another evaluation is writing to {folder}: {who}.",
        "Wait until it ends, or name another folder with --out.",
    )
