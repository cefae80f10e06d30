"""The lowest door to the disk: arrays, string tables and documents of a segment folder, in and out.

Writing goes to a folder nobody reads yet; each file is flushed to the disk before it is trusted.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import mmap
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lean_extract.errors import IndexDamaged, IndexWriteFailed

REBUILD = "Run `premise-suggest index` to build it again."


def write_bytes(path: Path, data: bytes | memoryview) -> None:
    """Write a file and flush it to the disk. Raises OSError."""
    with path.open("wb") as stream:
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
    np.cumsum([len(line) + 1 for line in lines], out=starts[1:])
    write_bytes(folder / f"{stem}.txt", b"".join(line + b"\n" for line in lines))
    write_array(folder / f"{stem}.npy", starts)


def read_array(path: Path) -> npt.NDArray[Any]:
    """A .npy file, memory-mapped. Raises OSError or ValueError."""
    # An array without elements cannot be mapped; its file is nothing but the header.
    small = path.stat().st_size <= 4096
    return np.asarray(np.load(path, mmap_mode=None if small else "r", allow_pickle=False))


def read_json(path: Path) -> Any:
    """A JSON document. Raises OSError or ValueError."""
    return json.loads(path.read_bytes())


class StringTable:
    """Strings of a memory-mapped table; nothing is decoded before it is asked for."""

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
        """All the bytes, a line feed behind each string."""
        return self._data

    @property
    def starts(self) -> npt.NDArray[np.integer]:
        """int[n + 1]: where each string begins in `data`."""
        return np.asarray(self._starts)

    def __iter__(self) -> Iterator[str]:
        return iter(bytes(self._data[:]).decode().split("\n")[:-1])


def hash_file(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal. Raises OSError."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def sync_folder(folder: Path) -> None:
    """Flush a folder's entries (a rename) to the disk, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


_REASONS = {
    errno.ENOSPC: ("the disk is full", "Free some space and run `premise-suggest index` again."),
    errno.EDQUOT: ("the disk quota is used up", "Free some space and run `premise-suggest index` again."),
    errno.EFBIG: ("a file would grow over the limit", "Raise the limit on file sizes (`ulimit -f`)."),
    errno.EACCES: ("permission is denied", "Allow writing there, or name another index folder."),
    errno.EPERM: ("permission is denied", "Allow writing there, or name another index folder."),
    errno.EROFS: ("the file system is read-only", "Name another index folder."),
}


@contextmanager
def explained_writes(root: Path) -> Iterator[None]:
    """Turns an OSError of the block into IndexWriteFailed that names the folder and the reason."""
    try:
        yield
    except OSError as error:
        fallback = (str(error.strerror or error), "Mend that and run `premise-suggest index` again.")
        reason, hint = _REASONS.get(error.errno or 0, fallback)
        message = f"The premise index in {root} could not be written: {reason}; the old index is untouched."
        raise IndexWriteFailed(message, hint) from error


def damaged(path: Path, what: object) -> IndexDamaged:
    """The error for a file that is cut off, altered or of an unknown form."""
    return IndexDamaged(f"The premise index is damaged: {path}: {what}.", REBUILD)
