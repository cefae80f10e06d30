"""Show where training runs stand.

    python -m retriever train-status [RUN ...] [--svg FILE]

Without names, all runs under work/ are listed. A run whose process is gone without a last word is `killed`; it goes
on from its checkpoint with `train PRESET --resume`. With `--svg` the curves of the runs are drawn.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from lean_extract.common.errors import UserError
from lean_extract.common.files.atomic import replacing
from lean_extract.common.terminal_text import shown
from retriever.training.running.curve import CURVE, Point, read_curve
from retriever.training.running.curve_picture import curves_svg, first_figure, series_of, sparkline
from retriever.training.running.progress import PROGRESS, RunProgress, read_progress

_WORK = Path("work")
_HEAD = ("run", "state", "step", "loss", "figure", "steps/s", "time", "ends")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("runs", nargs="*", type=Path, metavar="RUN", help="run folders; default: under work/")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="draw the curves of the runs")


def run(options: argparse.Namespace) -> None:
    """Run the command. Raises UserError where there is no run, ModelError where a named one cannot be read."""
    runs = options.runs or sorted(path.parent for path in _WORK.rglob(PROGRESS))
    if not runs:
        raise UserError("No run has begun under work/.", "Name the folder of a run.")
    found = [(run, read_progress(run)) for run in runs]
    curves = {str(run): read_curve(run) if (run / CURVE).exists() else [] for run in runs}
    print(table([_HEAD, *(_row(run, progress) for run, progress in found)]))
    if len(found) == 1:
        print("\n".join(_details(found[0][1], curves[str(runs[0])])))
    if options.svg is not None:
        _draw(options.svg, curves)


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of equally many cells, in columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
    return "\n".join(lines)


def _row(run: Path, progress: RunProgress) -> tuple[str, ...]:
    figure = next(iter(progress.figures.items()), None)
    return (
        shown(run),
        progress.state,
        f"{progress.step:,}/{progress.steps:,}",
        "" if progress.loss is None else f"{progress.loss:.4g}",
        "" if figure is None else f"{shown(figure[0])} {figure[1]:.4g}",
        "" if progress.steps_per_second is None else f"{progress.steps_per_second:.3g}",
        _duration(progress.seconds),
        _clock(progress.estimated_end),
    )


def _details(progress: RunProgress, points: Sequence[Point]) -> list[str]:
    """What the table has no column for, and the curves."""
    lines = [f"reason: {shown(progress.reason)}"] if progress.reason else []
    if progress.state == "running":
        where = "" if progress.process.is_here else f" on {shown(progress.process.host)}"
        lines.append(f"process {progress.process.number}{where}, as of {_clock(progress.written)}")
    if progress.deadline:
        lines.append(f"deadline: {_clock(progress.deadline)}")
    tried = ", ".join(f"{shown(count)}: {time:g} s" for count, time in progress.thread_seconds.items())
    threads = f"{progress.threads}" + (f" (a pass with {tried})" if tried else "")
    lines.append(f"{shown(progress.kind)}, {shown(progress.precision)}, threads: {threads}")
    for name in ("loss", first_figure(points)):
        values = [value for _, value in series_of(points, name)] if name else []
        if values:
            lines.append(f"{shown(name)}: {values[0]:.4g} {sparkline(values)} {values[-1]:.4g}")
    return lines


def _draw(path: Path, curves: dict[str, list[Point]]) -> None:
    drawn = {run: points for run, points in curves.items() if points}
    if not drawn:
        raise UserError("None of the runs has a curve yet.", "Wait for schedule.log_every steps.")
    svg = curves_svg(drawn)
    with replacing(path) as stream:
        stream.write(svg)


def _duration(seconds: float) -> str:
    """Hours, minutes and seconds, as far as they are needed: 1:02:03."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _clock(told: str | None) -> str:
    """An ISO time by the local clock, without its zone."""
    if not told:
        return ""
    try:
        return f"{datetime.fromisoformat(told).astimezone():%Y-%m-%d %H:%M:%S}"
    except ValueError:  # the file was written by something else
        return shown(told)
