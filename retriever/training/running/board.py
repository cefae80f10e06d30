"""The events that TensorBoard shows, written as they come.

torch's SummaryWriter writes from a thread and opens its file again each time, so that a folder that is deleted in
mid-run ends in the thread's traceback.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.record_writer import RecordWriter

_VERSION = "brain.Event:2"


class Board:
    """A file of events in a folder that TensorBoard reads."""

    def __init__(self, folder: Path, first: int) -> None:
        """Begin a file. Of earlier files what they say of step `first` and later ones counts no more."""
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
