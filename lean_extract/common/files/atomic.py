"""Writes files atomically."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from lean_extract.common.files.private import make_private_folder, private_file


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
