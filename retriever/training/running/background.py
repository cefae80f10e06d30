"""Starts a run in a process of its own, which the terminal's end leaves alone."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from lean_extract.common.errors import ModelError, UserError
from retriever.training.running.process import RunProcess, find_process
from retriever.training.running.progress import PROGRESS, read_progress

LOG = "run.log"
_LOOK_SECONDS = 0.2
_LAST_LINES = 20


def start_in_background(command: Sequence[str], run: Path) -> int:
    """Start a command that trains a run, and wait until the run has begun; the exit code.

    Its output is appended to the run's log. Where it ends before it has begun, the end of its output is shown,
    and its exit code returned. Raises UserError where several processes are to train together, OSError.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        hint = "Start the launcher itself in the background, with `nohup` or as a service."
        raise UserError("A launcher of several processes has to stay with them.", hint)
    run.mkdir(parents=True, exist_ok=True)
    log = run / LOG
    with log.open("ab") as stream:
        before = stream.tell()
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream, start_new_session=True
        )
    print(f"Process {child.pid} starts; its output goes to {log}.", flush=True)
    code = _wait_for_beginning(child, run)
    if code is None:
        print(_where(run))
        return 0
    print(_end_of(log, before), file=sys.stderr if code else sys.stdout)
    return code


def _wait_for_beginning(child: subprocess.Popen[bytes], run: Path) -> int | None:
    """The child's exit code where it ended meanwhile; None once it has begun. Ctrl-C leaves the child alone."""
    process = find_process(child.pid)
    while True:
        try:
            return child.wait(_LOOK_SECONDS)
        except subprocess.TimeoutExpired:
            if process is not None and _has_begun(process, run):
                return None


def _has_begun(process: RunProcess, run: Path) -> bool:
    """Whether the folder's progress file is of this process."""
    if not (run / PROGRESS).exists():
        return False
    try:
        return read_progress(run).process.is_same(process)
    except ModelError:  # a damaged file of an earlier run, which this one will replace
        return False


def _where(run: Path) -> str:
    return (
        f"The run {run} has begun, and goes on in the background.\n"
        f"See it:  {_python()} -m retriever train-status {run}\n"
        f"Stop it: {_python()} -m retriever train-stop {run}"
    )


def _python() -> str:
    return Path(sys.executable).name


def _end_of(log: Path, start: int) -> str:
    with log.open("rb") as stream:
        stream.seek(start)
        lines = stream.read().decode(errors="replace").splitlines()
    return "\n".join(lines[-_LAST_LINES:]) or f"The run ended without a word; see {log}."
