"""Train a model from a YAML preset.

    python -m retriever train CONFIG [--resume] [--until STEPS] [--minutes M] [--progress]
    accelerate launch --num_processes N -m retriever train CONFIG

The run folder gets `config.yaml`, `curve.jsonl`, `checkpoint.pt`, `tokenizer.json`, and in `tensorboard/`
the events of TensorBoard. A run that is stopped (Ctrl-C, SIGTERM, a limit) leaves a checkpoint and goes on
with `--resume`.
"""

from __future__ import annotations

import argparse
import importlib
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

import torch
import yaml
from accelerate import Accelerator, PartialState

from lean_extract.errors import BadSettings, ModelError, UserError
from lean_extract.files.atomic import replacing
from retriever.training.running.checkpoint import FILE
from retriever.training.running.config import RunConfig
from retriever.training.running.curve import CURVE
from retriever.training.running.kinds import all_kinds
from retriever.training.running.loop import Loop, Objective, TrainingProgress, accelerator_for
from retriever.training.running.plain import to_plain
from retriever.training.running.presets import read_values
from retriever.training.running.stopping import Stopping
from retriever.training.running.tracking import RunTracker, Silence
from retriever.training.tokens import open_tokenizer


class KindModule(Protocol):
    """What the module of a kind of run gives."""

    def parse(self, values: Mapping[str, Any]) -> RunConfig:
        """The configuration from YAML values. Raises BadSettings."""

    def make_objective(self, config: RunConfig, device: torch.device) -> Objective:
        """The objective, its model on the device. Raises ModelError, BadRecords."""


@dataclass(frozen=True, slots=True)
class RunLimits:
    """How far this call goes."""

    until: int | None = None
    """Steps, counted from the run's beginning."""
    minutes: float | None = None
    """Of this call."""

    def __post_init__(self) -> None:
        if any(limit is not None and limit <= 0 for limit in (self.until, self.minutes)):
            raise UserError(
                "A limit must be positive.", "Leave --minutes and --until out to train to the end."
            )


def kind_of(values: Mapping[str, Any], kinds: Mapping[str, str] | None = None) -> KindModule:
    """The module of a configuration's `kind`, by default the first of `kinds`. Raises BadSettings."""
    kinds = all_kinds() if kinds is None else kinds
    kind = values.get("kind", next(iter(kinds)))
    if kind not in kinds:
        raise BadSettings(f"There is no kind of run `{kind}`.", f"The kinds are: {', '.join(kinds)}.")
    return cast(KindModule, importlib.import_module(kinds[kind]))


def load_run(
    path: Path, kinds: Mapping[str, str] | None = None, presets: Sequence[Path] | None = None
) -> RunConfig:
    """The configuration in a YAML file or preset, of whatever kind it is. Raises BadSettings."""
    values = read_values(path, presets)
    return kind_of(values, kinds).parse(values)


def run_training(
    config: RunConfig,
    *,
    resume: bool = False,
    limits: RunLimits | None = None,
    bar: bool | None = None,
    kinds: Mapping[str, str] | None = None,
) -> TrainingProgress:
    """Train (on) to the end, or as far as the limits let it.

    Raises UserError where there is a run that is not to be resumed, ModelError, BadRecords.
    """
    limits = limits or RunLimits()
    with Stopping(limits.minutes) as stopping:
        if (config.run / FILE).exists() and not resume:
            raise UserError(
                f"There is a run in {config.run} already.", "Add --resume, or name another folder."
            )
        accelerator = accelerator_for(config.schedule)
        loop = _loop(config, accelerator, kinds)
        resumed = loop.resume()
        if not accelerator.is_main_process:
            return loop.train(Silence(), stopping, until=limits.until)
        _refuse_other_tokenizer(config) if resumed else _begin(config)
        end = min(limits.until or config.schedule.steps, config.schedule.steps)
        with RunTracker(config.run, loop.progress.steps, end, bar=bar) as tracker:
            return loop.train(tracker, stopping, until=limits.until)


def _loop(config: RunConfig, accelerator: Accelerator, kinds: Mapping[str, str] | None) -> Loop:
    torch.manual_seed(config.seed)
    torch.set_num_threads(config.threads)
    module = kind_of({"kind": config.kind}, kinds)
    with accelerator.main_process_first():  # the others read the arrays that it caches
        objective = module.make_objective(config, accelerator.device)
    return Loop(config, objective, accelerator)


def _begin(config: RunConfig) -> None:
    config.run.mkdir(parents=True, exist_ok=True)
    (config.run / CURVE).unlink(missing_ok=True)
    if config.tokenizer is not None:
        shutil.copyfile(config.tokenizer, config.run / "tokenizer.json")
    with replacing(config.run / "config.yaml") as stream:
        yaml.safe_dump(to_plain(config), stream, sort_keys=False, allow_unicode=True)


def _refuse_other_tokenizer(config: RunConfig) -> None:
    if config.tokenizer is None:
        return
    began, now = open_tokenizer(config.run / "tokenizer.json"), open_tokenizer(config.tokenizer)
    if began.to_str() != now.to_str():
        hint = f"Give it {config.run / 'tokenizer.json'}, or name another run folder."
        raise ModelError(f"The run {config.run} was trained with another tokenizer.", hint)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("config", type=Path, help="a YAML file, or the name of a preset")
    parser.add_argument("--resume", action="store_true", help="go on from the run's checkpoint")
    parser.add_argument("--until", type=int, help="stop when so many steps are done (resumable)")
    parser.add_argument("--minutes", type=float, help="stop after so many minutes of this call (resumable)")
    parser.add_argument(
        "--progress", action="store_const", const=True, help="a progress bar off a terminal, too"
    )


def run(options: argparse.Namespace) -> int:
    """Run the command; the exit code is 0, also where a limit was met, or 128 and the signal's number."""
    return train_config(options)


def train_config(
    options: argparse.Namespace,
    kinds: Mapping[str, str] | None = None,
    presets: Sequence[Path] | None = None,
) -> int:
    """Train what the options name; the exit code, as `run` says.

    Kinds of run and folders of presets are those of the corpora unless they are given.
    """
    limits = RunLimits(options.until, options.minutes)
    config = load_run(options.config, kinds, presets)
    progress = run_training(config, resume=options.resume, limits=limits, bar=options.progress, kinds=kinds)
    if PartialState().is_main_process:
        print(f"{progress.steps} steps, {progress.seconds:.0f} s")
        if progress.stopped:
            message = f"Stopped: {progress.stopped}. The checkpoint is written; go on with --resume."
            print(message, file=sys.stderr)
    return 128 + progress.signal if progress.signal else 0
