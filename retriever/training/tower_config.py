"""The configuration of a state tower's training run."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from retriever.models.encoder import TOKENIZER
from retriever.training.running.config import Labels, ModelConfig, RunConfig, Shares, statements_and_inner
from retriever.training.running.config_io import require


@dataclass(frozen=True, slots=True)
class TowerBatchConfig:
    """How a step is put together."""

    queries: int = 256
    shares: Shares = field(default_factory=statements_and_inner)
    """Where the queries come from."""
    labels: Labels = field(default_factory=lambda: Labels(step=1.0))
    """What counts as a step's positive, and how much."""
    dropped: float = 0.0
    """The chance with which each hypothesis of a state inside a proof is left out."""
    varied: float = 0.0
    """The share of the queries whose states are augmented."""
    unrelated: float = 0.0
    """The share of the queries that get the hypotheses of another query of the batch in addition to their own."""

    def __post_init__(self) -> None:
        require(self.queries >= 2, "batch.queries must be at least 2")
        require(0 <= self.dropped < 1, "batch.dropped must be in [0, 1)")
        require(0 <= self.varied <= 1, "batch.varied must be in [0, 1]")
        require(0 <= self.unrelated <= 1, "batch.unrelated must be in [0, 1]")


@dataclass(frozen=True, slots=True)
class TermsConfig:
    """A bag of terms that is trained along and embeds the premises."""

    pairs: int = 16384
    """How many buckets pairs of tokens are hashed into."""
    states: float = 0.5
    """How much the loss of states embedded by the bag counts beside that of the tower's."""
    dropout: float = 0.1
    """The chance with which a term of a text is left out."""
    name: int = 32
    premise: int = 256
    """Where names and statements are cut, in tokens."""

    def __post_init__(self) -> None:
        require(self.pairs >= 0, "terms.pairs must not be negative")
        require(self.states >= 0, "terms.states must not be negative")
        require(0 <= self.dropout < 1, "terms.dropout must be in [0, 1)")
        require(min(self.name, self.premise) >= 3, "terms.name and terms.premise must be at least 3")


@dataclass(frozen=True, slots=True, kw_only=True)
class TowerConfig(RunConfig):
    """One run of a state tower, which takes over the first layers of `start_from`; without one they are fresh."""

    kind: Literal["tower"] = "tower"
    encoder: Path
    """The model folder that embeds the premises: a bag of words, which the tower begins as."""
    temperature: float = 0.02
    state: int = 256
    """Where states are cut, in tokens, [CLS] and [SEP] included."""
    model: ModelConfig = field(default_factory=ModelConfig)
    batch: TowerBatchConfig = field(default_factory=TowerBatchConfig)
    terms: TermsConfig | None = None
    """None: the premises keep the vectors that `encoder` gives them."""

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        require(self.temperature > 0, "temperature must be positive")
        require(self.model.architecture == "bert", "model.architecture must be `bert` here")
        require(self.model.layers >= 1, "model.layers must be at least 1")
        require(8 <= self.state <= self.model.positions, "state must be between 8 and model.positions")

    @property
    def tokenizer_file(self) -> Path:
        """The encoder's: states are read as it reads them."""
        return self.encoder / TOKENIZER


def tower_data(dataset: str, encoder: str) -> str:
    """What a checkpoint says of its data: the dataset's digest, and the fingerprint of the premises' encoder."""
    return f"{dataset} {encoder}"


def encoder_of(data: str) -> str:
    """The fingerprint of the encoder that a tower was trained with, from its checkpoint's `data`."""
    return data.rpartition(" ")[2]
