"""Recall curves of an evaluation as a picture."""

from __future__ import annotations

from collections.abc import Mapping

from lean_extract.common.arrays import Doubles
from retriever.lean.evaluation.rankers import Setting
from retriever.metrics.charts import LinePanel, PlotLine, line_chart


def recall_plot(curves: Mapping[tuple[Setting, str], Doubles]) -> str:
    """Recall@k of every method with all candidates and with importable ones; a curve is [recall@1, ...].

    Raises UserError without matplotlib.
    """
    titles: dict[Setting, str] = {"state": "all candidates", "importable": "importable only"}
    panels = []
    for setting, title in titles.items():
        lines = [
            PlotLine(name, [(k + 1, 100 * float(value)) for k, value in enumerate(curve)])
            for (where, name), curve in curves.items()
            if where == setting
        ]
        panels.append(LinePanel(title, lines, "k", "recall@k, %", (1, 2, 5, 10, 20, 50, 100), is_log=True))
    return line_chart(panels)
