"""Writes that fail, and processes that are killed while they write."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).parents[2]
_KILLED = """
import os, signal

flush, left = os.fsync, [{flushes}]
def counted(handle):
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    flush(handle)

os.fsync = counted
"""


def run_killed(program: str, flushes: int) -> int:
    """Run Python code in a process of its own that is killed at its n-th flush to the disk; its exit code."""
    line = [sys.executable, "-c", _KILLED.format(flushes=flushes) + program]
    return subprocess.run(line, cwd=ROOT, timeout=120).returncode


def refusing(number: int) -> Callable[..., NoReturn]:
    """A function of the system that fails with this error, such as ENOSPC."""

    def refuse(*arguments: object, **options: object) -> NoReturn:
        raise OSError(number, os.strerror(number))

    return refuse
