"""Several processes at one address: each accepts connections of the same socket and answers by itself.

The parent holds the socket and no index. It starts the workers, replaces one that has died, and ends them when it
shall stop. A worker ends when its parent has ended, whatever the reason.

uvicorn's own supervisor (0.54) is not used: its workers continue when the parent is killed, and it cannot report why
a worker's index cannot be opened.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from socket import socket
from types import FrameType

from lean_extract.common.errors import PremiseSuggestError, UserError
from lean_extract.common.python_path import safe_path
from lean_extract.common.terminal_text import print_line
from lsp_server.limits import WORKER_DEATHS, WORKER_RESTART_SECONDS, WORKERS_STOP_SECONDS

_SPAWN = multiprocessing.get_context("spawn")


_Work = Callable[[socket, int, Callable[[], None]], object]
"""(listener, the worker's number from 0, what to call when it listens): serves until a signal ends it. Is pickled."""


@dataclass(slots=True)
class _Worker:
    """A process, and the connection over which it reports that it is ready, or why it cannot be."""

    number: int
    process: BaseProcess
    reports: Connection
    is_ready: bool = False


class Workers:
    """Processes that do the same work on one socket.

    Args:
        work: what each does.
        listener: the socket that all of them accept connections of.
        on_ready: called once, when all of them listen.
        on_death: called with the process id of a worker that has ended.
    """

    def __init__(
        self, work: _Work, listener: socket, on_ready: Callable[[], None], on_death: Callable[[int], None]
    ) -> None:
        self._work, self._listener = work, listener
        self._on_ready, self._on_death = on_ready, on_death
        self._was_ready = False
        self._deaths = 0
        self._workers: list[_Worker] = []

    def run(self, count: int) -> int:
        """Run this many workers until a signal ends this process; returns the signal.

        Raises what `work` raises before a worker is ready, and UserError if workers keep dying.
        """
        with _stop_requests() as (stopping, numbers):
            try:
                for number in range(count):
                    self._workers.append(self._start(number))
                self._watch(stopping)
            finally:
                self._stop()
        return numbers[0] if numbers else 0

    def _watch(self, stopping: Connection) -> None:
        """Watch over the workers until something can be read from `stopping`."""
        while True:
            waited = [stopping, *(one.reports for one in self._workers if not one.reports.closed)]
            found = wait([*waited, *(one.process.sentinel for one in self._workers)])
            if stopping in found:
                return
            for worker in list(self._workers):
                if worker.reports in found:
                    self._receive(worker)
                if worker.process.sentinel in found:
                    self._replace(worker)
                    wait([stopping], WORKER_RESTART_SECONDS)

    def _receive(self, worker: _Worker) -> None:
        try:
            report = worker.reports.recv()
        except (EOFError, OSError):
            worker.reports.close()  # its end is seen by the sentinel
            return
        if isinstance(report, PremiseSuggestError):
            raise report
        worker.is_ready = True
        self._deaths = 0
        if not self._was_ready and all(one.is_ready for one in self._workers):
            self._was_ready = True
            self._on_ready()

    def _replace(self, worker: _Worker) -> None:
        if not worker.reports.closed and worker.reports.poll():
            self._receive(worker)  # it may have reported why
        worker.process.join()
        pid, code = worker.process.pid, worker.process.exitcode
        worker.reports.close()
        self._deaths += 1
        if pid is not None:
            self._on_death(pid)
        if self._deaths >= WORKER_DEATHS:
            raise UserError(
                f"The workers end as soon as they are started (the last one with code {code}).",
                "Their output above may give the reason; more memory, or fewer --workers, may help.",
            )
        print_line(f"note: worker {pid} ended with code {code}; another one is started.", sys.stderr)
        self._workers[worker.number] = self._start(worker.number)

    def _start(self, number: int) -> _Worker:
        ours, theirs = _SPAWN.Pipe()
        process = _SPAWN.Process(
            target=_worker, args=(self._work, self._listener, number, theirs), name=f"worker {number + 1}"
        )
        with safe_path():
            process.start()
        theirs.close()
        return _Worker(number, process, ours)

    def _stop(self) -> None:
        """End all workers; those that do not end in time are killed."""
        for worker in self._workers:
            worker.process.terminate()
        until = time.monotonic() + WORKERS_STOP_SECONDS
        for worker in self._workers:
            worker.process.join(max(0.0, until - time.monotonic()))
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
            worker.reports.close()


def _worker(work: _Work, listener: socket, number: int, parent: Connection) -> None:
    """The main function of a worker."""
    if sys.platform != "win32":
        os.setsid()  # Ctrl-C is the parent's, which ends the workers
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    try:
        work(listener, number, lambda: parent.send("ready"))
    except PremiseSuggestError as error:
        parent.send(error)


def _end_with(parent: Connection) -> None:
    """Ask this process to end when the parent's end of the connection is closed."""
    try:
        parent.recv()
    except (EOFError, OSError):
        os.kill(os.getpid(), signal.SIGTERM)


@contextmanager
def _stop_requests() -> Iterator[tuple[Connection, Sequence[int]]]:
    """A connection that can be read once a signal has arrived that ends this process, and the signal."""
    reading, writing = _SPAWN.Pipe(duplex=False)
    numbers: list[int] = []

    def handle(number: int, frame: FrameType | None) -> None:
        numbers.append(number)
        if len(numbers) == 1:
            writing.send_bytes(b"stop")

    before = {number: signal.signal(number, handle) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield reading, numbers
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        reading.close()
        writing.close()
