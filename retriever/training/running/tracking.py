"""What a run tells while it trains: the curve's file, TensorBoard, and a progress bar or lines."""

from __future__ import annotations

import json
from pathlib import Path
from types import TracebackType
from typing import Protocol

from tqdm import tqdm

from retriever.training.running.board import Board
from retriever.training.running.curve import CURVE, Point, keep_until
from retriever.training.running.progress import ProgressFile

BOARD = "tensorboard"


class Tracker(Protocol):
    """Who hears of a run's progress."""

    def point(self, values: Point) -> None:
        """A point of the curve: `step`, `seconds` and figures."""

    def advance(self) -> None:
        """One step more is done."""

    def check(self) -> None:
        """Asked before the run writes something. Raises ModelError when its folder is gone."""


class Silence:
    """The tracker of every process but the first."""

    def point(self, values: Point) -> None:
        """Nothing."""

    def advance(self) -> None:
        """Nothing."""

    def check(self) -> None:
        """Nothing."""


class RunTracker:
    """Writes `curve.jsonl`, `progress.json` and TensorBoard's events in the run's folder; shows a bar or prints lines.

    A context manager; its exit closes the files.
    """

    def __init__(
        self, folder: Path, start: int, end: int, progress: ProgressFile, *, bar: bool | None = None
    ) -> None:
        """Points after step `start`, which a killed run left behind, are dropped.

        Args:
            folder: the run's.
            start: steps done.
            end: the step that the bar is full at.
            progress: where the run stands; told of every step and point.
            bar: whether to show a bar; None: only on a terminal.
        """
        self._progress = progress
        keep_until(folder, start)
        self._curve = (folder / CURVE).open("a", encoding="utf-8")
        self._board = Board(folder / BOARD, start + 1)
        self._bar = tqdm(
            total=end,
            initial=start,
            unit="step",
            disable=None if bar is None else not bar,
            dynamic_ncols=True,
        )

    def point(self, values: Point) -> None:
        """Write it down and show it."""
        self._progress.point(values)
        self._curve.write(json.dumps(values) + "\n")
        self._curve.flush()
        figures = {name: value for name, value in values.items() if name not in ("step", "seconds")}
        self._board.add(int(values["step"]), figures)
        line = " ".join(f"{name} {value:.4g}" for name, value in values.items())
        if self._bar.disable:
            print(line, flush=True)
        elif "loss" in figures:
            self._bar.set_postfix({name: f"{value:.4g}" for name, value in figures.items()})
        else:
            self._bar.write(line)

    def advance(self) -> None:
        """Move the bar."""
        self._bar.update()
        self._progress.advance()

    def check(self) -> None:
        """Raises ModelError when the run's folder is gone."""
        self._progress.check()

    def __enter__(self) -> RunTracker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.close()
        self._board.close()
        self._curve.close()
