"""The model card: what the weights were made from, how, and what the evaluation command found.

    python -m retriever card MODEL RUN --figures FILE [FILE ...] --hardware TEXT [--tower RUN] [--note TEXT ...]

RUN is the run that was exported; the runs it started from are found through their configurations. The
figures are what `python -m retriever evaluate --json DIR` wrote, and must be of this very
model.
"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lean_extract.common.files.atomic import replacing
from retriever.evaluation.cards import figures_by_steps, read_reports
from retriever.lean.dataset.dataset import read_manifest
from retriever.lean.evaluation.measure import MethodRow, markdown
from retriever.metrics.bootstrap import Interval
from retriever.models import encoder
from retriever.training.running.config_io import to_plain
from retriever.training.running.curve import Point, read_curve
from retriever.training.running.train import load_run

_HEADER = """---
license: apache-2.0
library_name: onnx
tags: [lean4, mathlib, premise-selection, sentence-similarity]
---

# The encoder of premise-suggest

{what} It embeds Lean 4 proof states and premises as in
"Assisting Mathematical Formalization with A Learning-based Premise Retriever", and was trained with its contrastive
loss (eq. 6).

- `retriever/models/text.py` defines the text that it reads.
- `config.json` and `retriever/models/encoder.py` define how it is run.
- `fusion.json` holds the weights that combine it with BM25 and the other features.
- `ranker.onnx`, if there is one, holds the trees that rank in place of that weighted sum.
- `tower/`, if there is one, reads states with layers (`retriever/models/state_tower.py`). Its similarity is among
  the features of the trees.
"""

_BAG = "A bag of weighed terms: tokens, tokens of a premise's name, and hashed pairs of tokens."
_SIMILARITIES = {
    "fine": "A BERT with mean pooling, context and goal apart (eq. 3).",
    "plain": "A BERT with mean pooling, context and goal as one text (eq. 2).",
}

_LIMITS = """## Limits

- It was trained on source text, not on elaborated terms. Its training states are theorem statements, goals stated
  inside proofs and, where the records have them, states between tactics, with the premises that the text names. It
  has not seen what `simp` or `omega` used.
- Its premises are Mathlib's. For other libraries it relies on the words that they share with Mathlib.
- Figures of papers with labels per tactic are of another task.
"""


_COLUMNS = 118

_FIGURES = ("R@10", "MRR")


@dataclass(frozen=True, slots=True)
class CardStage:
    """One training run, as far as the card describes it."""

    name: str
    values: dict[str, Any]
    """Its configuration; empty for weights of another's making."""
    curve: tuple[Point, ...]
    seconds: float

    @property
    def steps(self) -> int:
        """How many were taken."""
        return int(self.curve[-1]["step"]) if self.curve else 0


def stages_of(run: Path) -> list[CardStage]:
    """The run and those it started from, the first one first. Raises BadSettings.

    A run that is nothing but weights of another's making (`training.pretrained`) has no configuration.
    """
    if not (run / "config.yaml").exists():
        return [CardStage(run.name, {}, (), 0.0)]
    values = to_plain(load_run(run / "config.yaml"))
    before = stages_of(Path(values["start_from"])) if values["start_from"] else []
    points = read_curve(run)
    return [*before, CardStage(run.name, values, tuple(points), points[-1]["seconds"])]


def _write_card(
    model: Path,
    run: Path,
    figures: list[Path],
    hardware: str,
    notes: Sequence[str] = (),
    tower: Path | None = None,
) -> None:
    """Write `README.md` of a model folder; `tower` is the run of its state tower.

    Raises ModelError when the figures are of another model, BadRecords when a file holds no figures.
    """
    fingerprint = encoder.fingerprint_of(model)
    reports = read_reports(figures, "encoder", fingerprint, "retriever evaluate")
    stages = stages_of(run)
    manifest = read_manifest(Path(stages[-1].values["dataset"]))
    towers = stages_of(tower) if tower else []
    last = stages[-1].values
    what = _BAG if last.get("terms") else _SIMILARITIES[last.get("loss", {}).get("similarity", "fine")]
    train = sum(count for name, count in manifest.queries.items() if name.startswith("train/"))
    items = [
        f"Data: Mathlib's source text, revision `{manifest.revision}`, {manifest.corpus:,} premises, "
        f"{train:,} training states; data hash `{manifest.digest}`.",
        "Hash split: a theorem is test if the sha256 of its name is 0 modulo 50, and valid if it is 1. "
        "Generated variants follow their source.",
        f"Hardware: {hardware}.",
        *map(_stage_line, stages),
        *(f"The state tower's {_stage_line(stage)}" for stage in towers),
        *notes,
        f"Fingerprint `{fingerprint}`.",
    ]
    parts = [
        _HEADER.format(what=what),
        "## Training\n",
        *map(_item, items),
        "",
        _LIMITS,
        "## Figures\n",
        "In percent. Gold is the theorems that the whole proof names. Printed by `python -m retriever evaluate`, "
        "which also\nprints more columns and 95% bootstrap intervals.\n",
        *(_figures(report) for report in reports),
    ]
    with replacing(model / "README.md") as stream:
        stream.write("\n".join(parts))


def _item(text: str) -> str:
    """An item of a list, in lines of at most `_COLUMNS`; a path or a hash is never broken."""
    return textwrap.fill(
        text,
        _COLUMNS,
        initial_indent="- ",
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _stage_line(stage: CardStage) -> str:
    if not stage.values:
        return f"`{stage.name}`: weights from elsewhere."
    shape, schedule = stage.values["model"], stage.values["schedule"]
    line = (
        f"`{stage.name}`: {shape['layers']} layers of {shape['hidden']}, {stage.steps:,} steps of "
        f"{_batch(stage.values)}, peak learning rate {schedule['learning_rate']:g}, "
        f"{stage.seconds / 60:.0f} minutes."
    )
    return line + _curve(stage.curve)


def _batch(values: dict[str, Any]) -> str:
    batch, times = values["batch"], values["schedule"]["accumulate"]
    if values["kind"] == "mlm":
        line = f"{batch['texts']} texts with {batch['masked']:.0%} of the tokens masked"
    elif values["kind"] == "crossencoder":
        line = f"{batch['queries']} states with {batch['negatives']} mined premises each"
    elif values["kind"] == "tower":
        line = f"{batch['queries']} queries against all premises"
    else:
        line = f"{batch['queries']} queries with {batch['corpus_negatives']} random corpus premises"
        line += f" and {batch['hard_negatives']} mined ones each" if batch["hard_negatives"] else ""
        line += f", from {batch['share']:.0%} of the theorems" if batch["share"] < 1 else ""
    return line if times == 1 else f"{times} times {line}"


def _curve(points: Sequence[Point]) -> str:
    """The first validation figure at up to four steps."""
    measured = [point for point in points if "loss" not in point]
    if not measured:
        return ""
    name = next(name for name in measured[0] if name not in ("step", "seconds"))
    figures = figures_by_steps(measured, name, 4)
    return f" On valid states, {name.replace('_', ' ')} by steps: {figures}."


def _figures(report: dict[str, Any]) -> str:
    rows = [
        MethodRow(
            row["setting"],
            row["method"],
            row["questions"],
            {name: Interval(**interval) for name, interval in row["figures"].items()},
        )
        for row in report["rows"]
    ]
    head = (
        f"### {report['part']}: {report['questions']} questions, {report['gold_per_question']} gold each, "
        f"pool {report['pool']:,}, data `{report['data'][:16]}`, {report['seconds']:.0f} s"
    )
    return f"{head}\n\n{markdown(rows, _FIGURES, intervals=False)}\n"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("model", type=Path, help="a model folder")
    parser.add_argument("run", type=Path, help="the run it was exported from")
    parser.add_argument("--figures", type=Path, nargs="+", required=True, help="what the evaluation wrote")
    parser.add_argument("--hardware", required=True, help="what it was trained on, in words")
    parser.add_argument("--tower", type=Path, metavar="RUN", help="the run of its state tower")
    parser.add_argument("--note", action="append", default=[], help="a further line on the training")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    _write_card(options.model, options.run, options.figures, options.hardware, options.note, options.tower)
