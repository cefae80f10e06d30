"""One target fuzzed for a while: each call is watched, and what goes wrong is kept, the shortest of each."""

from __future__ import annotations

import hashlib
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import FrameType
from typing import TextIO

from tests.fuzz.mutate import mutated

SECONDS, PER_BYTES = 1.0, 1 << 16
"""The CPU seconds that a call may take for each block of this many bytes, also for an incomplete one."""
_SHRINKING = 5.0
"""Seconds for making a finding shorter."""


class TooSlow(Exception):
    """A call did not end in its time."""


@dataclass(slots=True)
class Watched:
    """A target whose calls are watched.

    `run` and `allowed` are the target's, `folder` is where findings are put, `current` the file that holds
    what is being tried: whoever waits for this process knows by it what it hangs on.
    """

    name: str
    run: Callable[[bytes], object]
    allowed: tuple[type[Exception], ...]
    folder: Path
    current: Path
    calls: int = 0
    found: dict[str, int] = field(default_factory=dict)
    report: TextIO = sys.stderr
    """Where findings are printed."""

    def __call__(self, data: bytes) -> None:
        """Try an input, and keep it if it is a finding."""
        self.calls += 1
        self.current.write_bytes(data)
        if self.calls % 64 == 1:
            self.current.touch()
        location = self.location(data)
        if location and len(data) < self.found.get(location, 1 << 30):
            data = self._shorter(data, location)
            self.found[location] = len(data)
            self.folder.mkdir(parents=True, exist_ok=True)
            digest = hashlib.sha256(location.encode()).hexdigest()[:8]
            (self.folder / f"found-{digest}").write_bytes(data)
            print(f"{self.name}: {location}: {data[:100]!r}", file=self.report, flush=True)

    def location(self, data: bytes) -> str:
        """What goes wrong with an input, and where; "" where nothing does."""
        limit = SECONDS * (1 + len(data) // PER_BYTES)
        begun = time.thread_time()
        signal.signal(signal.SIGVTALRM, _too_slow)
        signal.setitimer(signal.ITIMER_VIRTUAL, limit)
        try:
            self.run(data)
        except self.allowed:
            pass
        except Exception as error:  # noqa: BLE001 - whatever escapes is the finding
            frames = traceback.extract_tb(error.__traceback__)
            ours = [
                frame
                for frame in frames
                if "site-packages" not in frame.filename and "fuzz" not in frame.filename
            ]
            last = (ours or frames)[-1]
            where = "" if isinstance(error, RecursionError | TooSlow) else f":{last.name}"
            return f"{type(error).__name__} in {Path(last.filename).name}{where}"
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        if time.thread_time() - begun > limit:  # in one call of C, which no signal interrupts
            return "TooSlow"
        return ""

    def _shorter(self, data: bytes, location: str) -> bytes:
        """A shorter input with which the same goes wrong, if one is found soon."""
        end = time.monotonic() + _SHRINKING
        size = len(data) // 2
        while size and time.monotonic() < end:
            for start in range(0, len(data), size):
                fewer = data[:start] + data[start + size :]
                if time.monotonic() > end:
                    break
                if self.location(fewer) == location:
                    data = fewer
                    break
            else:
                size //= 2
        return data


def _too_slow(_number: int, _frame: FrameType | None) -> None:
    raise TooSlow


def fuzz_plainly(watched: Watched, seeds: list[bytes], seconds: float, seed: int) -> None:
    """Mutate the seeds, not knowing what they reach."""
    random, end = Random(seed), time.monotonic() + seconds
    for data in seeds:
        watched(data)
    while time.monotonic() < end:
        watched(mutated(random, seeds))


def work(name: str, current: Path, seconds: float, seed: int, is_guided: bool) -> None:
    """Fuzz a target for some seconds; `current` is the file that holds what is being tried."""
    if not is_guided:
        watched, seeds = _watched(name, current)
        fuzz_plainly(watched, seeds, seconds, seed)
        return
    import atheris

    report = os.fdopen(os.dup(2), "w")
    for stream in (1, 2):  # atheris prints every module, libFuzzer every new input
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    with atheris.instrument_imports(include=["lean_extract", "retriever", "lsp_server"]):
        watched, seeds = _watched(name, current)
    folder = current.parent / "corpus"
    folder.mkdir()
    for number, data in enumerate(seeds):
        (folder / f"{number}").write_bytes(data)
    watched.report = report
    flags = ["-verbosity=0", "-max_len=65536", "-timeout=600", f"-seed={seed + 1}"]
    atheris.Setup(["fuzz", *flags, f"-max_total_time={int(seconds)}", str(folder)], watched)
    atheris.Fuzz()


def _watched(name: str, current: Path) -> tuple[Watched, list[bytes]]:
    """The target, its long texts tried, and what to begin with."""
    # Not above: atheris instruments imports.
    from tests.fuzz.targets import CORPUS, TARGETS, large_of, seeds_of, text_of

    target = TARGETS[name]
    watched = Watched(name, lambda data: target.run(text_of(data)), target.allowed, CORPUS / name, current)
    for data in large_of(name):
        watched(data)
    return watched, seeds_of(name)
