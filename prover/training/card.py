"""Writes the generator's model card: its training data, its training, and the figures of its evaluation.

    python -m prover card MODEL RUN --figures FILE [FILE ...] --hardware TEXT [--note TEXT ...]

RUN is the run that was exported; the runs that it started from are found through their configurations. The
figures are files that `python -m prover evaluate --json FILE` wrote for the same model.
"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lean_extract.common.files.atomic import replacing
from prover.generator import files
from prover.shaped.files import read
from prover.training.data import read_manifest
from prover.training.evaluate import GeneratorRow, markdown
from prover.training.train import GeneratorConfig, load_run
from retriever.evaluation.cards import figures_by_steps, read_reports
from retriever.metrics.bootstrap import Interval
from retriever.training.running.curve import Point, read_curve

_HEADER = """---
license: apache-2.0
library_name: onnx
tags: [lean4, mathlib, tactic-generation, byt5]
---

# The tactic generator of premise-suggest

A byte-level T5 of ByT5's architecture. It reads premises and a Lean 4 proof state, and writes a tactic (section 3.3.3
of "Assisting Mathematical Formalization with A Learning-based Premise Retriever"). It was trained from scratch.

- It reads and writes the `{form}` form of `prover/generator/prompt.py`.
- `generator.json`, `prover/generator/files.py` and `prover/generator/model.py` define how it is run.
"""
_LIMITS = """## Limits

- Nearly all of its training states were read from Mathlib's text: theorem statements, goals stated inside proofs,
  and what plain tactics make of them. It has seen states between tactics, as Lean prints them, only from the mini
  core's example library.
- What it writes is a guess. A suggestion is shown only once Lean has accepted it.
"""


def _stages_of(run: Path) -> list[tuple[GeneratorConfig, list[Point]]]:
    """The run and those that it started from, the earliest first, with their curves. Raises BadSettings."""
    config = load_run(run / "config.yaml")
    before = config.start_from
    earlier = _stages_of(before) if before and (before / "config.yaml").exists() else []
    return [*earlier, (config, read_curve(run))]


def _write_card(
    model: Path, run: Path, figures: Sequence[Path], hardware: str, notes: Sequence[str] = ()
) -> None:
    """Write the `README.md` of a model folder.

    Raises ModelError: the figures are of another model. BadRecords: a file holds no figures.
    """
    fingerprint = files.fingerprint_of(model)
    reports = read_reports(figures, "generator", fingerprint, "prover evaluate")
    stages = _stages_of(run)
    config = stages[-1][0]
    manifest = read_manifest(config.dataset)
    trained = {kind: manifest.pairs.get(f"train/{kind}", 0) for kind in ("tactic", "term", "lean")}
    parts = [
        _HEADER.format(form=config.prompt.form),
        "## Training\n",
        f"- Data: {'; '.join(manifest.sources)} (records and their revisions). Training pairs: "
        f"{trained['tactic']:,} steps whose state the text determines, {trained['term']:,} goals that terms "
        f"prove, {trained['lean']:,} steps with Lean's own states; data hash `{manifest.digest}`.",
        "- Hash split: a theorem is test if the sha256 of its name is 0 modulo 50, and valid if it is 1. "
        "Generated variants follow their source. The mini core's problems are in no part.",
        f"- Hardware: {hardware}.",
        *(f"- {_stage(each, curve)}" for each, curve in stages),
        *(f"- {note}" for note in notes),
        f"- Fingerprint `{fingerprint}`.\n",
        _LIMITS,
        "## Figures\n",
        "Steps of held-out theorems, in percent, with 95% bootstrap intervals over steps. "
        "Printed by `python -m prover evaluate`.\n",
        *map(_figures, reports),
    ]
    with replacing(model / "README.md") as stream:
        stream.write("\n".join(parts))


def _stage(config: GeneratorConfig, curve: Sequence[Point]) -> str:
    shape, schedule = config.shape, config.schedule
    seconds, steps = (curve[-1]["seconds"], int(curve[-1]["step"])) if curve else (0.0, 0)
    text = (
        f"`{config.run.name}`: {shape.encoder_layers} and {shape.decoder_layers} layers of {shape.hidden}, "
        f"{steps:,} steps of {config.mix.pairs * schedule.accumulate} pairs, prompts of at most "
        f"{config.prompt.max_prompt} symbols with at most {config.prompt.premises} premises, peak learning "
        f"rate {schedule.learning_rate:g}, {schedule.precision}, {seconds / 60:.0f} minutes."
    )
    losses = figures_by_steps(curve, "loss_valid", 3)
    return f"{text} Valid loss per symbol, by steps: {losses}." if losses else text


def _figures(report: dict[str, Any]) -> str:
    rows = [
        GeneratorRow(
            row["name"],
            row["steps"],
            {name: Interval(**interval) for name, interval in row["figures"].items()},
            {origin: (int(n), first, any_) for origin, (n, first, any_) in row["by_origin"].items()},
            row["milliseconds"],
        )
        for row in report["rows"]
    ]
    head = f"### {report['part']}: {rows[0].steps:,} steps, pairs `{report['pairs'][:16]}`"
    return f"{head}\n\n{markdown(rows)}\n"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("model", type=Path, help="a generator's folder")
    parser.add_argument("run", type=Path, help="the run that it was exported from")
    parser.add_argument(
        "--figures", type=Path, nargs="+", required=True, help="files that the evaluation wrote"
    )
    parser.add_argument("--hardware", required=True, help="the hardware that it was trained on, in words")
    parser.add_argument("--note", action="append", default=[], help="a further line on the training")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    _write_card(options.model, options.run, options.figures, options.hardware, options.note)


_CARD = """---
license: apache-2.0
tags: [lean4, mathlib, tactic-generation]
---

# The generator of tactic shapes of premise-suggest

A classifier of tactic shapes with pointers to premises and hypotheses. It reads a Lean 4 goal and ranked premises, and
writes tactics. `prover/shaped/` runs it with numpy; `docs/generator.md` has its figures.

- Fingerprint `{fingerprint}`.
- {shapes:,} shapes, and how often each of {premises:,} premises fills which slot. A shape is a tactic without its
  premises and hypotheses; shapes of fewer than {least} theorems, or of fewer than three files, are not kept.
- Data: {sources} (records and their revisions), data hash `{pairs}`; {steps:,} tactic steps of the train split.
- Hash split: a theorem is test if the sha256 of its name is 0 modulo 50, and valid if it is 1. Neither these nor the
  names left out when the pairs were made are trained on or counted, save that the pointers to premises are fitted
  on what the retriever offers for steps of: {lists}.
- Trained with `python -m prover fit-shapes`. Loss on the valid steps after each pass (nats):
{losses}

## Limits

- It writes no terms: a tactic with a lambda, a statement or a rare name of its own cannot be written.
- Nearly all of its training states were read from Mathlib's text and from goals that Lean printed there.
- What it writes is a guess. A suggestion is shown only once Lean has accepted it.
"""


def write_shapes_card(folder: Path, about: Mapping[str, Any], sources: Sequence[str], least: int) -> None:
    """Write the `README.md` of a folder. Raises ModelError, OSError."""
    contents = read(folder)
    losses = "\n".join(
        f"  - {name}: {', '.join(f'{loss:.3f}' for loss in values)}"
        for name, values in about["losses"].items()
    )
    text = _CARD.format(
        fingerprint=contents.fingerprint,
        shapes=len(contents.shapes) - 1,
        premises=len(contents.uses),
        least=least,
        sources="; ".join(sources),
        pairs=about["pairs"],
        steps=about["steps"],
        lists=" and ".join(about["lists"]) or "(none)",
        losses=losses,
    )
    wrapper = textwrap.TextWrapper(
        118, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
    wrapped = [wrapper.fill(line) if line.startswith("- ") else line for line in text.splitlines()]
    with replacing(folder / "README.md") as stream:
        stream.write("\n".join(wrapped) + "\n")
