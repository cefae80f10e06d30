"""`progress.json`, in which a run says where it stands: written by the run, read by `train-status`."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

from lean_extract.common.errors import ModelError
from lean_extract.common.files.atomic import replacing
from lean_extract.common.files.json_text import read_json
from lean_extract.common.typed import read_typed
from retriever.training.running.curve import Point
from retriever.training.running.folder import RunFolder
from retriever.training.running.process import RunProcess
from retriever.training.running.stopping import local_time

PROGRESS = "progress.json"
_EVERY_SECONDS = 5.0
_FIGURES_APART = ("step", "seconds", "loss", "rate")
"""What a point of the curve holds besides the figures of a validation."""


@dataclass(frozen=True, slots=True)
class RunProgress:
    """Where a run stands."""

    process: RunProcess
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
    thread_seconds: dict[str, float] = field(default_factory=dict)
    """What a forward and backward pass took with each number of threads that was tried."""
    deadline: str | None = None
    state: Literal["running", "stopped", "done", "failed", "killed"] = "running"
    reason: str = ""
    """Why it is not running any more; empty when it is done."""
    loss: float | None = None
    """As last told, a mean since the time before."""
    figures: dict[str, float] = field(default_factory=dict)
    """Of the last validation of this call; the first is the one that counts."""
    steps_per_second: float | None = None
    """Of this call, validations included."""
    estimated_end: str | None = None
    """When it comes to `until`. Times are ISO, with their zone."""
    written: str = ""


def read_progress(run: Path) -> RunProgress:
    """Where a run stands, `killed` where its process is gone without a last word. Raises ModelError."""
    path = run / PROGRESS
    try:
        progress: RunProgress = read_typed(RunProgress, read_json(path))
    except FileNotFoundError as error:
        hint = "Name the folder of a run that has begun."
        raise ModelError(f"There is no run in {run}: it has no {PROGRESS}.", hint) from error
    except (OSError, ValueError, TypeError) as error:
        hint = "Remove it; a run that goes on writes it anew."
        raise ModelError(f"{path} cannot be read: {error}.", hint) from error
    process = progress.process
    if progress.state == "running" and process.is_here and not process.is_alive:
        reason = f"process {process.number} is gone without a last word"
        return replace(progress, state="killed", reason=reason, estimated_end=None)
    return progress


class ProgressFile:
    """Writes where a run stands, after a step where the last time is some seconds past."""

    def __init__(
        self,
        folder: RunFolder,
        progress: RunProgress,
        *,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = local_time,
    ) -> None:
        """`progress`: where it stands at the beginning."""
        self._folder, self._progress, self._clock, self._now = folder, progress, clock, now
        self._first, self._began = progress, clock()
        self._written = -math.inf

    def advance(self) -> None:
        """One step more is done. Raises ModelError when the folder is gone."""
        progress = self._progress
        elapsed = self._clock() - self._began
        step = progress.step + 1
        rate = (step - self._first.step) / max(elapsed, 1e-9)
        end = self._now() + timedelta(seconds=(progress.until - step) / rate)
        self._progress = replace(
            progress,
            step=step,
            seconds=round(self._first.seconds + elapsed, 1),
            steps_per_second=round(rate, 4),
            estimated_end=_told(end),
        )
        if self._clock() - self._written >= _EVERY_SECONDS:
            self.write()

    def point(self, values: Point) -> None:
        """A point of the curve: its loss or its figures are the last ones now. Raises ModelError."""
        finite = {name: value for name, value in values.items() if math.isfinite(value)}
        figures = {name: value for name, value in finite.items() if name not in _FIGURES_APART}
        progress = self._progress
        loss = finite.get("loss", progress.loss)
        self._progress = replace(progress, loss=loss, figures=figures or progress.figures)
        self.write()

    def end(self, state: Literal["stopped", "done", "failed"], reason: str = "") -> None:
        """The last word. Raises ModelError when the folder is gone."""
        self._progress = replace(self._progress, state=state, reason=reason, estimated_end=None)
        self.write()

    def write(self) -> None:
        """Write it now, whole or not at all. Raises ModelError when the folder is gone, OSError."""
        self.check()
        self._progress = replace(self._progress, written=_told(self._now()))
        with replacing(self._folder.path / PROGRESS) as stream:
            json.dump(asdict(self._progress), stream, indent=2)
            stream.write("\n")
        self._written = self._clock()

    def check(self) -> None:
        """Raises ModelError when the folder is gone."""
        self._folder.check()


@contextmanager
def reporting(folder: RunFolder, begun: RunProgress) -> Iterator[ProgressFile]:
    """The progress file of a run that goes on within the block; an error in it is the run's last word.

    Raises ModelError when the folder is gone.
    """
    file = ProgressFile(folder, begun)
    file.write()
    try:
        yield file
    except BaseException as error:
        # The error of the run is the one to tell, also where nothing can be written any more.
        with suppress(ModelError, OSError):
            file.end("failed", str(error) or type(error).__name__)
        raise


def _told(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")
