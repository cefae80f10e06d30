"""Rows of figures with their intervals, the tables that people read, and recall curves as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from lean_extract.common.arrays import Doubles
from retriever.lean.evaluation.measure import COLUMNS, Measured, to_columns
from retriever.lean.evaluation.rankers import Setting
from retriever.metrics.bootstrap import Bootstrap, Interval
from retriever.metrics.charts import LinePanel, PlotLine, line_chart
from retriever.metrics.tables import cell, table

COMPACT = ("R@1", "R@5", "R@10", "R@32", "nDCG@10", "MRR")
HEADINGS: dict[Setting, str] = {
    "state": "all candidates, the state alone known",
    "importable": "importable there only, file and position known",
    "place": "all candidates, file and position known too",
}


@dataclass(frozen=True, slots=True)
class MethodRow:
    """One method in one setting; the figures of `COLUMNS` in percent."""

    setting: Setting
    method: str
    questions: int
    figures: dict[str, Interval]
    differences: dict[str, Interval] = field(default_factory=dict)
    """To the method that all are held against, on the same questions; none for that one itself."""


def rows_of(measured: Measured, against: str | None = None) -> list[MethodRow]:
    """A row a method and setting, in the order measured; intervals are bootstrapped over questions."""
    rows = []
    for (setting, method), outcome in measured.items():
        bootstrap = Bootstrap(len(outcome.figures))
        figures = bootstrap.intervals(outcome.figures, to_columns)
        other = measured.get((setting, against)) if against and method != against else None
        apart = bootstrap.intervals(outcome.figures, to_columns, other.figures) if other else []
        named = dict(zip(COLUMNS, figures, strict=True))
        above = dict(zip(COLUMNS, apart, strict=True)) if apart else {}
        rows.append(MethodRow(setting, method, len(outcome.figures), named, above))
    return rows


def markdown(rows: Sequence[MethodRow], columns: Sequence[str] = COMPACT, *, intervals: bool = True) -> str:
    """One table a setting."""
    parts = []
    for setting in dict.fromkeys(row.setting for row in rows):
        lines = [
            [row.method, *(cell(row.figures[name], intervals=intervals) for name in columns)]
            for row in rows
            if row.setting == setting
        ]
        parts.append(f"{HEADINGS[setting]}:\n\n{table(['', *columns], lines)}")
    return "\n\n".join(parts)


def differences(rows: Sequence[MethodRow], against: str, columns: Sequence[str] = COMPACT) -> str:
    """One table a setting of what each method is above the one held against; empty if none has been."""
    parts = []
    for setting in dict.fromkeys(row.setting for row in rows if row.differences):
        lines = [
            [row.method, *(cell(row.differences[name], signed=True) for name in columns)]
            for row in rows
            if row.setting == setting and row.differences
        ]
        heading = f"{HEADINGS[setting]}, points above {against} on the same questions"
        parts.append(f"{heading}:\n\n{table(['', *columns], lines)}")
    return "\n\n".join(parts)


def plain(rows: Sequence[MethodRow]) -> list[dict[str, object]]:
    """The rows as JSON values."""
    return [asdict(row) for row in rows]


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
