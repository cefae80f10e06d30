"""What a segment says of itself and of its sources, whether its files are what was written, and the types of values.

A document's sum finds what a disk or another program did to it; the types of values in an index's documents see to
what it says, so that no name in it leads out of its folder and no number is what none of ours would be.

A document names each file with its size and SHA-256. On opening, sizes are compared, and that a file has not changed
since it was last read whole: `MARK` in the folder keeps a hash of their sizes, times and inodes from then. Where it
does not fit (the files are new, were copied, or anything wrote to one of them) all of them are read. Files whose last
change is hardly over are not marked, as a clock's tick may hide another.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from lean_extract.common.files.atomic import private_file
from lean_extract.common.files.reading import read_regular
from lean_extract.common.typed import Form, read_typed, read_value
from retriever.search.index.files import damaged, read_document, unreadable, write_document

FORMAT = "premise-suggest-segment"
VERSION = 5
"""It rises when the readings of statements change, too: an index keeps hashes and trees of them."""
META = "meta.json"
_LARGEST = 1 << 53


def _text(value: str) -> str:
    try:
        value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return "text"
    return "text" if "\0" in value else ""


def _count(value: int) -> str:
    return "" if 0 <= value < _LARGEST else f"a whole number from 0 to {_LARGEST - 1}"


def matching(pattern: re.Pattern[str], wanted: str) -> Callable[[str], str]:
    """A check that a text matches a regular expression."""
    return lambda value: "" if pattern.fullmatch(value) else wanted


Text = Annotated[str, _text]
"""Text that can be written and be part of a path."""
Count = Annotated[int, _count]
"""A number of things."""
PlainName = Annotated[str, matching(re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}"), "a plain name")]
"""A name that stays in its folder."""
Digest = Annotated[str, matching(re.compile(r"[0-9a-f]{64}"), "a SHA-256")]
"""In hexadecimal."""
_NAMES = {"documents": "premises", "sums": "files"}
_FORM = Form(lambda name: _NAMES.get(name, name))


@dataclass(frozen=True, slots=True)
class Meta:
    """What is known of a segment before its columns are opened."""

    fingerprint: Text
    documents: Count
    dimension: Count
    kinds: tuple[Text, ...]
    has_records: bool
    sums: Mapping[PlainName, tuple[Count, Digest]]

    @classmethod
    def read(cls, folder: Path) -> Meta:
        """A segment's meta.json. Raises OSError, IndexDamaged."""
        values = read_document(folder / META, FORMAT, VERSION)
        try:
            return read_typed(cls, values, _FORM)
        except ValueError as error:
            raise damaged(folder / META, error) from error

    def write(self, folder: Path) -> None:
        """Write it. Raises OSError."""
        write_document(folder / META, self.to_json())

    def to_json(self) -> dict[str, Any]:
        """The document that is written."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "fingerprint": self.fingerprint,
            "premises": self.documents,
            "dimension": self.dimension,
            "kinds": list(self.kinds),
            "has_records": self.has_records,
            "files": {name: list(found) for name, found in self.sums.items()},
        }


def read_checked(folder: Path) -> Meta:
    """A segment's meta.json, once its files were found to be what was written. Raises IndexDamaged."""
    try:
        meta = Meta.read(folder)
        check(folder, meta.sums)
    except OSError as error:
        raise unreadable(error, folder) from error
    return meta


def plain_name(value: Any) -> str:
    """A name that stays in its folder. Raises ValueError."""
    return str(read_value(PlainName, value))


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A source as it was when it was read, and its documents `start:stop`.

    Most corpora are made of files. Where a corpus is one large file, a part of it takes the place of a file.
    """

    path: str
    """Relative to the indexed folder if it is inside, otherwise absolute; the name of a part of a large file."""
    module: str
    """The name by which its corpus knows it."""
    package: str
    revision: str
    size: int
    mtime_ns: int
    sha256: str
    start: int
    stop: int
    more: tuple[Any, ...] = ()
    """What the backend keeps of it, as JSON values."""

    def to_json(self) -> list[Any]:
        """A plain list."""
        head = [self.path, self.module, self.package, self.revision, self.size, self.mtime_ns, self.sha256]
        return [*head, self.start, self.stop, *self.more]

    @classmethod
    def from_json(cls, row: Sequence[Any]) -> IndexedFile:
        """The inverse of `to_json`. Raises ValueError or TypeError."""
        path, module, package, revision, size, mtime_ns, sha256, start, stop, *more = row
        text = (str(path), str(module), str(package), str(revision))
        status, run = (int(size), int(mtime_ns)), (int(start), int(stop))
        return cls(*text, *status, str(sha256), *run, tuple(more))


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
    found = [f"{path} {what}" for path, what in _complaints(folder, sums, go_on)]
    if found:
        with suppress(OSError):  # in a folder that cannot be written it is found by the next to look, too
            (folder / mark).unlink(missing_ok=True)
    return found


def _complaints(folder: Path, sums: Sums, go_on: GoOn = always) -> Iterable[tuple[Path, str]]:
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
    lines = [
        f"{name} {sums[name][1]} {one.st_size} {one.st_mtime_ns} {one.st_ctime_ns} {one.st_ino}"
        for name, one in sorted(stats.items())
    ]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


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
