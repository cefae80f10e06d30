"""The configuration of a run of the autoregressive model."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from retriever.training.references.joint_config import JointBatchConfig, StartConfig
from retriever.training.references.pairwise_config import PairLossConfig, TextLengths
from retriever.training.running.config import ModelConfig, ScheduleConfig, Threads, require_threads
from retriever.training.running.plain import require


@dataclass(frozen=True, slots=True)
class DecoderConfig:
    """The shape of the decoder; its width is the encoder's."""

    layers: int = 1
    heads: int = 4
    intermediate: int = 768
    dropout: float = 0.1
    longest: int = 24
    """References of a sequence; of a longer one the beginning is learned, and no longer one is written."""

    def __post_init__(self) -> None:
        require(self.layers >= 1 and self.heads >= 1, "decoder.layers and heads must be positive")
        require(self.intermediate >= 1, "decoder.intermediate must be positive")
        require(0 <= self.dropout < 1, "decoder.dropout must lie in [0, 1)")
        require(self.longest >= 1, "decoder.longest must be at least 1")


@dataclass(frozen=True, slots=True)
class AutoregressiveConfig:
    """One run of the autoregressive model. Paths are relative to the folder the command runs in."""

    dataset: Path
    """What the backend reads."""
    tokenizer: Path
    run: Path
    kind: str = "autoregressive"
    backend: str = field(kw_only=True)
    seed: int = 0
    threads: Threads = 1
    start: StartConfig = field(default_factory=StartConfig)
    model: ModelConfig = field(default_factory=ModelConfig)
    pairs: int = 0
    """As the pairwise run has it."""
    decoder: DecoderConfig = field(default_factory=DecoderConfig)
    lengths: TextLengths = field(default_factory=TextLengths)
    loss: PairLossConfig = field(default_factory=PairLossConfig)
    """As the pairwise run has it."""
    batch: JointBatchConfig = field(default_factory=JointBatchConfig)
    schedule: ScheduleConfig = field(default_factory=ScheduleConfig)

    def __post_init__(self) -> None:
        message = f"the autoregressive model is asked for, not `kind: {self.kind}`"
        require(self.kind == "autoregressive", message)
        require_threads(self.threads)
        require(self.model.architecture == "bert", "model.architecture must be `bert` here")
        require(self.pairs >= 0, "pairs must not be negative")
        require(not (self.model.layers and self.pairs), "pairs are for a model without layers")
        fits = not self.model.layers or self.lengths.query <= self.model.positions
        require(fits, "lengths must not exceed model.positions")
        require(
            self.model.hidden % self.decoder.heads == 0, "model.hidden must be a multiple of decoder.heads"
        )
