"""The configurations of runs over a backend's collection: what they share, and what each kind of model adds."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
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
        require(0 <= self.word_dropout < 1, "batch.word_dropout must be in [0, 1)")


@dataclass(frozen=True, slots=True, kw_only=True)
class StartedRunConfig(ReferencesRunConfig):
    """A run that goes on from a pairwise one, as `start` says."""

    start: StartConfig = field(default_factory=StartConfig)
    batch: JointBatchConfig = field(default_factory=JointBatchConfig)

    def __post_init__(self) -> None:
        ReferencesRunConfig.__post_init__(self)
        require(self.start_from is None, "unknown setting `start_from`: name the run as start.pairwise")


@dataclass(frozen=True, slots=True, kw_only=True)
class JointConfig(StartedRunConfig):
    """One run of the joint model."""

    kind: Literal["joint"] = "joint"


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
        require(0 <= self.dropout < 1, "decoder.dropout must be in [0, 1)")
        require(self.longest >= 1, "decoder.longest must be at least 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoregressiveConfig(StartedRunConfig):
    """One run of the autoregressive model."""

    kind: Literal["autoregressive"] = "autoregressive"
    decoder: DecoderConfig = field(default_factory=DecoderConfig)

    def __post_init__(self) -> None:
        StartedRunConfig.__post_init__(self)
        require(
            self.model.hidden % self.decoder.heads == 0, "model.hidden must be a multiple of decoder.heads"
        )
