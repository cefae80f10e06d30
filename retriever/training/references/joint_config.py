"""The configuration of a run of the joint model."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from retriever.training.references.pairwise_config import ReferencesRunConfig
from retriever.training.running.config_io import require

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
