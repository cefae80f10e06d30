"""The progress of an evaluation on a terminal."""

from __future__ import annotations

import shutil
import sys

from tqdm import tqdm

from lsp_server.rendering.progress_bar import ProgressBar
from prover.evaluation.rows import ProblemRow
from prover.evaluation.run_folder import Results


class Watching:
    """Progress bars while preparing and while proving, with the pass rate so far."""

    def __init__(self, *, quiet: bool) -> None:
        self._hidden = quiet or not sys.stderr.isatty()
        self._preparing = ProgressBar(quiet=quiet)
        self._proving: tqdm | None = None
        self._rows = self._proved = 0
        self.complaints: list[str] = []

    def __enter__(self) -> Watching:
        return self

    def __exit__(self, *_: object) -> None:
        self._preparing.__exit__()
        if self._proving is not None:
            self._proving.close()

    def report(self, stage: str, done: int, total: int) -> None:
        """Report progress of a preparing stage."""
        self._preparing.report(stage, done, total)

    def begin(self, results: Results, total: int) -> None:
        """Start the bar for the problems."""
        self._preparing.__exit__()
        self.complaints = results.complaints
        self._rows = len(results.rows)
        self._proved = sum(row.is_proved for row in results.rows)
        width = min(shutil.get_terminal_size((100, 40)).columns, 100)
        self._proving = tqdm(
            desc="Proving",
            total=max(total, self._rows),
            initial=self._rows,
            unit=" problems",
            file=sys.stderr,
            disable=self._hidden,
            ncols=width,
        )
        self._show()

    def on_row(self, row: ProblemRow) -> None:
        """Count a finished problem."""
        self._rows += 1
        self._proved += row.is_proved
        if self._proving is not None:
            self._proving.update(1)
            self._show()

    def _show(self) -> None:
        if self._proving is not None and self._rows:
            self._proving.set_postfix_str(f"proved {self._proved}, {100 * self._proved / self._rows:.1f}%")
