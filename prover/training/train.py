"""Trains the generator from a YAML preset with the retriever's training loop, which can be stopped and resumed.

    python -m prover train CONFIG [--resume] [--until STEPS] [--minutes M] [--deadline TIME] [--background]
    accelerate launch --num_processes N -m prover train CONFIG

The run folder gets `config.yaml`, `curve.jsonl`, `progress.json`, `checkpoint.pt` and TensorBoard event files.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast

from prover.generator.prompt import MAX_PREMISES, Form
from retriever.training.running import train
from retriever.training.running.config import RunConfig
from retriever.training.running.config_io import require

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


PRESETS = Path(__file__).parent / "configs"


@dataclass(frozen=True, slots=True)
class ShapeConfig:
    """The shape of the T5 (ByT5's is 12 and 4 layers of 1,472 with 6 heads of 64 and 3,584 between them)."""

    encoder_layers: int = 12
    decoder_layers: int = 4
    hidden: int = 1472
    heads: int = 6
    head_size: int = 64
    intermediate: int = 3584
    dropout: float = 0.1
    learned_distances: bool = True
    """False: the relative position biases are set by hand and frozen (`prover.training.model`), which halves the
    time of attention on a CPU."""

    def __post_init__(self) -> None:
        layers = (self.encoder_layers, self.decoder_layers)
        sizes = (*layers, self.hidden, self.heads, self.head_size, self.intermediate)
        require(all(size > 0 for size in sizes), "shape.* must be positive")
        require(0 <= self.dropout < 1, "shape.dropout must lie in [0, 1)")


@dataclass(frozen=True, slots=True)
class PromptConfig:
    """The form and lengths of prompts and tactics; lengths are in symbols."""

    form: Form = "numbered"
    max_prompt: int = 512
    max_tactic: int = 96
    """Longer tactics are left out of training."""
    premises: int = 10
    """The most premises in a prompt (section 3.3.3)."""

    def __post_init__(self) -> None:
        require(self.max_prompt >= 32 and self.max_tactic >= 8, "prompt.max_* are too small")
        require(0 <= self.premises <= MAX_PREMISES, f"prompt.premises must lie in [0, {MAX_PREMISES}]")


@dataclass(frozen=True, slots=True)
class MixConfig:
    """What batches consist of."""

    pairs: int = 32
    """Pairs per batch."""
    terms: float = 0.5
    """The share of the goals proved by terms that an epoch uses."""
    lean: int = 1
    """How often an epoch uses each traced step."""
    bare: float = 0.1
    """The share of prompts without any premise."""
    missed: float = 0.0
    """The share of the other prompts that have only negative premises, as often happens with a retriever."""
    retrieved: float = 1.0
    """The share of prompts with the retriever's premises instead of drawn ones, among the states for which the
    retriever has ranked premises (the run's `retrieved`)."""
    spelled: float = 1.0
    """The weight in the loss of symbols that spell the name of a premise that is not in the prompt."""
    judged: float = 0.0
    """The weight of a second loss: predicting which of the premises the tactic uses, from the encoder's output at
    their symbols (numbered form). Without it, a small model trained from scratch takes long to start reading its
    prompt."""

    def __post_init__(self) -> None:
        require(self.pairs > 0, "mix.pairs must be positive")
        require(0 <= self.terms <= 1, "mix.terms must lie in [0, 1]")
        require(self.lean >= 0, "mix.lean must not be negative")
        require(0 <= self.bare <= 1, "mix.bare must lie in [0, 1]")
        require(0 <= self.missed <= 1, "mix.missed must lie in [0, 1]")
        require(0 <= self.retrieved <= 1, "mix.retrieved must lie in [0, 1]")
        require(self.judged >= 0, "mix.judged must not be negative")
        require(0 <= self.spelled <= 1, "mix.spelled must lie in [0, 1]")


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratorConfig(RunConfig):
    """One run over a folder that `python -m prover pairs` wrote.

    Weights are taken over from a run, or from a folder with a transformers T5 (google/byt5-small).
    """

    kind: Literal["generator"] = "generator"
    retrieved: Path | None = None
    """A file that `python -m prover retrieve --part train` wrote: the retriever's premises for a sample of training
    steps. Other steps known from text are then not drawn."""
    shape: ShapeConfig = field(default_factory=ShapeConfig)
    prompt: PromptConfig = field(default_factory=PromptConfig)
    mix: MixConfig = field(default_factory=MixConfig)
