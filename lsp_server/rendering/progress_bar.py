"""The progress of indexing and compiling on a terminal."""

from __future__ import annotations

import shutil
import sys

from tqdm import tqdm

_STAGES = {
    "fetch": "Downloading",
    "wait": "Waiting for another index run",
    "scan": "Looking at files",
    "embed": "Reading and embedding",
    "merge": "Merging",
    "graph": "Building the graph",
    "core": "Compiling the mini core",
    "library": "Compiling the library",
}


class ProgressBar:
    """A progress bar whose title is the stage; silent if standard error is not a terminal."""

    def __init__(self, *, quiet: bool, unit: str = "file") -> None:
        self._hidden = quiet or not sys.stderr.isatty()
        self._unit = f" {unit}s"
        self._stage = ""
        self._bar: tqdm | None = None

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def report(self, stage: str, done: int, total: int) -> None:
        """Take in progress: stage, done, total."""
        if stage != self._stage or self._bar is None:
            self._close()
            self._stage = stage
            title = _STAGES.get(stage, stage)
            width = min(shutil.get_terminal_size((100, 40)).columns, 100)
            self._bar = tqdm(
                desc=title, total=total, unit=self._unit, file=sys.stderr, disable=self._hidden, ncols=width
            )
        self._bar.total = total
        self._bar.update(done - self._bar.n)

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        self._bar = None
