"""Schedulers and workers of Dask as processes, for tests that kill them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

QUIET = {**os.environ, "DASK_DISTRIBUTED__DASHBOARD__LINK": "", "PYTHONWARNINGS": "ignore"}


def while_running(process: subprocess.Popen[str], holds: Callable[[], Any]) -> None:
    """Wait until it holds, while a process runs."""
    while not holds():
        with suppress(subprocess.TimeoutExpired):
            raise AssertionError(f"it ended with {process.wait(0.01)} before that held")


@contextmanager
def dask(*arguments: str, environment: Mapping[str, str] = QUIET) -> Iterator[subprocess.Popen[str]]:
    """A program of Dask, such as a scheduler or a worker, which ends with the block."""
    command = [sys.executable, "-m", "distributed.cli." + arguments[0], *arguments[1:]]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=environment
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def scheduler() -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address of a scheduler, and its process."""
    options = ("--port", "0", "--no-dashboard", "--host", "127.0.0.1")
    with dask("dask_scheduler", *options) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if found := re.search(r"tcp://127\.0\.0\.1:\d+", line):
                yield found[0], process
                return
        raise AssertionError("the scheduler ended")


def worker(address: str, environment: Mapping[str, str] = QUIET) -> Any:
    """A worker of a scheduler, which nobody starts again."""
    options = ("--nthreads", "1", "--no-dashboard", "--no-nanny")
    return dask("dask_worker", address, *options, environment=environment)
