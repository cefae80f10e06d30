"""The lowest door to the disk: arrays, string tables and documents of a segment folder, in and out.

Writing goes to a folder nobody reads yet; each file is flushed to the disk before it is trusted. A document
(a manifest, a segment's list of its files) is a JSON object whose last member, `sum`, is the SHA-256 of the
bytes before it; those of other files are listed in a document (`retriever.search.index.meta`).
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import mmap
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from lean_extract.common.errors import IndexDamaged, IndexLocked, IndexUnreadable, IndexWriteFailed
from lean_extract.common.file_lock import open_lock_file, read_holder, try_lock, write_holder
from lean_extract.common.files import json_text
from lean_extract.common.files.atomic import make_private_folder, private_file
from lean_extract.common.files.reading import read_regular
from retriever.limits import LOCK_POLL_SECONDS, MAX_INDEX_JSON_BYTES

REBUILD = "Run `premise-suggest index` to build it again."
DAMAGED = "The premise index is damaged: "


def write_bytes(path: Path, data: bytes | memoryview) -> None:
    """Write a file for the user alone and flush it to the disk. Raises OSError."""
    with open(path, "wb", opener=private_file) as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def npy_bytes(array: npt.NDArray[Any]) -> memoryview:
    """An array as a .npy file."""
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.ascontiguousarray(array), allow_pickle=False)
    return stream.getbuffer()


def write_array(path: Path, array: npt.NDArray[Any]) -> None:
    """Write a .npy file and flush it to the disk. Raises OSError."""
    # Not straight into the file: numpy's own writing hides the system's reason when the disk is full.
    write_bytes(path, npy_bytes(array))


def write_json(path: Path, value: object) -> None:
    """Write a JSON document and flush it to the disk. Raises OSError."""
    write_bytes(path, json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def write_strings(folder: Path, stem: str, strings: Iterable[str | bytes]) -> None:
    """Write a string table: `stem.txt` (one a line) and `stem.npy` (where each begins)."""
    lines = [line.encode() if isinstance(line, str) else line for line in strings]
    starts = np.zeros(len(lines) + 1, dtype=np.int64)
    starts[1:] = np.cumsum(np.fromiter(map(len, lines), dtype=np.int64, count=len(lines)) + 1)
    write_bytes(folder / f"{stem}.txt", b"\n".join([*lines, b""]))
    write_array(folder / f"{stem}.npy", starts)


def read_array(path: Path) -> npt.NDArray[Any]:
    """A .npy file, memory-mapped. Raises OSError or ValueError."""
    # An array without elements cannot be mapped; its file is nothing but the header.
    small = path.stat().st_size <= 4096
    return np.asarray(np.load(path, mmap_mode=None if small else "r", allow_pickle=False))


def read_json(path: Path) -> Any:
    """The value of a JSON file. Raises OSError or ValueError."""
    return json_text.read_json(path, MAX_INDEX_JSON_BYTES)


def write_document(path: Path, values: Mapping[str, Any]) -> None:
    """Write a JSON object with its sum and flush it to the disk. Raises OSError."""
    body = json.dumps(dict(values), ensure_ascii=False, separators=(",", ":")).encode()[:-1]
    write_bytes(path, b'%b,"sum":"%b"}' % (body, hashlib.sha256(body).hexdigest().encode()))


def read_document(path: Path, form: str, version: int) -> dict[str, Any]:
    """A JSON object of this form and version, its sum looked at and left out.

    One without a sum, as older versions wrote them, is taken as it is. Raises OSError, and IndexDamaged: it
    is of another form or version, or was altered.
    """
    try:
        data = read_regular(path, MAX_INDEX_JSON_BYTES)
        values = json_text.parse_json(data)
        if type(values) is not dict:
            raise ValueError("it holds no object")
        found = (values.pop("format", None), values.pop("version", None))
        if found != (form, version):
            message = f"{path} is {found[0]} {found[1]}, this version reads {form} {version}."
            raise IndexDamaged(message, REBUILD)
        digest = values.pop("sum", None)
        if digest is not None and not _ends_with_sum(data):
            raise ValueError("it was altered")
        return values
    except ValueError as error:
        raise damaged(path, error) from error


def _ends_with_sum(data: bytes) -> bool:
    match = _SUM.search(data[-_SUM_BYTES:])
    return match is not None and hashlib.sha256(data[:-_SUM_BYTES]).hexdigest().encode() == match[1]


_SUM = re.compile(rb'\A,"sum":"([0-9a-f]{64})"}\Z')
_SUM_BYTES = len(b',"sum":""}') + 64


class StringTable:
    """Strings of a memory-mapped table; each is decoded when it is read."""

    def __init__(self, folder: Path, stem: str) -> None:
        self._starts = read_array(folder / f"{stem}.npy")
        with (folder / f"{stem}.txt").open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            self._data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
        if len(self._starts) < 1 or int(self._starts[-1]) != size:
            raise ValueError(f"{stem}.txt has {size} bytes, its table of starts says otherwise")

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, index: int, /) -> str:
        return self.raw(index).decode()

    def raw(self, index: int) -> bytes:
        """A string's UTF-8 bytes."""
        return self._data[int(self._starts[index]) : int(self._starts[index + 1]) - 1]

    @property
    def data(self) -> bytes | mmap.mmap:
        """All the bytes, a line feed after each string."""
        return self._data

    @property
    def starts(self) -> npt.NDArray[np.integer]:
        """int[n + 1]: where each string begins in `data`."""
        return np.asarray(self._starts)

    def __iter__(self) -> Iterator[str]:
        return iter(bytes(self._data[:]).decode().split("\n")[:-1])


class RawStrings(Sequence[bytes]):
    """The strings of a table as bytes."""

    def __init__(self, folder: Path, stem: str) -> None:
        self._table = StringTable(folder, stem)

    def __len__(self) -> int:
        return len(self._table)

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> list[bytes]: ...
    def __getitem__(self, index: int | slice) -> bytes | list[bytes]:
        """The UTF-8 bytes of one string, or of several."""
        if isinstance(index, slice):
            return [self._table.raw(each) for each in range(*index.indices(len(self)))]
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self._table.raw(index)


def make_folder(folder: Path) -> None:
    """Make a folder for the user alone if there is none; a file in its way is replaced. Raises OSError."""
    if os.path.lexists(folder) and not folder.is_dir():
        folder.unlink()
    make_private_folder(folder)


def sync_folder(folder: Path) -> None:
    """Flush a folder's entries (a rename) to the disk, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


_ELSEWHERE = "Allow writing there, or name another index folder in PREMISE_SUGGEST_INDEX."
_REASONS = {
    errno.ENOSPC: ("the disk is full", "Free some space and run `premise-suggest index` again."),
    errno.EDQUOT: ("the disk quota is used up", "Free some space and run `premise-suggest index` again."),
    errno.EFBIG: ("a file would grow over the limit", "Raise the limit on file sizes (`ulimit -f`)."),
    errno.EACCES: ("permission is denied", _ELSEWHERE),
    errno.EPERM: ("permission is denied", _ELSEWHERE),
    errno.EROFS: ("the file system is read-only", _ELSEWHERE),
}


@contextmanager
def explained_writes(root: Path, problem: str = "") -> Iterator[None]:
    """Turns an OSError of the block into IndexWriteFailed that names the folder and the reason.

    `problem` says what is wrong with the index that was to be replaced.
    """
    try:
        yield
    except OSError as error:
        fallback = (str(error.strerror or error), "Fix that and run `premise-suggest index` again.")
        reason, hint = _REASONS.get(error.errno or 0, fallback)
        message = f"The premise index in {root} could not be written: {reason}; the old index is untouched."
        if problem:
            message = f"{problem} A new one could not be put in its place: {reason}."
        raise IndexWriteFailed(message, hint) from error


def damaged(path: Path, what: object, hint: str = REBUILD) -> IndexDamaged:
    """The error for a file that is cut off, altered or of an unknown form."""
    return IndexDamaged(f"{DAMAGED}{path}: {what}.", hint)


def unreadable(error: OSError, folder: Path, hint: str = REBUILD) -> IndexDamaged:
    """The error for what the system does not let us read; a file that is not there counts as damage."""
    path = error.filename if isinstance(error.filename, str | os.PathLike) else folder
    if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOMEM):
        message = f"The premise index cannot be read: {path}: {error.strerror}."
        return IndexUnreadable(
            message, "End other programs, or raise the limit (`ulimit -n`), and try again."
        )
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return damaged(Path(path), "the file is missing", hint)
    return damaged(Path(path), error.strerror or error, hint)


@contextmanager
def locked(path: Path, wait: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """Hold the lock file `path` for the block.

    Raises:
        IndexLocked: another process holds it and `wait`, called ten times a second, returned False.
        OSError: the file cannot be made or locked.
    """
    make_private_folder(path.parent)
    with open_lock_file(path, 0o600) as descriptor:
        while not try_lock(descriptor):
            if not wait():
                raise _held(path)
            time.sleep(LOCK_POLL_SECONDS)  # a wait in the system could not be interrupted
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
