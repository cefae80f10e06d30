"""Plans of experiments, and their finished rows as Table 3, Table 4 and the table of section 4.4.2.

A plan is a YAML file (`retriever/lean/presets/experiments-*.yaml`):

    tokenizers: {ours: 30522, general: pretrained}   a vocabulary's size, or the sentence encoder's tokenizer
    questions: 2000                   of a test part, at most
    tune: 1000                        theorems the fusion is fitted on, at most
    rows:
      - name: rd                      its folder, and what --only takes
        tables: [splits, share]       splits (Table 3), pieces (Table 4), share (section 4.4.2)
        label: {split: RD, share: 100%}        its first columns there
        dataset: split-rd             a folder in the work folder
        train: {preset: cpu-words, override: {schedule: {steps: 600}}}
        pretrain: {preset: cpu-mlm}   left out: trained from nothing
        tokenizer: ours
        methods: [random, bm25, dense, fused]
        without: []                   features that the fusion does without
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lean_extract.common.errors import BadRecords, BadSettings
from retriever.evaluation.experiments import stage_config
from retriever.lean.evaluation.measure import COLUMNS, HEADINGS, to_columns
from retriever.lean.evaluation.rankers import Setting
from retriever.lean.features import FEATURES
from retriever.metrics.bootstrap import Bootstrap, cell, table
from retriever.metrics.charts import LinePanel, PlotLine, line_chart
from retriever.training.running.config import RunConfig
from retriever.training.running.config_io import from_plain, read_values, to_plain

SETTINGS: tuple[Setting, ...] = ("state", "importable")
_PAPER = (*(f"{name}@{k}" for name in ("R", "P", "F1", "nDCG") for k in (1, 5, 10)),)
"""The columns of Tables 3 and 4, in their order."""
SHOWN: dict[Table, tuple[str, ...]] = {"pieces": ("dense",), "share": ("dense", "fused")}
"""The methods that a table is about; the other one shows all."""
_TITLES: dict[Table, str] = {
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
        """The test part, then traced states where they were measured."""
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
    for kind, title in _TITLES.items():
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
                head = [*_LABELS[kind], "method", *_PAPER, "R@32", "MRR", "R@10, 95%", *apart]
                yield f"{part}, {HEADINGS[setting]}:\n\n{table(head, lines)}"


def _lines(kind: Table, rows: Sequence[FinishedRow], part: str, setting: Setting) -> Iterator[list[str]]:
    for row in rows:
        for method in SHOWN.get(kind, row.planned.methods):
            values = row.of(part, setting, method)
            if values is None:
                continue
            figures = dict(zip(COLUMNS, Bootstrap(len(values)).intervals(values, to_columns), strict=True))
            labels = [row.planned.label[name] for name in _LABELS[kind]]
            cells = [cell(figures[name], intervals=False) for name in (*_PAPER, "R@32", "MRR")]
            interval = f"[{figures['R@10'].low:.1f}, {figures['R@10'].high:.1f}]"
            apart = [] if kind == "splits" else [_apart(_alike(kind, rows, row), row, part, setting, method)]
            yield [*labels, method, *cells, interval, *apart]


def _alike(kind: Table, rows: Sequence[FinishedRow], row: FinishedRow) -> list[FinishedRow]:
    """The rows that one is held against: of Table 4 those of the same model."""
    first = _LABELS[kind][0]
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


def share_plot(rows: Sequence[FinishedRow]) -> str:
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
                        _figure(row, setting, method, column),
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


def _figure(row: FinishedRow, setting: Setting, method: str, column: str) -> float:
    values = row.of("test", setting, method)
    if values is None:
        raise BadRecords(f"The row {row.planned.name} lacks {method} on test.", "Remove it and run it again.")
    return float(to_columns(values.mean(axis=0, keepdims=True))[0, COLUMNS.index(column)])


Table = Literal["splits", "pieces", "share"]
_LABELS: dict[Table, tuple[str, ...]] = {
    "splits": ("split",),
    "pieces": ("model", "pre-training", "tokenizer", "similarity"),
    "share": ("share",),
}
"""The first columns of each table."""
PRETRAINED = "pretrained"


@dataclass(frozen=True, slots=True)
class ExperimentStage:
    """A training preset and what is changed in it, nested as in the preset."""

    preset: str
    override: dict[str, Any] = field(default_factory=dict)

    def config(self, folder: Path, tokenizer: Path, run: Path, start_from: Path | None) -> RunConfig:
        """The run's configuration. Raises BadSettings."""
        own = {"dataset": folder, "tokenizer": tokenizer, "run": run, "start_from": start_from}
        return stage_config(self.preset, own, self.override)


@dataclass(frozen=True, slots=True)
class PlannedRow:
    """One model: how it is trained, on what, and which methods are measured with it."""

    name: str
    tables: tuple[str, ...]
    label: dict[str, str]
    dataset: str
    train: ExperimentStage
    tokenizer: str
    pretrain: ExperimentStage | None = None
    methods: tuple[str, ...] = ("dense", "fused")
    without: tuple[str, ...] = ()
    """Features that the fusion does without. On RI a held-out gold premise is one that no training proof
    uses, by construction, and a fusion that reads use counts learns just that: it must not see them there."""

    def __post_init__(self) -> None:
        for kind in self.tables:
            if kind not in _LABELS:
                hint = f"Choose {', '.join(_LABELS)}."
                raise BadSettings(f"There is no table {kind!r} for the row {self.name}.", hint)
            lacking = [name for name in _LABELS[kind] if name not in self.label]
            if lacking:
                raise BadSettings(f"The row {self.name} has no label `{lacking[0]}`.", "Add it to the plan.")
        unknown = sorted(set(self.without) - set(FEATURES))
        if unknown:
            raise BadSettings(f"There is no feature {unknown[0]!r}.", f"There are {', '.join(FEATURES)}.")

    @property
    def pretraining(self) -> str:
        """A name that rows with the same pre-training share."""
        parts = [to_plain(self.pretrain) if self.pretrain else None, self.dataset, self.tokenizer]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class ExperimentPlan:
    """All rows, in the order they are run and printed."""

    rows: tuple[PlannedRow, ...]
    tokenizers: dict[str, Any]
    questions: int = 2000
    tune: int = 1000

    def __post_init__(self) -> None:
        names = [row.name for row in self.rows]
        for row in self.rows:
            if names.count(row.name) > 1:
                raise BadSettings(f"Two rows of the plan are called {row.name}.", "Give each its own name.")
            if row.tokenizer not in self.tokenizers:
                hint = f"The plan has {', '.join(self.tokenizers)}."
                raise BadSettings(f"The row {row.name} has an unknown tokenizer {row.tokenizer!r}.", hint)
        for name, value in self.tokenizers.items():
            if value != PRETRAINED and (not isinstance(value, int) or value < 100):
                hint = f"Give a vocabulary's size, or `{PRETRAINED}`."
                raise BadSettings(f"The tokenizer {name} cannot be {value!r}.", hint)


def load_plan(path: Path) -> ExperimentPlan:
    """A plan's file, or one of the package's by its bare name. Raises BadSettings."""
    return from_plain(ExperimentPlan, read_values(path))
