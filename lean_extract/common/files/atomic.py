"""Writes files atomically, and makes files and folders for the user alone.

Those of our caches are private whatever the umask; the user's own follow the umask.
"""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

UMASK = 0o077
"""For programs that write into a cache."""
_FOLDER, _FILE = 0o700, 0o600


def private_file(path: str, flags: int) -> int:
    """What `open` needs as its `opener` to make a file for the user alone."""
    return os.open(path, flags, _FILE)


def make_private_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing. One that is there and the user's is closed to others.

    Raises OSError.
    """
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    for one in reversed(missing):
        with suppress(FileExistsError):  # another process was faster
            one.mkdir(_FOLDER)
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    if folder.stat().st_mode & UMASK and not folder.is_symlink():
        with suppress(PermissionError):  # somebody else's
            folder.chmod(_FOLDER)


@contextmanager
def replacing(path: Path, *, is_private: bool = False) -> Iterator[IO[str]]:
    """A text stream whose contents replace `path` when the block ends without an error.

    If `path` is not a regular file (a device, a pipe), the stream writes to it directly. `is_private`: it and the
    folders that are made for it are for the user alone, as in a cache.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        with path.open("w", encoding="utf-8") as stream:
            yield stream
        return
    if is_private:
        make_private_folder(path.parent)
    opener = private_file if is_private else None
    with _beside(path) as temporary, open(temporary, "x", encoding="utf-8", opener=opener) as stream:
        yield stream
        stream.flush()
        os.fsync(stream.fileno())


@contextmanager
def replacing_bytes(path: Path) -> Iterator[IO[bytes]]:
    """The same with a stream of bytes, for regular files only."""
    with _beside(path) as temporary, temporary.open("xb") as stream:
        yield stream
        stream.flush()
        os.fsync(stream.fileno())


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """The path of a new file in the same folder that replaces `path` at the end; it is removed on an error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Not `tempfile`: its files are readable by their owner only, and a rename keeps the mode.
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
    try:
        yield temporary
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
