"""What `fill` has tried in a project, kept in the user's cache for `--resume`, and the lock of a command at work."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from lean_extract.common.errors import UserError
from lean_extract.common.file_lock import open_lock_file, read_holder, try_lock, write_holder
from lean_extract.common.files.atomic import make_private_folder, replacing
from lean_extract.common.files.json_text import read_json
from lean_extract.common.terminal_text import shown
from lean_extract.common.typed import Misfit, read_typed
from lsp_server import __version__
from lsp_server.commands.lean_files import LeanFile
from lsp_server.engine.stores import record_folder
from lsp_server.limits import FILL_RECORD_BYTES


@dataclass(frozen=True, slots=True)
class Attempt:
    """A search that found no proof. `seconds`: how long it could take; `is_false`: whether the goal is false."""

    seconds: float
    is_false: bool
    message: str


@dataclass(frozen=True, slots=True)
class _TriedFile:
    """`text`: the hash of a file's content; `tried`: the attempts at its `sorry`s, in their order."""

    text: str
    tried: tuple[Attempt | None, ...]


@dataclass(frozen=True, slots=True)
class _Tried:
    """`searched`: what other searches than these differ in. `files`: by their paths."""

    searched: str
    files: Mapping[str, _TriedFile] = field(default_factory=dict)


class FillRecord:
    """The attempts of a project, on disk.

    Args:
        root: the project's.
        imports: whether other imports are tried.
        resume: whether earlier attempts count; they are forgotten otherwise.
    """

    def __init__(self, root: Path, *, imports: bool, resume: bool) -> None:
        self._path = record_folder(root) / "tried.json"
        self._searched = f"premise-suggest {__version__}, imports: {imports}"
        self._files = dict(self._read()) if resume else {}

    def _read(self) -> Mapping[str, _TriedFile]:
        try:
            kept = read_typed(_Tried, read_json(self._path, FILL_RECORD_BYTES))
        except (OSError, Misfit, ValueError):  # none yet, or of another version: everything is tried again
            return {}
        return kept.files if kept.searched == self._searched else {}

    def attempts(self, file: LeanFile) -> Sequence[Attempt | None]:
        """The attempts at the `sorry`s of a file with this content, in their order; empty if there were none."""
        kept = self._files.get(_key(file))
        return kept.tried if kept is not None and kept.text == _hash(file) else ()

    def keep(self, file: LeanFile, attempts: Sequence[Attempt | None]) -> None:
        """Keep the attempts at the `sorry`s of a file."""
        self._files[_key(file)] = _TriedFile(_hash(file), tuple(attempts))
        with suppress(OSError), replacing(self._path, is_private=True) as stream:
            # Without it, only the next `--resume` tries again what was tried.
            json.dump(asdict(_Tried(self._searched, self._files)), stream)


def _key(file: LeanFile) -> str:
    return str(file.path.resolve())


def _hash(file: LeanFile) -> str:
    return hashlib.sha256(file.content.encode()).hexdigest()


@contextmanager
def only_one(command: str, root: Path) -> Iterator[None]:
    """Keep other runs of `fill` and `repair` away from a project. Raises UserError: there is one; OSError.

    Args:
        command: the one that is at work now.
        root: the project's.
    """
    folder = record_folder(root)
    make_private_folder(folder)
    lock = folder / "lock"
    with open_lock_file(lock, 0o600) as descriptor:
        if not try_lock(descriptor):
            other, _, process = shown(read_holder(lock, 40).decode(errors="replace").strip()).partition(" ")
            hint = "Wait until it ends, or stop it."
            raise UserError(
                f"`premise-suggest {other}` is already at work on {shown(root)}: process {process}.", hint
            )
        write_holder(descriptor, f"{command} {os.getpid()}")
        yield
