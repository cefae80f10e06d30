"""The progress of indexing and compiling: a bar on a terminal, elsewhere a line from time to time."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from typing import TextIO

from tqdm import tqdm

from lsp_server.rendering.labels import shorten

_STAGES = {
    "fetch": "Downloading",
    "wait": "Waiting for another index run",
    "scan": "Looking at files",
    "embed": "Reading and embedding",
    "merge": "Merging",
    "graph": "Building the graph",
    "core": "Compiling the mini core",
    "library": "Compiling the library",
    "sorries": "Answering",
    "repair": "Repairing",
}
_SECONDS = 10.0
"""Between two lines if standard error is not a terminal: tasks that end sooner print none."""


class ProgressBar:
    """Shows progress on standard error: as a bar whose title is the stage, or, in a pipe or file, as lines.

    Args:
        quiet: whether to show nothing.
        unit: what the bar counts.
        clock: the time in seconds.
    """

    def __init__(
        self, *, quiet: bool, unit: str = "file", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._quiet = quiet
        self._has_bar = not quiet and sys.stderr.isatty()
        self._unit = f" {unit}s"
        self._stage = ""
        self._bar: tqdm | None = None
        self._clock = clock
        self._reported = clock()

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def report(self, stage: str, done: int, total: int) -> None:
        """Take in progress: stage, done, total."""
        if self._has_bar:
            self._draw(stage, done, total)
        else:
            share = f": {done:,} of {total:,} ({done / total:.0%})" if total > 1 else ""
            self._print(f"{_STAGES.get(stage, stage)}{share}")

    def note(self, text: str) -> None:
        """Show what is being done: as one line that changes, elsewhere as lines, without a bar."""
        if self._has_bar:
            if self._bar is None:
                self._bar = tqdm(bar_format="{desc}", file=sys.stderr, leave=False)
            self._bar.set_description_str(shorten(text, shutil.get_terminal_size((100, 40)).columns - 1))
        else:
            self._print(text)

    def write(self, text: str, stream: TextIO) -> None:
        """Print text on standard output or error, above the bar."""
        if self._bar is not None:
            self._bar.clear()
        stream.write(text)
        stream.flush()
        if self._bar is not None:
            self._bar.refresh()

    def _print(self, text: str) -> None:
        """Print a line, unless one was printed a moment ago."""
        if not self._quiet and self._clock() - self._reported >= _SECONDS:
            self._reported = self._clock()
            print(text, file=sys.stderr, flush=True)

    def _draw(self, stage: str, done: int, total: int) -> None:
        if stage != self._stage or self._bar is None:
            self._close()
            self._stage = stage
            title = _STAGES.get(stage, stage)
            width = min(shutil.get_terminal_size((100, 40)).columns, 100)
            self._bar = tqdm(desc=title, total=total, unit=self._unit, file=sys.stderr, ncols=width)
        self._bar.total = total
        self._bar.update(done - self._bar.n)

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        self._bar = None
