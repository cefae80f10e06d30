"""Each reader on each shape of text, at the largest size that its door lets in."""

from __future__ import annotations

import multiprocessing
import time
from multiprocessing.connection import Connection

from lean_extract.files.reading import MAX_STATE
from tests.fuzz.targets import TARGETS, bytes_of, text_of
from tests.hostile.tries.ground import Ground
from tests.hostile.tries.report import HANG_SECONDS, SLOW, WRONG, Effort, Report

PART = "readers"
LARGEST = 1 << 20
_DOORS = dict.fromkeys(
    ("goals", "pasted", "terms", "canonical", "orientation", "tactic", "names", "query"), MAX_STATE
)
"""Characters that are let in to a reader, where that is less than a megabyte."""
_LONGEST = 30.0
"""Seconds after which a reader is taken for hung; they run in another process, which is killed then."""


def run(_: Ground, effort: Effort, report: Report) -> None:
    """Every reader with every shape; a few of them where it is to be quick."""
    jobs = [(name, shape) for name, target in TARGETS.items() for shape in target.shapes]
    if effort.quick:
        jobs = effort.random(PART).sample(jobs, 60)
    worker = _Worker()
    slowest = 0.0
    try:
        for name, shape in jobs:
            report.tried(PART)
            answer = worker.ask(name, shape)
            if answer is None:
                report.found(SLOW, PART, f"{name}, {shape}: no end in {_LONGEST:.0f} s")
                worker = _Worker()
                continue
            seconds, error = answer
            slowest = max(slowest, seconds)
            if seconds > HANG_SECONDS * effort.patience:
                report.found(SLOW, PART, f"{name}, {shape}: {seconds:.1f} s of CPU time")
            if error:
                report.found(WRONG, PART, f"{name}, {shape}: {error}")
    finally:
        worker.end()
    report.figures["readers: slowest in s of CPU time"] = slowest


class _Worker:
    """A process that reads what it is told to."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs,), daemon=True)
        self._process.start()

    def ask(self, name: str, shape: str) -> tuple[float, str] | None:
        """Seconds of CPU time, and an error that is none for people; None where there is no end."""
        self._pipe.send((name, shape))
        if not self._pipe.poll(_LONGEST):
            self.end()
            return None
        seconds, error = self._pipe.recv()
        return seconds, error

    def end(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.join()


def _work(pipe: Connection) -> None:
    while True:
        name, shape = pipe.recv()
        target = TARGETS[name]
        text = text_of(bytes_of(target.shapes[shape](_DOORS.get(name, LARGEST))))
        started, error = time.process_time(), ""
        try:
            target.run(text)
        except target.allowed:
            pass
        except Exception as escaped:  # noqa: BLE001 - whatever escapes is the finding
            error = f"{type(escaped).__name__}: {escaped!s:.200}"
        pipe.send((time.process_time() - started, error))
