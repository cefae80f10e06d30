"""Train a model from a YAML preset.

    python -m retriever train CONFIG [--resume] [--until STEPS] [--minutes M] [--deadline TIME] [--background]
    accelerate launch --num_processes N -m retriever train CONFIG

The run folder gets `config.yaml`, `curve.jsonl`, `progress.json`, `checkpoint.pt`, `tokenizer.json`, and in
`tensorboard/` the events of TensorBoard. A run that is stopped (Ctrl-C, SIGTERM, a limit) leaves a checkpoint
and goes on with `--resume`. With `--background` it survives the terminal; its output goes to `run.log`.
"""

from __future__ import annotations

import argparse
import importlib
import os
import shutil
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

import torch
import yaml
from accelerate import Accelerator, PartialState

from lean_extract.common.errors import BadSettings, ModelError, UserError
from lean_extract.common.files.atomic import replacing
from retriever.training.running.background import start_in_background
from retriever.training.running.checkpoint import FILE
from retriever.training.running.config import RunConfig
from retriever.training.running.config_io import read_values, to_plain
from retriever.training.running.curve import CURVE
from retriever.training.running.hardware import set_threads, with_precision
from retriever.training.running.kinds import KINDS
from retriever.training.running.loop import Loop, Objective, TrainingProgress, accelerator_for
from retriever.training.running.run_folder import CONFIG, RunProgress, held, refuse_folder_in_use
from retriever.training.running.stopping import RunLimits, Stopping, local_time, read_deadline
from retriever.training.running.tracking import NullTracker, RunTracker
from retriever.training.tokens import open_tokenizer


class KindModule(Protocol):
    """What the module of a kind of run gives."""

    def parse(self, values: Mapping[str, Any]) -> RunConfig:
        """The configuration from YAML values. Raises BadSettings."""

    def make_objective(self, config: RunConfig, device: torch.device) -> Objective:
        """The objective, its model on the device. Raises ModelError, BadRecords."""


def kind_of(values: Mapping[str, Any], kinds: Mapping[str, str] = KINDS) -> KindModule:
    """The module of a configuration's `kind`, by default the first of `kinds`. Raises BadSettings."""
    kind = values.get("kind", next(iter(kinds)))
    if kind not in kinds:
        raise BadSettings(f"There is no kind of run `{kind}`.", f"The kinds are: {', '.join(kinds)}.")
    return cast(KindModule, importlib.import_module(kinds[kind]))


def load_run(
    path: Path, kinds: Mapping[str, str] = KINDS, presets: Sequence[Path] | None = None
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
    kinds: Mapping[str, str] = KINDS,
) -> TrainingProgress:
    """Train (on) to the end, or as far as the limits let it.

    Raises UserError where there is a run that is not to be resumed, or one that goes on, ModelError, BadRecords.
    """
    limits = limits or RunLimits()
    with Stopping(limits) as stopping:
        _refuse_start(config, resume=resume)
        config = with_precision(config, resume=resume)
        accelerator = accelerator_for(config.schedule)
        loop = _loop(config, accelerator, kinds)
        if not accelerator.is_main_process:
            loop.resume()
            return loop.train(NullTracker(), stopping, until=limits.until)
        with held(config.run) as folder:
            _refuse_start(config, resume=resume, is_held=True)
            _refuse_other_tokenizer(config) if loop.resume() else _begin(config)
            begun = _begun(config, loop, limits)
            with RunTracker(folder, begun, bar=bar) as tracker:
                progress = loop.train(tracker, stopping, until=limits.until)
                if progress.steps >= config.schedule.steps:
                    tracker.end("done")
                else:
                    tracker.end("stopped", progress.stopped or f"step {progress.steps} was requested")
                return progress


def _refuse_start(config: RunConfig, *, resume: bool, is_held: bool = False) -> None:
    """Raises UserError where a run may not begin in its folder: one is there, or a process trains it now.

    `is_held`: whether this process has the folder already.
    """
    if not is_held:
        refuse_folder_in_use(config.run)
    if (config.run / FILE).exists() and not resume:
        raise UserError(f"There is a run in {config.run} already.", "Add --resume, or name another folder.")


def _begun(config: RunConfig, loop: Loop, limits: RunLimits) -> RunProgress:
    steps = config.schedule.steps
    return RunProgress(
        process=os.getpid(),
        host=socket.gethostname(),
        kind=config.kind,
        steps=steps,
        until=min(limits.until or steps, steps),
        step=loop.progress.steps,
        seconds=loop.progress.seconds,
        precision=config.schedule.precision,
        threads=torch.get_num_threads(),
        deadline=None if limits.deadline is None else limits.deadline.isoformat(timespec="minutes"),
    )


def _loop(config: RunConfig, accelerator: Accelerator, kinds: Mapping[str, str]) -> Loop:
    torch.manual_seed(config.seed)
    set_threads(config, accelerator.num_processes)
    module = kind_of({"kind": config.kind}, kinds)
    with accelerator.main_process_first():  # the others read the arrays that it caches
        objective = module.make_objective(config, accelerator.device)
    return Loop(config, objective, accelerator)


def _begin(config: RunConfig) -> None:
    config.run.mkdir(parents=True, exist_ok=True)
    (config.run / CURVE).unlink(missing_ok=True)
    if config.tokenizer_file is not None:
        shutil.copyfile(config.tokenizer_file, config.run / "tokenizer.json")
    with replacing(config.run / CONFIG) as stream:
        yaml.safe_dump(to_plain(config), stream, sort_keys=False, allow_unicode=True)


def _refuse_other_tokenizer(config: RunConfig) -> None:
    if config.tokenizer_file is None:
        return
    began, now = open_tokenizer(config.run / "tokenizer.json"), open_tokenizer(config.tokenizer_file)
    if began.to_str() != now.to_str():
        hint = f"Give it {config.run / 'tokenizer.json'}, or name another run folder."
        raise ModelError(f"The run {config.run} was trained with another tokenizer.", hint)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("config", type=Path, help="a YAML file, or the name of a preset")
    parser.add_argument("--resume", action="store_true", help="go on from the run's checkpoint")
    parser.add_argument("--until", type=int, help="stop after this step (resumable)")
    parser.add_argument("--minutes", type=float, help="stop after this many minutes of this call (resumable)")
    parser.add_argument("--deadline", metavar="TIME", help="stop at HH:MM, or at an ISO time (resumable)")
    parser.add_argument(
        "--background", action="store_true", help="train in a process that survives the terminal"
    )
    parser.add_argument(
        "--progress", action="store_const", const=True, help="a progress bar off a terminal, too"
    )


def run(options: argparse.Namespace) -> int:
    """Run the command; the exit code is 0, also where a limit was met, or 128 and the signal's number."""
    return train_config(options)


def train_config(
    options: argparse.Namespace,
    kinds: Mapping[str, str] = KINDS,
    presets: Sequence[Path] | None = None,
    package: str = "retriever",
) -> int:
    """Train what the options name; the exit code, as `run` says.

    Kinds of run and folders of presets are the retriever's unless they are given. `package`: the one whose
    `train` this is.
    """
    deadline = None if options.deadline is None else read_deadline(options.deadline, local_time())
    limits = RunLimits(options.until, options.minutes, deadline)
    config = load_run(options.config, kinds, presets)
    if options.background:
        _refuse_start(config, resume=options.resume)
        return start_in_background(_foreground(package, options, limits), config.run)
    progress = run_training(config, resume=options.resume, limits=limits, bar=options.progress, kinds=kinds)
    if PartialState().is_main_process:
        print(f"{progress.steps} steps, {progress.seconds:.0f} s")
        if progress.stopped:
            message = f"Stopped: {progress.stopped}. The checkpoint is written; go on with --resume."
            print(message, file=sys.stderr)
    return 128 + progress.signal if progress.signal else 0


def _foreground(package: str, options: argparse.Namespace, limits: RunLimits) -> list[str]:
    """The command line of the same run in the foreground."""
    deadline = limits.deadline.isoformat() if limits.deadline else None
    values = {"--until": limits.until, "--minutes": limits.minutes, "--deadline": deadline}
    given = [part for name, value in values.items() if value is not None for part in (name, str(value))]
    resume = ["--resume"] if options.resume else []
    return [sys.executable, "-P", "-m", package, "train", str(options.config), *resume, *given]
