"""The configuration of a re-ranker's training run."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from retriever.models.reranker import PairLengths
from retriever.training.running.config import ModelConfig, Shares, TextRunConfig, statements_and_inner
from retriever.training.running.config_io import require

_LEAST = 8


@dataclass(frozen=True, slots=True)
class RerankBatchConfig:
    """How a batch is put together (section 4.1.1: |P'| = 8, so seven negatives)."""

    queries: int = 2
    negatives: int = 7
    """Of each state, drawn from its mined candidates."""
    among: int = 100
    """How many of a state's mined candidates, from the first, negatives are drawn from."""
    shares: Shares = field(default_factory=statements_and_inner)
    """Where the states come from."""

    def __post_init__(self) -> None:
        require(self.queries >= 1, "batch.queries must be at least 1")
        require(self.negatives >= 1, "batch.negatives must be at least 1")
        require(self.among >= self.negatives, "batch.among must be at least batch.negatives")


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankConfig(TextRunConfig):
    """One run of the cross-encoder, which takes over what it can of `start_from`, a run of any kind."""

    kind: Literal["crossencoder"] = "crossencoder"
    backend: str
    """Who reads `dataset`."""
    candidates: Path
    """Hard negatives, as the corpus's miner wrote them (`TrainingCorpus.miner`)."""
    validation: Path
    """Rankings of the valid queries, mined with `--queries valid`."""
    objective: Literal["softmax", "sigmoid"] = "softmax"
    """`sigmoid`: eq. (7) as written; `softmax`: see `losses.listwise`."""
    depth: int = 20
    """How many candidates of a valid query are re-ranked for the curve."""
    model: ModelConfig = field(default_factory=lambda: ModelConfig(positions=1024))
    lengths: PairLengths = field(default_factory=lambda: PairLengths(512, 512))
    batch: RerankBatchConfig = field(default_factory=RerankBatchConfig)

    def __post_init__(self) -> None:
        TextRunConfig.__post_init__(self)
        require(self.depth >= 2, "depth must be at least 2")
        require(self.model.layers >= 1, "model.layers must be at least 1")
        shortest = min(self.lengths.state, self.lengths.premise)
        require(shortest >= _LEAST, f"lengths must be at least {_LEAST}")
        together = self.lengths.state + self.lengths.premise
        require(together <= self.model.positions, "lengths together must not exceed model.positions")
