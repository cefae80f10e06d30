"""Each reader on each shape of text, at the largest size that its door lets in."""

from __future__ import annotations

import multiprocessing
import time
from multiprocessing.connection import Connection

from lean_extract.limits import MAX_STATE_CHARACTERS
from tests.fuzz.targets import TARGETS, bytes_of, text_of
from tests.hostile.shapes import pieces
from tests.hostile.tries.ground import Ground
from tests.hostile.tries.report import HANG_SECONDS, SLOW, WRONG, Effort, Report

PART = "readers"
LARGEST = 1 << 20
_DOORS = {
    **dict.fromkeys(
        (
            "goals",
            "pasted",
            "terms",
            "canonical",
            "orientation",
            "tactic",
            "names",
            "query",
            "state",
            "term",
            "premise",
            "proposition",
        ),
        MAX_STATE_CHARACTERS,
    ),
    **dict.fromkeys(("session", "document", "steps"), 1 << 15),
}
"""Characters that are let in to a reader, where that is less than a megabyte, or that a target reads many times."""
_PIECES, _LARGEST_OF_PIECES = 120, 1 << 17
"""So many short pieces are repeated, to so many characters."""
LONGEST = 30.0
"""Seconds after which a reader is taken for hung; they run in another process, which is killed then."""


def run(_: Ground, effort: Effort, report: Report) -> None:
    """Every reader with every shape, and with short pieces; a few of them where it is to be quick."""
    jobs = [
        (name, shape_name, shape, largest)
        for name, target in TARGETS.items()
        for shapes, largest in ((target.shapes, LARGEST), (pieces(_PIECES, effort.seed), _LARGEST_OF_PIECES))
        for shape_name, shape in shapes.items()
    ]
    if effort.quick:
        jobs = effort.random(PART).sample(jobs, 60)
    worker = Worker()
    slowest = 0.0
    try:
        for name, shape, make, largest in jobs:
            report.tried(PART)
            answer = worker.ask(name, make(min(largest, _DOORS.get(name, largest))))
            if answer is None:
                report.found(SLOW, PART, f"{name}, {shape}: no end in {LONGEST:.0f} s")
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


class Worker:
    """A process that reads what it is given; where it does not end, another takes its place."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs,), daemon=True)
        self._process.start()

    def ask(self, name: str, text: str) -> tuple[float, str] | None:
        """What a target does with a text: seconds of CPU time, and an error that is none for people; None where
        there is no end."""
        self._pipe.send((name, text))
        if not self._pipe.poll(LONGEST):
            self.end()
            self._start()
            return None
        seconds, error = self._pipe.recv()
        return seconds, error

    def end(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.join()


def _work(pipe: Connection) -> None:
    while True:
        name, text = pipe.recv()
        target = TARGETS[name]
        text = text_of(bytes_of(text))
        started, error = time.process_time(), ""
        try:
            target.run(text)
        except target.allowed:
            pass
        except Exception as escaped:  # noqa: BLE001 - whatever escapes is the finding
            error = f"{type(escaped).__name__}: {escaped!s:.200}"
        pipe.send((time.process_time() - started, error))
