"""Show how far training runs are.

    python -m retriever train-status [RUN ...] [--svg FILE]

Without names, all runs under work/ are listed. If the process of a run died, the run is `killed`; continue it with
`train PRESET --resume`. With `--svg` the curves of the runs are drawn; `tensorboard --logdir RUN` shows them, too.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from lean_extract.common.errors import UserError
from lean_extract.common.files.atomic import replacing
from lean_extract.common.terminal_text import shown
from retriever.metrics.charts import LinePanel, PlotLine, line_chart
from retriever.training.running.curve import CURVE, Point, read_curve
from retriever.training.running.run_folder import PROGRESS, RunProgress, read_progress

_WORK = Path("work")
_HEAD = ("run", "state", "step", "loss", "figure", "steps/s", "time", "ends")
_TICKS = 5


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
    rows = [_HEAD, *(_row(run, progress) for run, progress in found)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    if len(found) == 1:
        print("\n".join(_details(found[0][1])))
    if options.svg is not None:
        curves = {str(run): read_curve(run) for run in runs if (run / CURVE).exists()}
        if not any(curves.values()):
            raise UserError("None of the runs has a curve yet.", "Wait for schedule.log_every steps.")
        svg = _curves_svg(curves)
        with replacing(options.svg) as stream:
            stream.write(svg)


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


def _details(progress: RunProgress) -> list[str]:
    """What the table has no column for."""
    lines = [f"reason: {shown(progress.reason)}"] if progress.reason else []
    if progress.state == "running":
        where = "" if progress.is_here else f" on {shown(progress.host)}"
        lines.append(f"process {progress.process}{where}, as of {_clock(progress.written)}")
    if progress.deadline:
        lines.append(f"deadline: {_clock(progress.deadline)}")
    return [*lines, f"{shown(progress.kind)}, {shown(progress.precision)}, threads: {progress.threads}"]


def _curves_svg(curves: Mapping[str, Sequence[Point]]) -> str:
    """Loss and first figure over the steps, a line a run; the keys name the runs.

    Raises UserError without matplotlib.
    """
    names = ["loss"]
    for points in curves.values():
        # The figure of the validations that counts is their first, after step and seconds.
        names += next(([list(point)[2]] for point in points if "loss" not in point and len(point) > 2), [])
    return line_chart([_panel(name, curves) for name in dict.fromkeys(names)], shares_y=False)


def _panel(name: str, curves: Mapping[str, Sequence[Point]]) -> LinePanel:
    lines: list[PlotLine] = []
    for run, points in curves.items():
        values = [(one["step"], one[name]) for one in points if math.isfinite(one.get(name, math.nan))]
        lines += [PlotLine(run, values)] if values else []
    last = max((line.points[-1][0] for line in lines), default=1.0)
    return LinePanel(name, lines, "steps", name, _ticks(last), starts_at_zero=name != "loss")


def _ticks(last: float) -> list[float]:
    """Round numbers from 0 to the last step, few of them."""
    raw = max(last, 1.0) / _TICKS
    power = 10.0 ** math.floor(math.log10(raw))
    step = max(1.0, next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw))
    return [step * number for number in range(int(last / step) + 1)]


def _duration(seconds: float) -> str:
    """Hours, minutes and seconds, as far as they are needed: 1:02:03."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _clock(moment: str | None) -> str:
    """An ISO time by the local clock, without its zone."""
    if not moment:
        return ""
    try:
        return f"{datetime.fromisoformat(moment).astimezone():%Y-%m-%d %H:%M:%S}"
    except ValueError:  # the file was written by something else
        return shown(moment)
