"""A folder put in the place of another, by one writer at a time, and put right where a writer was killed.

Beside the folder `NAME` there may be, while somebody writes it:

.NAME.lock           who holds it may write, or put right what a writer that was killed has left
.NAME.xxxxxxxx       what is written, or is being taken away
.NAME.xxxxxxxx.old   what was there before; where NAME is missing the next reader or writer puts it back
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

LONGEST_NAME = 240
"""Bytes of a folder's name: 255 less what stands around it in the names beside its folder."""

_LEFT = re.compile(r"\.(?P<name>.+)\.[a-z0-9_]{8}(?P<old>\.old)?", re.DOTALL)


def recover(parent: Path) -> None:
    """Put back the collections of a folder that a writer, killed between two renames, left aside.

    Waits for a writer that is alive and just there. Where nothing can be written it changes nothing.
    """
    for _, name, old in _left(parent):
        if old and not os.path.lexists(parent / name):
            with suppress(OSError), _locked(parent / name):
                _tidy(parent / name)


def folders_in(parent: Path) -> list[Path]:
    """The folders that may hold a collection, by name; also those that a writer has aside just now."""
    names = set()
    for path in parent.glob("*"):  # one look: while it is replaced a folder has now one name, now another
        left = _LEFT.fullmatch(path.name)
        if left and left["old"]:
            names.add(left["name"])
        elif not path.name.startswith("."):
            names.add(path.name)
    return [parent / name for name in sorted(names)]


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Be the one who may change a folder; before and after, put right what a broken-off change left.

    Raises OSError.
    """
    with _locked(folder):
        _tidy(folder)
        try:
            yield
        finally:  # after a Ctrl-C, too
            _tidy(folder)


def _tidy(folder: Path) -> None:
    """Where the folder is missing put back what was there before; take the rest away. Only under the lock."""
    before = [path for path, old in _left_of(folder) if old]
    if before and not os.path.lexists(folder):
        max(before, key=_written).rename(folder)
    for path, old in _left_of(folder):
        # First another name: what is called .old is whole, however this ends.
        _discard(path.rename(beside(folder)) if old else path)


def _written(folder: Path) -> int:
    """When, in nanoseconds; 0 where that cannot be told."""
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return 0


def _discard(path: Path) -> None:
    if path.is_symlink() or path.is_file():  # somebody keeps a collection elsewhere
        path.unlink()
    else:
        shutil.rmtree(path, ignore_errors=True)


def _left(parent: Path) -> list[tuple[Path, str, bool]]:
    """(path, of which name, whether it was there before) of what writers, alive or not, have aside."""
    found = [(path, _LEFT.fullmatch(path.name)) for path in sorted(parent.glob(".*"))]
    return [(path, match["name"], match["old"] is not None) for path, match in found if match]


def _left_of(folder: Path) -> list[tuple[Path, bool]]:
    return [(path, old) for path, name, old in _left(folder.parent) if name == folder.name]


def beside(folder: Path, end: str = "") -> Path:
    """A new name that `_left` finds."""
    return folder.with_name(f".{folder.name}.{secrets.token_hex(4)}{end}")


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock file of a folder, waiting for it; it goes with its last holder. Raises OSError.

    The system frees it when its holder dies. (`retriever.search.index.lock` does not wait, and its file stays.)
    """
    path = folder.with_name(f".{folder.name}.lock")
    handle = _acquired(path)
    try:
        yield
    finally:
        _release(handle, path)


def _acquired(path: Path) -> int:
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _wait_for(handle)
            if _is_still(handle, path):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)  # whom we waited for took the file away: whoever comes now locks another


def _is_still(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


if sys.platform == "win32":

    def _wait_for(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_LOCK, 1)

    def _release(handle: int, path: Path) -> None:
        os.close(handle)
        with suppress(PermissionError):  # another has it open: that one takes it away
            path.unlink(missing_ok=True)

else:

    def _wait_for(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX)

    def _release(handle: int, path: Path) -> None:
        try:
            path.unlink(missing_ok=True)
        finally:
            os.close(handle)
