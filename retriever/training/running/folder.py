"""The folder of a run, which one process holds at a time."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lean_extract.common.errors import ModelError, UserError
from lean_extract.common.file_lock import open_lock_file, read_holder, try_lock, write_holder
from retriever.training.running.process import find_process

LOCK = "run.lock"
_LOOKS, _LOOK_SECONDS = 100, 0.05


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A folder that this process holds."""

    path: Path
    lock: int
    """The descriptor of its lock file."""

    @property
    def is_held(self) -> bool:
        """Whether the folder is still the one whose lock was taken: neither deleted nor replaced."""
        try:
            return os.path.samestat(os.fstat(self.lock), (self.path / LOCK).stat())
        except FileNotFoundError:
            return False

    def check(self) -> None:
        """Raises ModelError when the folder was deleted or replaced."""
        if not self.is_held:
            raise ModelError(
                f"The run folder {self.path} was deleted or replaced while its run was going.",
                "The run has ended without writing anything there. Start it again, or restore the folder.",
            )


@contextmanager
def held(run: Path) -> Iterator[RunFolder]:
    """Hold a run's folder, which is made if needed, for the block.

    Raises UserError when another process holds it, OSError when it cannot be made or locked.
    """
    run.mkdir(parents=True, exist_ok=True)
    with open_lock_file(run / LOCK) as descriptor:
        _lock(descriptor, run)
        folder = RunFolder(run, descriptor)
        folder.check()
        write_holder(descriptor, str(os.getpid()))
        yield folder


def refuse_folder_in_use(run: Path) -> None:
    """Raises UserError when a process holds the folder. Makes nothing; `held` has the last word."""
    if not (run / LOCK).exists():
        return
    with open_lock_file(run / LOCK) as descriptor:
        _lock(descriptor, run)


def _lock(descriptor: int, run: Path) -> None:
    """Lock the folder. A process that was killed may take a moment until it lets go; that is waited for."""
    for _ in range(_LOOKS):
        if try_lock(descriptor):
            return
        holder = _holder(run)
        if holder is None or find_process(holder) is not None:
            break
        time.sleep(_LOOK_SECONDS)
    raise _in_use(run)


def _holder(run: Path) -> int | None:
    """The process that the lock file names; None where it names none, as in the moment before it is written."""
    named = read_holder(run / LOCK, 40).decode(errors="replace").strip()
    return int(named) if named.isdigit() else None


def _in_use(run: Path) -> UserError:
    holder = _holder(run)
    who = "another process" if holder is None else f"process {holder}"
    hint = f"See it with `python -m retriever train-status {run}`, stop it with `train-stop`, or name another folder."
    return UserError(f"The run {run} is being trained by {who}.", hint)
