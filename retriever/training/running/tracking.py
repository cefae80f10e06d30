"""What a run reports while it trains: the curve's file, `progress.json`, TensorBoard, and a bar or lines."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Literal

from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.record_writer import RecordWriter
from tqdm import tqdm

from lean_extract.common.errors import ModelError
from lean_extract.common.files.atomic import replacing
from retriever.limits import PROGRESS_SECONDS
from retriever.training.running.curve import CURVE, Point, keep_until
from retriever.training.running.run_folder import PROGRESS, RunFolder, RunProgress
from retriever.training.running.stopping import local_time

BOARD = "tensorboard"
_VERSION = "brain.Event:2"


class NullTracker:
    """The tracker of every process but the first: reports nothing."""

    def point(self, values: Point) -> None:
        """A point of the curve: `step`, `seconds` and figures. Raises ModelError when the folder was deleted."""

    def advance(self) -> None:
        """One step more is done. Raises ModelError when the run's folder was deleted."""

    def check(self) -> None:
        """Called before the run writes something. Raises ModelError when its folder was deleted."""


class RunTracker(NullTracker):
    """Writes `curve.jsonl`, `progress.json` and TensorBoard's events in the run's folder; shows a bar or prints lines.

    A context manager; its exit closes the files, and reports an error as why the run failed.
    """

    def __init__(self, folder: RunFolder, begun: RunProgress, *, bar: bool | None = None) -> None:
        """Points after the steps that are done, which a killed run left, are dropped.

        Args:
            folder: the run's.
            begun: how far it is.
            bar: whether to show a bar; None: only on a terminal.
        """
        self._folder, self._began, self._first, self._progress = folder, time.monotonic(), begun, begun
        self._write()
        keep_until(folder.path, begun.step)
        self._curve = (folder.path / CURVE).open("a", encoding="utf-8")
        self._events = _EventFile(folder.path / BOARD, begun.step + 1)
        self._bar = tqdm(
            total=begun.until,
            initial=begun.step,
            unit="step",
            disable=None if bar is None else not bar,
            dynamic_ncols=True,
        )

    def point(self, values: Point) -> None:
        """Write it to all files and show it."""
        figures = {name: value for name, value in values.items() if name not in ("step", "seconds")}
        finite = {name: value for name, value in figures.items() if math.isfinite(value)}
        if "loss" in figures:
            self._progress = replace(self._progress, loss=finite.get("loss", self._progress.loss))
        else:
            self._progress = replace(self._progress, figures=finite or self._progress.figures)
        self._write()
        self._curve.write(json.dumps(values) + "\n")
        self._curve.flush()
        self._events.add(int(values["step"]), figures)
        line = " ".join(f"{name} {value:.4g}" for name, value in values.items())
        if self._bar.disable:
            print(line, flush=True)
        elif "loss" in figures:
            self._bar.set_postfix({name: f"{value:.4g}" for name, value in figures.items()})
        else:
            self._bar.write(line)

    def advance(self) -> None:
        """Count the step, and move the bar."""
        self._bar.update()
        elapsed = time.monotonic() - self._began
        step = self._progress.step + 1
        rate = (step - self._first.step) / max(elapsed, 1e-9)
        end = local_time() + timedelta(seconds=(self._progress.until - step) / rate)
        self._progress = replace(
            self._progress,
            step=step,
            seconds=round(self._first.seconds + elapsed, 1),
            steps_per_second=round(rate, 4),
            estimated_end=_to_seconds(end),
        )
        if time.monotonic() - self._written >= PROGRESS_SECONDS:
            self._write()

    def check(self) -> None:
        """Raises ModelError when the run's folder was deleted."""
        self._folder.check()

    def end(self, state: Literal["stopped", "done", "failed"], reason: str = "") -> None:
        """Report how the call ended. Raises ModelError when the folder was deleted."""
        self._progress = replace(self._progress, state=state, reason=reason, estimated_end=None)
        self._write()

    def _write(self) -> None:
        self._folder.check()
        self._progress = replace(self._progress, written=_to_seconds(local_time()))
        with replacing(self._folder.path / PROGRESS) as stream:
            json.dump(asdict(self._progress), stream, indent=2)
            stream.write("\n")
        self._written = time.monotonic()

    def __enter__(self) -> RunTracker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            # The run's error is the one to report, also where nothing can be written any more.
            with suppress(ModelError, OSError):
                self.end("failed", str(error) or type(error).__name__)
        self._bar.close()
        self._events.close()
        self._curve.close()


class _EventFile:
    """A file of events in a folder that TensorBoard reads, written as they come.

    torch's SummaryWriter writes from a thread and opens its file again each time, so that a folder that is deleted
    in mid-run ends in the thread's traceback.
    """

    def __init__(self, folder: Path, first: int) -> None:
        """Begin a file. What earlier files have of step `first` and later ones counts no more."""
        folder.mkdir(parents=True, exist_ok=True)
        now = time.time()
        path = folder / f"events.out.tfevents.{int(now)}.{os.getpid()}.{time.monotonic_ns()}"
        self._records = RecordWriter(path.open("xb"))
        self._write(Event(wall_time=now, step=first, file_version=_VERSION))
        self._write(Event(wall_time=now, step=first, session_log=SessionLog(status=SessionLog.START)))

    def add(self, step: int, figures: Mapping[str, float]) -> None:
        """Write the figures of a step."""
        values = [Summary.Value(tag=name, simple_value=value) for name, value in figures.items()]
        self._write(Event(wall_time=time.time(), step=step, summary=Summary(value=values)))

    def close(self) -> None:
        """Close the file."""
        self._records.close()

    def _write(self, event: Event) -> None:
        self._records.write(event.SerializeToString())
        self._records.flush()


def _to_seconds(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")
