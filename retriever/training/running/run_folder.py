"""The folder of a run: whose it is, which process trains in it, and how far that is. Read without torch."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import psutil
import yaml

from lean_extract.common.errors import ModelError, UserError
from lean_extract.common.file_lock import open_lock_file, read_holder, try_lock, write_holder
from lean_extract.common.files.json_text import read_json
from lean_extract.common.typed import read_typed
from retriever.limits import RUN_LOCK_POLL_SECONDS, RUN_LOCK_TRIES

CONFIG = "config.yaml"
PROGRESS = "progress.json"
_LOCK = "run.lock"
"""Locked by the process that trains, as long as it does; holds its number."""
_HINT = "Name a folder that `python -m retriever train` wrote."


def check_run_folder(run: Path) -> None:
    """Raises ModelError unless the folder is that of a run, of whatever kind."""
    if not run.is_dir():
        raise ModelError(f"There is no run {run}.", _HINT)
    if not (run / CONFIG).is_file():
        raise ModelError(f"{run} is not a run folder: it has no {CONFIG}.", _HINT)


def check_run(run: Path, *kinds: str) -> None:
    """Raises ModelError unless the folder is that of a run of one of these kinds, as its config.yaml says."""
    check_run_folder(run)
    try:
        values = read_config(run)
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise ModelError(f"{run / CONFIG} cannot be read: {error}.", _HINT) from error
    kind = values.get("kind") if isinstance(values, dict) else None
    if kind not in kinds:
        raise ModelError(f"The run {run} is of kind {kind}, not {' or '.join(kinds)}.", "Name another run.")


def read_config(run: Path) -> Any:
    """The plain values of a run's configuration. Raises OSError, ValueError, YAMLError."""
    return yaml.safe_load((run / CONFIG).read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A folder that this process holds."""

    path: Path
    lock: int
    """The descriptor of its lock file."""

    def check(self) -> None:
        """Raises ModelError when the folder was deleted or replaced: it has not the lock that was taken."""
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(self.lock), (self.path / _LOCK).stat()):
                return
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
    with open_lock_file(run / _LOCK) as descriptor:
        _lock(descriptor, run)
        folder = RunFolder(run, descriptor)
        folder.check()
        write_holder(descriptor, str(os.getpid()))
        yield folder


def refuse_folder_in_use(run: Path) -> None:
    """Raises UserError when a process holds the folder. Makes nothing; `held` has the last word."""
    if (run / _LOCK).exists():
        with open_lock_file(run / _LOCK) as descriptor:
            _lock(descriptor, run)


def is_trained(run: Path) -> bool:
    """Whether a process of this machine trains in the folder now."""
    if not (run / _LOCK).exists():
        return False
    try:
        with open_lock_file(run / _LOCK) as descriptor:
            return not try_lock(descriptor)
    except PermissionError:  # it is another user's
        return _holder(run) is not None


def _lock(descriptor: int, run: Path) -> None:
    """Lock the folder. A process that was killed, or only looks whether it is locked, soon lets go."""
    for _ in range(RUN_LOCK_TRIES):
        if try_lock(descriptor):
            return
        if _holder(run) is not None:
            break
        time.sleep(RUN_LOCK_POLL_SECONDS)
    holder = _holder(run)
    who = "another process" if holder is None else f"process {holder}"
    hint = f"See it with `python -m retriever train-status {run}`, stop it with `train-stop`, or name another folder."
    raise UserError(f"The run {run} is being trained by {who}.", hint)


def _holder(run: Path) -> int | None:
    """The process that the lock file names, if there is one of that number."""
    named = read_holder(run / _LOCK, 40).decode(errors="replace").strip()
    return int(named) if named.isdigit() and psutil.pid_exists(int(named)) else None


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is: `progress.json`, written by the run, read by `train-status`."""

    process: int
    """The number of its process."""
    host: str
    kind: str
    steps: int
    """Of the whole run."""
    until: int
    """The step at which this call ends."""
    step: int
    """Steps done."""
    seconds: float
    """Spent in training, over all calls."""
    precision: str
    threads: int
    deadline: str | None = None
    state: Literal["running", "stopped", "done", "failed", "killed"] = "running"
    reason: str = ""
    """Why it does not run any more; empty when it is done."""
    loss: float | None = None
    """The last reported loss, averaged since the report before it."""
    figures: dict[str, float] = field(default_factory=dict)
    """The figures of the last validation of this call; the first one counts."""
    steps_per_second: float | None = None
    """Of this call, validations included."""
    estimated_end: str | None = None
    """When it comes to `until`. Times are ISO, with their zone."""
    written: str = ""

    @property
    def is_here(self) -> bool:
        """Whether its process is one of this machine."""
        return self.host == socket.gethostname()


def read_progress(run: Path) -> RunProgress:
    """How far a run is; `killed` where its process ended without saying so. Raises ModelError."""
    path = run / PROGRESS
    try:
        progress = read_typed(RunProgress, read_json(path))
    except FileNotFoundError as error:
        hint = "Name the folder of a run that has begun."
        raise ModelError(f"There is no run in {run}: it has no {PROGRESS}.", hint) from error
    except (OSError, ValueError, TypeError) as error:
        hint = "Remove it; a run that goes on writes it anew."
        raise ModelError(f"{path} cannot be read: {error}.", hint) from error
    if progress.state == "running" and progress.is_here and not is_trained(run):
        reason = f"process {progress.process} ended without reporting why"
        return replace(progress, state="killed", reason=reason, estimated_end=None)
    return progress
