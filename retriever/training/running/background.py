"""Starts a run in a process of its own, which the terminal's end leaves alone."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from lean_extract.common.errors import ModelError, UserError
from retriever.limits import RUN_START_POLL_SECONDS
from retriever.training.running.run_folder import PROGRESS, read_progress

_LOG = "run.log"
_LAST_LINES = 20


def start_in_background(command: Sequence[str], run: Path) -> int:
    """Start a command that trains a run, and wait until the run has begun; the exit code.

    Its output is appended to the run's log. Where it ends before it has begun, the end of its output is shown,
    and its exit code returned; Ctrl-C leaves it alone. Raises UserError where several processes are to train
    together, OSError.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        hint = "Start the launcher itself in the background, with `nohup` or as a service."
        raise UserError("A launcher of several processes has to stay with them.", hint)
    run.mkdir(parents=True, exist_ok=True)
    log = run / _LOG
    with log.open("ab") as stream:
        before = stream.tell()
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream, start_new_session=True
        )
    print(f"Process {child.pid} starts; its output goes to {log}.", flush=True)
    while not _has_begun(child.pid, run):
        try:
            code = child.wait(RUN_START_POLL_SECONDS)
        except subprocess.TimeoutExpired:
            continue
        print(_end_of(log, before), file=sys.stderr if code else sys.stdout)
        return code
    python = Path(sys.executable).name
    print(f"The run {run} has begun, and goes on in the background.")
    print(f"See it:  {python} -m retriever train-status {run}")
    print(f"Stop it: {python} -m retriever train-stop {run}")
    return 0


def _has_begun(process: int, run: Path) -> bool:
    """Whether the folder's progress file is of this process, and that still runs."""
    if not (run / PROGRESS).exists():
        return False
    try:
        progress = read_progress(run)
    except ModelError:  # a damaged file of an earlier run, which this one will replace
        return False
    return progress.process == process and progress.state == "running"


def _end_of(log: Path, start: int) -> str:
    with log.open("rb") as stream:
        stream.seek(start)
        lines = stream.read().decode(errors="replace").splitlines()
    return "\n".join(lines[-_LAST_LINES:]) or f"The run ended without a word; see {log}."
