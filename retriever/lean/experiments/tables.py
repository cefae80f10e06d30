"""FinishedRow rows of experiments as Table 3, Table 4 and the table of section 4.4.2."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lean_extract.common.errors import BadRecords
from retriever.lean.evaluation.measure import COLUMNS, to_columns
from retriever.lean.evaluation.rankers import Setting
from retriever.lean.evaluation.tables import HEADINGS
from retriever.lean.experiments.plan import LABELS, ExperimentPlan, PlannedRow, Table
from retriever.metrics.bootstrap import Bootstrap
from retriever.metrics.charts import LinePanel, PlotLine, line_chart
from retriever.metrics.tables import cell, table

SETTINGS: tuple[Setting, ...] = ("state", "importable")
PAPER = (*(f"{name}@{k}" for name in ("R", "P", "F1", "nDCG") for k in (1, 5, 10)),)
"""The columns of Tables 3 and 4, in their order."""
SHOWN: dict[Table, tuple[str, ...]] = {"pieces": ("dense",), "share": ("dense", "fused")}
"""The methods that a table is about; the other one shows all."""
TITLES: dict[Table, str] = {
    "splits": "Table 3: methods on different splits",
    "pieces": "Table 4: pre-training, tokenizer and similarity",
    "share": "Section 4.4.2: share of the training data",
}


@dataclass(frozen=True, slots=True)
class FinishedRow:
    """One row as it was measured."""

    planned: PlannedRow
    about: dict[str, Any]
    """Data hash, encoder, questions, seconds and the like, by part."""
    values: dict[str, NDArray[np.float64]]
    """[questions, PER_QUERY] by `part|setting|method`."""

    def of(self, part: str, setting: str, method: str) -> NDArray[np.float64] | None:
        """The values of one method, if it was measured."""
        return self.values.get(f"{part}|{setting}|{method}")

    @property
    def parts(self) -> list[str]:
        """The test part, then traced states where they were asked."""
        return list(dict.fromkeys(key.split("|")[0] for key in self.values))


def read_finished(folder: Path, plan: ExperimentPlan) -> list[FinishedRow]:
    """The finished rows of a plan, in its order. Raises BadRecords when a row's files are damaged."""
    return [row for planned in plan.rows if (row := read_row(folder, planned)) is not None]


def read_row(folder: Path, planned: PlannedRow) -> FinishedRow | None:
    """One row, if it is finished. Raises BadRecords."""
    path = folder / f"{planned.name}.json"
    if not path.exists():
        return None
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
        with np.load(folder / f"{planned.name}.npz") as stored:
            values = {key: np.asarray(stored[key], dtype=np.float64) for key in stored.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise BadRecords(f"The row {path} is damaged: {error}.", "Remove it and run it again.") from error
    return FinishedRow(planned, about, values)


def report(rows: Sequence[FinishedRow]) -> str:
    """Every table that has rows: all candidates and importable ones, for the test part and for states."""
    parts = []
    for kind, title in TITLES.items():
        chosen = [row for row in rows if kind in row.planned.tables]
        if chosen:
            parts += [f"## {title}", *_tables(kind, chosen), _hashes(chosen)]
    return "\n\n".join(parts)


def _tables(kind: Table, rows: Sequence[FinishedRow]) -> Iterator[str]:
    for part in dict.fromkeys(part for row in rows for part in row.parts):
        for setting in SETTINGS:
            lines = list(_lines(kind, rows, part, setting))
            if lines:
                apart = [] if kind == "splits" else ["R@10, points above the last of its kind"]
                head = [*LABELS[kind], "method", *PAPER, "R@32", "MRR", "R@10, 95%", *apart]
                yield f"{part}, {HEADINGS[setting]}:\n\n{table(head, lines)}"


def _lines(kind: Table, rows: Sequence[FinishedRow], part: str, setting: Setting) -> Iterator[list[str]]:
    for row in rows:
        for method in SHOWN.get(kind, row.planned.methods):
            values = row.of(part, setting, method)
            if values is None:
                continue
            figures = dict(zip(COLUMNS, Bootstrap(len(values)).intervals(values, to_columns), strict=True))
            labels = [row.planned.label[name] for name in LABELS[kind]]
            cells = [cell(figures[name], intervals=False) for name in (*PAPER, "R@32", "MRR")]
            interval = f"[{figures['R@10'].low:.1f}, {figures['R@10'].high:.1f}]"
            apart = [] if kind == "splits" else [_apart(_alike(kind, rows, row), row, part, setting, method)]
            yield [*labels, method, *cells, interval, *apart]


def _alike(kind: Table, rows: Sequence[FinishedRow], row: FinishedRow) -> list[FinishedRow]:
    """The rows that one is held against: of Table 4 those of the same model."""
    first = LABELS[kind][0]
    return [
        other for other in rows if kind != "pieces" or other.planned.label[first] == row.planned.label[first]
    ]


def _apart(rows: Sequence[FinishedRow], row: FinishedRow, part: str, setting: Setting, method: str) -> str:
    """The paired difference to the last row that has this method on the same questions."""
    values = row.of(part, setting, method)
    others = [other for other in rows if other.of(part, setting, method) is not None]
    last = others[-1].of(part, setting, method)
    if values is None or last is None or others[-1] is row or len(values) != len(last):
        return ""
    found = Bootstrap(len(values)).intervals(values, to_columns, last)
    return cell(found[COLUMNS.index("R@10")], signed=True)


def _hashes(rows: Sequence[FinishedRow]) -> str:
    lines = [
        [
            row.planned.name,
            row.planned.dataset,
            f"`{row.about['parts']['test']['data'][:16]}`",
            f"`{row.about['parts']['test']['encoder']}`",
            str(row.about["parts"]["test"]["questions"]),
            str(row.about["steps"]),
            f"{row.about['training_seconds'] / 60:.1f}",
        ]
        for row in rows
    ]
    head = ["row", "dataset", "data hash", "encoder", "questions", "steps", "minutes of training"]
    return table(head, lines)


def share_plot(rows: Sequence[FinishedRow], part: str = "test") -> str:
    """The figures of section 4.4.2 by the share of the training data, as SVG. Raises UserError without matplotlib."""
    chosen = [row for row in rows if "share" in row.planned.tables]
    panels = []
    for setting in SETTINGS:
        lines = []
        for method in SHOWN["share"]:
            for column in ("R@1", "R@10", "nDCG@10"):
                points = [
                    (
                        float(row.planned.label["share"].rstrip("%")),
                        _figure(row, part, setting, method, column),
                    )
                    for row in chosen
                ]
                lines.append(PlotLine(f"{method}, {column}", sorted(points)))
        panels.append(
            LinePanel(
                HEADINGS[setting].partition(",")[0],
                lines,
                "% of the training data",
                "%",
                (0, 25, 50, 75, 100),
            )
        )
    return line_chart(panels)


def _figure(row: FinishedRow, part: str, setting: Setting, method: str, column: str) -> float:
    values = row.of(part, setting, method)
    if values is None:
        raise BadRecords(
            f"The row {row.planned.name} lacks {method} on {part}.", "Remove it and run it again."
        )
    return float(to_columns(values.mean(axis=0, keepdims=True))[0, COLUMNS.index(column)])
