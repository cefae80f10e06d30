"""The configuration of runs over a backend's collection: what they share, and the pairwise model's own."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from retriever.training.running.config import ModelConfig, ScheduleConfig, Threads, require_threads
from retriever.training.running.plain import require


@dataclass(frozen=True, slots=True)
class TextLengths:
    """Where texts are cut, in tokens, [CLS] and [SEP] included."""

    query: int = 256
    document: int = 256

    def __post_init__(self) -> None:
        require(self.query >= 8 and self.document >= 8, "lengths must be at least 8")


@dataclass(frozen=True, slots=True)
class PairLossConfig:
    """The softmax over a batch's references (appendix B.1)."""

    normalised: bool = True
    """Whether vectors have length 1; the paper's have not."""
    temperature: float = 0.05
    """What scores are divided by; 1 for vectors that are not normalised."""

    def __post_init__(self) -> None:
        require(self.temperature > 0, "loss.temperature must be positive")


@dataclass(frozen=True, slots=True)
class PairBatchConfig:
    """How a step is put together."""

    questions: int = 128
    corpus_negatives: int = 1024
    """Documents drawn from the training pool beside the in-batch ones; the paper has none."""
    word_dropout: float = 0.2
    """The chance that a term is left out, in a model without layers."""

    def __post_init__(self) -> None:
        require(self.questions >= 2, "batch.questions must be at least 2")
        require(self.corpus_negatives >= 0, "batch.corpus_negatives must not be negative")
        require(0 <= self.word_dropout < 1, "batch.word_dropout must lie in [0, 1)")


@dataclass(frozen=True, slots=True)
class PairwiseConfig:
    """One run of the pairwise model. Paths are relative to the folder the command runs in."""

    dataset: Path
    """What the backend reads."""
    tokenizer: Path
    run: Path
    kind: str = "pairwise"
    backend: str = field(kw_only=True)
    start_from: Path | None = None
    """A run whose BERT both towers begin as: one of kind `mlm`, or what `retriever.training.pretrained` made
    of a local Hugging Face folder; for a model with layers."""
    seed: int = 0
    threads: Threads = 1
    model: ModelConfig = field(default_factory=ModelConfig)
    pairs: int = 0
    """How many buckets pairs of tokens are hashed into, in a model without layers; 0: no pairs."""
    lengths: TextLengths = field(default_factory=TextLengths)
    loss: PairLossConfig = field(default_factory=PairLossConfig)
    batch: PairBatchConfig = field(default_factory=PairBatchConfig)
    schedule: ScheduleConfig = field(default_factory=ScheduleConfig)

    def __post_init__(self) -> None:
        require(self.kind == "pairwise", f"the pairwise model is asked for, not `kind: {self.kind}`")
        require_threads(self.threads)
        require(self.model.architecture == "bert", "model.architecture must be `bert` here")
        require(self.pairs >= 0, "pairs must not be negative")
        bag = not self.model.layers
        require(bag or not self.pairs, "pairs are for a model without layers")
        require(self.start_from is None or not bag, "start_from needs a model with layers")
        longest = max(self.lengths.query, self.lengths.document)
        require(bag or longest <= self.model.positions, "lengths must not exceed model.positions")
