"""Trains the generator from a YAML preset with the retriever's training loop, which can be stopped and resumed.

    python -m prover train CONFIG [--resume] [--until STEPS] [--minutes M] [--deadline TIME] [--background]
    accelerate launch --num_processes N -m prover train CONFIG

The run folder gets `config.yaml`, `curve.jsonl`, `progress.json`, `checkpoint.pt` and TensorBoard event files.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from prover.training.config import PRESETS, GeneratorConfig
from retriever.training.running import train

KINDS: Mapping[str, str] = {"generator": "prover.training.objective"}


def load_run(path: Path) -> GeneratorConfig:
    """The configuration in a YAML file or preset. Raises BadSettings."""
    return cast(GeneratorConfig, train.load_run(path, KINDS, (PRESETS,)))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options, which are those of the retriever's training."""
    train.add_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command; returns the same exit codes as the retriever's training."""
    return train.train_config(options, KINDS, (PRESETS,), "prover")
