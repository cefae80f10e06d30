"""The model card: what the weights were made from, how, and what the evaluation command found.

    python -m retriever.training.card MODEL RUN --figures FILE [FILE ...] --hardware TEXT [--note TEXT ...]

RUN is the run that was exported; the runs it started from are found through their configurations. The
figures are what `python -m retriever.evaluation --json FILE` wrote, and must be of this very model.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from lean_extract.atomic import replacing
from lean_extract.errors import ModelError, PremiseSuggestError
from retriever import encoder
from retriever.evaluation.bootstrap import Interval
from retriever.evaluation.tables import Row, markdown
from retriever.training.config import load_config, to_plain
from retriever.training.dataset_files import read_manifest
from retriever.training.train import read_curve

_HEADER = """---
license: apache-2.0
library_name: onnx
tags: [lean4, mathlib, premise-selection, sentence-similarity]
---

# The encoder of premise-suggest

A BERT with mean pooling that embeds Lean 4 proof states and premises (context and goal apart, eq. 3 of
"Assisting Mathematical Formalization with A Learning-based Premise Retriever"), trained from
nothing with a contrastive loss (eq. 6). It reads texts in the form of `retriever/text.py`. `config.json` and
`retriever/encoder.py` say how it is run; `fusion.json` holds the weights that join it with BM25.
"""

_LIMITS = """## Limits

Trained on source text, not on elaborated terms: its training states are theorem statements and goals stated
inside proofs, with the premises that the text names. It has not seen what `simp` or `omega` used, nor the
states between tactics. Names are not part of what it reads. Premises are Mathlib's; for other libraries it
relies on the words they share with it. Figures of papers with labels per tactic are of another task.
"""


@dataclass(frozen=True, slots=True)
class Stage:
    """One training run, as far as the card tells of it."""

    name: str
    values: dict[str, Any]
    steps: int
    seconds: float


def stages_of(run: Path) -> list[Stage]:
    """The run and those it started from, the first one first. Raises BadSettings."""
    config = load_config(run / "config.yaml")
    before = stages_of(config.start_from) if config.start_from else []
    last = read_curve(run)[-1]
    return [*before, Stage(run.name, to_plain(config), int(last["step"]), float(last["seconds"]))]


def write_card(model: Path, run: Path, figures: list[Path], hardware: str, notes: Sequence[str] = ()) -> None:
    """Write `README.md` of a model folder. Raises ModelError when the figures are of another model."""
    fingerprint = encoder.fingerprint_of(model)
    reports = [json.loads(path.read_text(encoding="utf-8")) for path in figures]
    for path, report in zip(figures, reports, strict=True):
        if report["encoder"] != fingerprint:
            raise ModelError(f"The figures in {path} are of another model.", "Run the evaluation again.")
    manifest = read_manifest(load_config(run / "config.yaml").dataset)
    stages = stages_of(run)
    train = sum(count for name, count in manifest.queries.items() if name.startswith("train/"))
    parts = [
        _HEADER,
        "## Training\n",
        f"- Data: Mathlib's source text, revision `{manifest.revision}`, {manifest.corpus:,} premises, "
        f"{train:,} training states; data hash `{manifest.digest}`.",
        "- Held out by hash: a theorem is test when sha256 of its name is 0 modulo 50, valid when it is 1; "
        "generated twins follow their source.",
        f"- Hardware: {hardware}.",
        *(f"- {_told(stage)}" for stage in stages),
        *(f"- {note}" for note in notes),
        f"- Fingerprint `{fingerprint}`.\n",
        _LIMITS,
        "## Figures\n",
        "In percent, with 95% bootstrap intervals over questions. Gold: the theorems that the whole proof "
        "names. `python -m retriever.evaluation` prints them.\n",
        *(_figures(report) for report in reports),
    ]
    with replacing(model / "README.md") as stream:
        stream.write("\n".join(parts))


def _told(stage: Stage) -> str:
    shape, batch, schedule = (stage.values[name] for name in ("model", "batch", "schedule"))
    return (
        f"`{stage.name}`: {shape['layers']} layers of {shape['hidden']}, {stage.steps:,} steps of "
        f"{batch['queries']} queries with {batch['corpus_negatives']} random corpus premises, "
        f"peak learning rate {schedule['learning_rate']:g}, {stage.seconds / 60:.0f} minutes."
    )


def _figures(report: dict[str, Any]) -> str:
    rows = [
        Row(
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
    return f"{head}\n\n{markdown(rows)}\n"


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m retriever.training.card", description=__doc__)
    parser.add_argument("model", type=Path, help="a model folder")
    parser.add_argument("run", type=Path, help="the run it was exported from")
    parser.add_argument("--figures", type=Path, nargs="+", required=True, help="what the evaluation wrote")
    parser.add_argument("--hardware", required=True, help="what it was trained on, in words")
    parser.add_argument("--note", action="append", default=[], help="a further line on the training")
    chosen = parser.parse_args(arguments)
    try:
        write_card(chosen.model, chosen.run, chosen.figures, chosen.hardware, chosen.note)
    except (PremiseSuggestError, yaml.YAMLError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
