"""Reads untrusted files: regular files only, and never more than a limit.

A project folder may contain a FIFO, a link to a device or an endless file under any name. Opening it must not
block, and reading it must not fill the memory. All files in users' folders are read through this module.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from lean_extract.common.errors import BadSource
from lean_extract.limits import MAX_SOURCE_BYTES

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0)
_FLAGS |= getattr(os, "O_BINARY", 0)


def read_regular(path: Path, limit: int) -> bytes:
    """The bytes of a regular file of at most `limit` bytes. Links are followed.

    Never waits for a writer. Raises OSError: the file is missing, cannot be read, is not a regular file
    (EINVAL), or is larger than the limit (EFBIG). In each case `strerror` can be used in a sentence.
    """
    with open_regular(path) as stream:
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise OSError(errno.EFBIG, f"it is larger than {format_size(limit)}", str(path))
    return data


@contextmanager
def open_regular(path: Path) -> Iterator[BinaryIO]:
    """A regular file, open for reading in pieces. Raises OSError as `read_regular`."""
    _check_regular(path.stat(), path)  # opening a device may already have an effect
    handle = os.open(path, _FLAGS)
    try:
        _check_regular(os.fstat(handle), path)
        with os.fdopen(handle, "rb", closefd=False) as stream:
            yield stream
    finally:
        os.close(handle)


def _check_regular(status: os.stat_result, path: Path) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))


def read_regular_text(path: Path, limit: int) -> str:
    """The text of a regular file. Raises OSError as `read_regular`, and UnicodeDecodeError if it is not UTF-8."""
    return read_regular(path, limit).decode("utf-8")


def is_file(path: Path) -> bool:
    """Whether there is a regular file; False too if no file can have this name, or if it cannot be accessed."""
    return _is_kind(path, stat.S_ISREG)


def is_folder(path: Path) -> bool:
    """Whether there is a folder; False in the same cases as `is_file`."""
    return _is_kind(path, stat.S_ISDIR)


def is_pipe(path: Path) -> bool:
    """Whether there is a named pipe; False in the same cases as `is_file`."""
    return _is_kind(path, stat.S_ISFIFO)


def is_there(path: Path) -> bool:
    """Whether there is a file or folder of any kind; False in the same cases as `is_file`."""
    return _is_kind(path, lambda mode: True)


def _is_kind(path: Path, is_meant: Callable[[int], bool]) -> bool:
    try:
        return is_meant(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def read_source(path: Path) -> str:
    """The text of a Lean source file.

    Raises BadSource: the file cannot be read, is not a regular file, is too large, or is not UTF-8.
    """
    try:
        return read_regular_text(path, MAX_SOURCE_BYTES)
    except UnicodeDecodeError as error:
        raise BadSource(
            f"{path} is not UTF-8 text (byte {error.start}).", "Save the file as UTF-8, or leave it out."
        ) from error
    except OSError as error:
        raise BadSource(
            f"{path} cannot be read: {error.strerror or error}.", "Check the file and its permissions."
        ) from error


def format_size(size: int) -> str:
    """A size in readable form, such as `4 MiB`."""
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:.3g} {name}"
    return f"{size} bytes"
