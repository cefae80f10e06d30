"""The curves of runs, as SVG and as a line of text."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from retriever.metrics.charts import LinePanel, PlotLine, line_chart
from retriever.training.running.curve import Point

_LEVELS = "▁▂▃▄▅▆▇█"
_TICKS = 5
Series = list[tuple[float, float]]
"""(step, value), by rising step."""


def series_of(points: Sequence[Point], name: str) -> Series:
    """The values of one figure, as far as they are numbers."""
    return [(point["step"], point[name]) for point in points if math.isfinite(point.get(name, math.nan))]


def first_figure(points: Sequence[Point]) -> str | None:
    """The figure of the validations that counts, which stands first; None: there was no validation."""
    validations = (list(point)[2:] for point in points if "loss" not in point)
    return next((names[0] for names in validations if names), None)


def sparkline(values: Sequence[float], width: int = 60) -> str:
    """A character a value, by height between the least and the largest; where there are more, a mean of some."""
    count = min(len(values), width)
    if not count:
        return ""
    bounds = [len(values) * number // count for number in range(count + 1)]
    means = [sum(values[start:end]) / (end - start) for start, end in pairwise(bounds)]
    low, high = min(means), max(means)
    scale = (len(_LEVELS) - 1) / (high - low) if high > low else 0.0
    return "".join(_LEVELS[round((mean - low) * scale)] for mean in means)


def curves_svg(curves: Mapping[str, Sequence[Point]]) -> str:
    """Loss and first figure over the steps, a line a run; the keys name the runs.

    Without points there is no line, and without validations no panel of theirs. Raises UserError without
    matplotlib.
    """
    figures = [name for points in curves.values() if (name := first_figure(points))]
    panels = [_panel(name, curves) for name in dict.fromkeys(["loss", *figures])]
    return line_chart(panels, shares_y=False)


def _panel(name: str, curves: Mapping[str, Sequence[Point]]) -> LinePanel:
    lines = [PlotLine(run, found) for run, points in curves.items() if (found := series_of(points, name))]
    last = max((line.points[-1][0] for line in lines), default=1.0)
    return LinePanel(name, lines, "steps", name, _ticks(last), starts_at_zero=name != "loss")


def _ticks(last: float) -> list[float]:
    """Round numbers from 0 to the last step, few of them."""
    raw = max(last, 1.0) / _TICKS
    power = 10.0 ** math.floor(math.log10(raw))
    step = max(1.0, next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw))
    return [step * number for number in range(int(last / step) + 1)]
