"""The configuration of runs over a backend's collection: what they share, and the pairwise model's own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from retriever.training.running.config import TextRunConfig
from retriever.training.running.config_io import require


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
    """Documents drawn from the training pool in addition to the in-batch ones; the paper has none."""
    word_dropout: float = 0.2
    """The chance that a term is left out, in a model without layers."""

    def __post_init__(self) -> None:
        require(self.questions >= 2, "batch.questions must be at least 2")
        require(self.corpus_negatives >= 0, "batch.corpus_negatives must not be negative")
        require(0 <= self.word_dropout < 1, "batch.word_dropout must be in [0, 1)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferencesRunConfig(TextRunConfig):
    """What the runs over a backend's collection share."""

    backend: str
    """Who reads `dataset`."""
    pairs: int = 0
    """How many buckets pairs of tokens are hashed into, in a model without layers; 0: no pairs. A run that goes on
    from a pairwise one has as many."""
    lengths: TextLengths = field(default_factory=TextLengths)
    loss: PairLossConfig = field(default_factory=PairLossConfig)

    def __post_init__(self) -> None:
        TextRunConfig.__post_init__(self)
        require(self.pairs >= 0, "pairs must not be negative")
        require(not (self.model.layers and self.pairs), "pairs are for a model without layers")
        if self.model.layers:
            self.model.check_lengths(self.lengths.query)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairwiseConfig(ReferencesRunConfig):
    """One run of the pairwise model.

    Both towers begin as the BERT of `start_from`, for a model with layers: a run of kind `mlm`, or what
    `retriever.training.pretrained` made of a local Hugging Face folder.
    """

    kind: Literal["pairwise"] = "pairwise"
    batch: PairBatchConfig = field(default_factory=PairBatchConfig)

    def __post_init__(self) -> None:
        ReferencesRunConfig.__post_init__(self)
        require(self.start_from is None or self.model.layers > 0, "start_from needs a model with layers")
        if self.model.layers:
            self.model.check_lengths(self.lengths.document)
