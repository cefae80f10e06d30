"""What a run of the generator is told: frozen dataclasses checked on creation, read from YAML presets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prover.generator.prompt import FORMS, MAX_PREMISES, Form
from retriever.training.running.config import ScheduleConfig
from retriever.training.running.plain import from_plain, require

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
    """False: the relative position biases stay as they are made (`prover.training.model`), with which
    attention on a CPU takes half the time."""

    def __post_init__(self) -> None:
        layers = (self.encoder_layers, self.decoder_layers)
        sizes = (*layers, self.hidden, self.heads, self.head_size, self.intermediate)
        require(all(size > 0 for size in sizes), "shape.* must be positive")
        require(0 <= self.dropout < 1, "shape.dropout must lie in [0, 1)")


@dataclass(frozen=True, slots=True)
class PromptConfig:
    """What the model reads and writes, in symbols."""

    form: Form = "numbered"
    max_prompt: int = 512
    max_tactic: int = 96
    """Longer tactics are not trained on."""
    premises: int = 10
    """Premises in a prompt, at most (section 3.3.3)."""

    def __post_init__(self) -> None:
        require(self.form in FORMS, f"prompt.form must be one of {', '.join(FORMS)}")
        require(self.max_prompt >= 32 and self.max_tactic >= 8, "prompt.max_* are too small")
        require(0 <= self.premises <= MAX_PREMISES, f"prompt.premises must lie in [0, {MAX_PREMISES}]")


@dataclass(frozen=True, slots=True)
class MixConfig:
    """How a batch is put together."""

    pairs: int = 32
    """Pairs a batch."""
    terms: float = 0.5
    """The share of the goals that terms prove which an epoch takes."""
    lean: int = 1
    """How often an epoch takes each traced step."""
    bare: float = 0.1
    """The share of prompts without any premise."""
    missed: float = 0.0
    """The share of the other prompts that have negative premises alone, as a retriever's often are."""
    retrieved: float = 1.0
    """Of the prompts for whose state the retriever was asked (`retrieved` of the run), the share that has
    what it offered instead of drawn premises."""
    spelled: float = 1.0
    """The weight, in the loss, of symbols that spell a premise's name which the prompt does not have."""
    judged: float = 0.0
    """The weight of a second loss: which of the premises the tactic uses, told from the encoder's output at
    their symbols (numbered form). Without it a small model that starts from nothing does not begin to read
    its prompt for a long time."""

    def __post_init__(self) -> None:
        require(self.pairs > 0, "mix.pairs must be positive")
        require(0 <= self.terms <= 1, "mix.terms must lie in [0, 1]")
        require(self.lean >= 0, "mix.lean must not be negative")
        require(0 <= self.bare <= 1, "mix.bare must lie in [0, 1]")
        require(0 <= self.missed <= 1, "mix.missed must lie in [0, 1]")
        require(0 <= self.retrieved <= 1, "mix.retrieved must lie in [0, 1]")
        require(self.judged >= 0, "mix.judged must not be negative")
        require(0 <= self.spelled <= 1, "mix.spelled must lie in [0, 1]")


@dataclass(frozen=True, slots=True)
class GeneratorConfig:
    """One run. Paths are relative to the folder the command runs in."""

    dataset: Path
    """A folder that `python -m prover pairs` wrote."""
    run: Path
    kind: str = "generator"
    start_from: Path | None = None
    """A run whose weights are taken over, or a folder of a transformers T5 (google/byt5-small)."""
    retrieved: Path | None = None
    """A file that `python -m prover retrieve --part train` wrote: what the retriever offers for a
    sample of training steps. Other steps known from text are not drawn then."""
    seed: int = 0
    threads: int = 1
    shape: ShapeConfig = field(default_factory=ShapeConfig)
    prompt: PromptConfig = field(default_factory=PromptConfig)
    mix: MixConfig = field(default_factory=MixConfig)
    schedule: ScheduleConfig = field(default_factory=ScheduleConfig)

    def __post_init__(self) -> None:
        require(self.kind == "generator", f"a generator is asked for, not `kind: {self.kind}`")
        require(self.threads > 0, "threads must be positive")

    @property
    def tokenizer(self) -> Path | None:
        """None: it reads bytes."""
        return None


def parse_config(values: Mapping[str, Any]) -> GeneratorConfig:
    """A run from plain YAML values. Raises BadSettings on unknown names, missing paths and bad values."""
    return from_plain(GeneratorConfig, values)
