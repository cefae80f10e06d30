"""What a plan of experiments says: which rows there are, and how each is trained and measured.

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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from lean_extract.common.errors import BadSettings
from retriever.evaluation.experiments import stage_config
from retriever.lean.features import FEATURES
from retriever.training.running.config import RunConfig
from retriever.training.running.config_io import from_plain, read_values, to_plain

Table = Literal["splits", "pieces", "share"]
LABELS: dict[Table, tuple[str, ...]] = {
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
        for table in self.tables:
            if table not in LABELS:
                hint = f"Choose {', '.join(LABELS)}."
                raise BadSettings(f"There is no table {table!r} for the row {self.name}.", hint)
            lacking = [name for name in LABELS[table] if name not in self.label]
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
