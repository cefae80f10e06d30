"""Files and folders for the user alone, whatever the umask: those of our caches. The user's own follow the umask."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path

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
