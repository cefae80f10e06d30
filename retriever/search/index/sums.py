"""Whether the files of a folder are what was written: sizes each time, contents once after each change.

A document names each file with its size and SHA-256. On opening, sizes are compared, and that a file has not
changed since it was last read whole: `MARK` beside the files keeps a hash of their sizes, times and inodes
from then. Where it does not fit (the files are new, were copied, or anything wrote to one of them) all of
them are read. Files whose last change is hardly over are not marked, as a clock's tick may hide another.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from lean_extract.common.files.atomic import private_file
from lean_extract.common.files.reading import read_regular
from retriever.search.index.files import damaged

Sums = Mapping[str, tuple[int, str]]
"""Of each file, by its name: bytes, and SHA-256 in hexadecimal."""
GoOn = Callable[[int], bool]
"""Hears how many bytes were read since the last time; False ends the reading."""

MARK = "checked"
_TICK_NS, _COARSE_NS = 50_000_000, 2_500_000_000
"""Longer than a tick of a file system's clock: some count in seconds, or in twos."""
_PIECE = 1 << 22
_BROKEN_OFF = ""


def always(_: int) -> bool:
    """Go on to the end."""
    return True


def sums_of(paths: Iterable[Path]) -> dict[str, tuple[int, str]]:
    """The sums of files as they are now. Raises OSError."""
    return {path.name: (path.stat().st_size, _digest_of(path, always)) for path in paths}


def check(folder: Path, sums: Sums, mark: str = MARK) -> None:
    """That the files are what was written. Raises OSError, and IndexDamaged that names the first that is not.

    Args:
        mark: the file in the folder that says what was last found whole.
    """
    if not sums:
        return
    stats = {name: (folder / name).stat() for name in sums}
    for name, found in stats.items():
        if problem := _problem(found, sums[name][0]):
            raise damaged(folder / name, problem)
    state = _state(stats, sums)
    if _marked(folder / mark) == state:
        return
    is_settled = _is_settled(stats.values())  # before anything is read
    for name, (_, digest) in sums.items():
        if _digest_of(folder / name, always) != digest:
            raise damaged(folder / name, "was altered")
    if is_settled:
        _write_mark(folder / mark, state)


def _is_settled(stats: Iterable[os.stat_result]) -> bool:
    """Whether the file system's clock has advanced since the last change of any file."""
    times = [time_ns for one in stats for time_ns in (one.st_mtime_ns, one.st_ctime_ns)]
    is_coarse = all(time_ns % 1_000_000_000 == 0 for time_ns in times)
    return time.time_ns() - max(times) > (_COARSE_NS if is_coarse else _TICK_NS)


def verify(folder: Path, sums: Sums, mark: str = MARK, go_on: GoOn = always) -> list[str]:
    """Read every file, whatever the mark says, and return what is wrong, in words. The mark is then removed."""
    found = [f"{path} {what}" for path, what in complaints(folder, sums, go_on)]
    if found:
        with suppress(OSError):  # in a folder that cannot be written it is found by the next to look, too
            (folder / mark).unlink(missing_ok=True)
    return found


def complaints(folder: Path, sums: Sums, go_on: GoOn = always) -> Iterable[tuple[Path, str]]:
    """The files that differ from what was written, and what is wrong with each."""
    for name, (size, digest) in sums.items():
        path = folder / name
        try:
            if problem := _problem(path.stat(), size):
                yield path, problem
            elif _digest_of(path, go_on) not in (digest, _BROKEN_OFF):
                yield path, "was altered"
        except FileNotFoundError:
            yield path, "is missing"
        except OSError as error:
            yield path, f"cannot be read: {error.strerror}"


def _problem(found: os.stat_result, size: int) -> str:
    if not stat.S_ISREG(found.st_mode):
        return "is not a regular file"
    return "" if found.st_size == size else f"has {found.st_size} bytes instead of {size}"


def _digest_of(path: Path, go_on: GoOn) -> str:
    """SHA-256 of a file, in hexadecimal; empty where it was broken off. Raises OSError."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while piece := stream.read(_PIECE):
            if not go_on(len(piece)):
                return _BROKEN_OFF
            digest.update(piece)
    return digest.hexdigest()


def _state(stats: Mapping[str, os.stat_result], sums: Sums) -> str:
    said = [
        f"{name} {sums[name][1]} {one.st_size} {one.st_mtime_ns} {one.st_ctime_ns} {one.st_ino}"
        for name, one in sorted(stats.items())
    ]
    return hashlib.sha256("\n".join(said).encode()).hexdigest()


def _marked(path: Path) -> str:
    """The state that was last verified; empty if unknown."""
    try:
        return read_regular(path, 256).decode("ascii", "replace").strip()
    except OSError:
        return ""


def _write_mark(path: Path, state: str) -> None:
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    with suppress(OSError):  # a folder that cannot be written: its files are read at the next opening, too
        try:
            with open(temporary, "w", encoding="ascii", opener=private_file) as stream:
                stream.write(state + "\n")
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
