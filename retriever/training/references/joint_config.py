"""The configuration of a run of the joint model."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from retriever.training.references.pairwise_config import PairLossConfig, TextLengths
from retriever.training.running.config import ModelConfig, ScheduleConfig, Threads, require_threads
from retriever.training.running.plain import require

Start = Literal["fresh", "pairwise"]


@dataclass(frozen=True, slots=True)
class StartConfig:
    """Table 11's initialisations."""

    pairwise: Path | None = None
    """The run of the pairwise model whose parts are taken over, or whose encodings are."""
    encoder: Start = "pairwise"
    embeddings: Start = "pairwise"
    frozen: bool = False
    """Whether the references' embeddings stay as they begin (as the paper has it for `pairwise`)."""

    def __post_init__(self) -> None:
        for name, start in (("encoder", self.encoder), ("embeddings", self.embeddings)):
            require(start in ("fresh", "pairwise"), f"start.{name} must be `fresh` or `pairwise`")
        taken = "pairwise" in (self.encoder, self.embeddings)
        require(taken == (self.pairwise is not None), "start.pairwise and what is taken from it go together")
        require(not (self.frozen and self.embeddings == "fresh"), "fresh embeddings cannot be frozen")


@dataclass(frozen=True, slots=True)
class JointBatchConfig:
    """How a step is put together."""

    questions: int = 128
    word_dropout: float = 0.2
    """The chance that a term of a question is left out, in a model without layers."""
    without_own: bool = True
    """Whether the document that a question is has no part in its softmax."""

    def __post_init__(self) -> None:
        require(self.questions >= 1, "batch.questions must be at least 1")
        require(0 <= self.word_dropout < 1, "batch.word_dropout must lie in [0, 1)")


@dataclass(frozen=True, slots=True)
class JointConfig:
    """One run of the joint model. Paths are relative to the folder the command runs in."""

    dataset: Path
    """What the backend reads."""
    tokenizer: Path
    run: Path
    kind: str = "joint"
    backend: str = field(kw_only=True)
    seed: int = 0
    threads: Threads = 1
    start: StartConfig = field(default_factory=StartConfig)
    model: ModelConfig = field(default_factory=ModelConfig)
    pairs: int = 0
    """As the pairwise run has it."""
    lengths: TextLengths = field(default_factory=TextLengths)
    loss: PairLossConfig = field(default_factory=PairLossConfig)
    """As the pairwise run has it."""
    batch: JointBatchConfig = field(default_factory=JointBatchConfig)
    schedule: ScheduleConfig = field(default_factory=ScheduleConfig)

    def __post_init__(self) -> None:
        require(self.kind == "joint", f"the joint model is asked for, not `kind: {self.kind}`")
        require_threads(self.threads)
        require(self.model.architecture == "bert", "model.architecture must be `bert` here")
        require(self.pairs >= 0, "pairs must not be negative")
        require(not (self.model.layers and self.pairs), "pairs are for a model without layers")
        fits = not self.model.layers or self.lengths.query <= self.model.positions
        require(fits, "lengths must not exceed model.positions")
