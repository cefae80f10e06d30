"""Draws pass rates by level and retriever as bars (SVG), after the paper's Figure 6."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lsp_server.evaluation.figures import Rate
from lsp_server.evaluation.report import Run, names_of
from retriever.metrics.charts import Bar, BarPanel, bar_chart


def picture(runs: Sequence[Run]) -> str:
    """One group of bars per level, and one for all; one bar per run, with its 95% interval.

    Raises UserError: matplotlib is not installed.
    """
    levels = sorted({level for run in runs for level in run.figures.levels if level})
    rates: list[Mapping[str, Rate | None]] = [
        {**run.figures.levels, "all": run.figures.pass_1} for run in runs
    ]
    groups = [*levels, "all"]
    labels = [f"level {group}" if group.isdigit() else group for group in groups]
    series = [
        (name, [_bar(name, found.get(group)) for group in groups])
        for name, found in zip(names_of(runs), rates, strict=True)
    ]
    return bar_chart([BarPanel("problems proved in one pass, %", labels, series, top=100)])


def _bar(name: str, rate: Rate | None) -> Bar | None:
    if rate is None:
        return None
    percent = rate.percent
    note = f"{name}: {percent.mean:.1f}% of {rate.problems} [{percent.low:.1f}, {percent.high:.1f}]"
    return Bar(percent.mean, (percent.low, percent.high), note=note)
