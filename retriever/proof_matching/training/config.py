"""The configuration of a MATcH run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from retriever.proof_matching.schema import LEVELS, MODALITIES, Level, Modality
from retriever.training.running.config import ModelConfig, ScheduleConfig, Threads, require_threads
from retriever.training.running.plain import from_plain, require

_CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "encoder": ("npt", "bert"),
        "objective": ("local", "global", "hybrid"),
        "replacement": LEVELS,
        "modality": MODALITIES,
    }
)


@dataclass(frozen=True, slots=True)
class NptConfig:
    """The shape of the NPT encoder (sections 5.2.2 and 7.1). No layers: a bag of words, to start from."""

    layers: int = 2
    hidden: int = 300
    heads: int = 4
    key: int = 128
    """Numbers in a head's queries and keys; its values have hidden / heads."""
    dropout: float = 0.1

    def __post_init__(self) -> None:
        require(self.layers >= 0, "npt.layers must not be negative")
        require(min(self.hidden, self.heads, self.key) > 0, "npt.* must be positive")
        require(self.hidden % self.heads == 0, "npt.hidden must be a multiple of heads")
        require(self.hidden % 2 == 0, "npt.hidden must be even: positions are sines and cosines")
        require(0 <= self.dropout < 1, "npt.dropout must lie in [0, 1)")


@dataclass(frozen=True, slots=True)
class MatchLengths:
    """Where texts are cut, in tokens, [CLS] and [SEP] included; the beginning is kept."""

    statement: int = 502
    proof: int = 502

    def __post_init__(self) -> None:
        require(min(self.statement, self.proof) >= 8, "lengths must be at least 8")


@dataclass(frozen=True, slots=True)
class MatchBatch:
    """How a batch is put together."""

    pairs: int = 60
    """b of section 6.1: drawn uniformly and without replacement."""

    dropped: float = 0.0
    """The share of a text's tokens that a step leaves out at random."""

    def __post_init__(self) -> None:
        require(0 <= self.dropped < 1, "batch.dropped must lie in [0, 1)")
        require(self.pairs >= 2, "batch.pairs must be at least 2")


@dataclass(frozen=True, slots=True)
class MatchConfig:
    """One run. Paths are relative to the folder the command runs in."""

    dataset: Path
    """The file of pairs, or a folder of the authors' release."""
    tokenizer: Path
    run: Path
    kind: str = "match"
    encoder: Literal["npt", "bert"] = "npt"
    objective: Literal["local", "global", "hybrid"] = "local"
    """`hybrid`: a step of each in turn (section 7.1)."""
    replacement: Level = "conservation"
    modality: Modality = "both"
    start_from: Path | None = None
    """The run whose weights are taken over: a BERT's of `match-mlm`, or a whole matcher's."""
    seed: int = 0
    threads: Threads = 1
    npt: NptConfig = field(default_factory=NptConfig)
    model: ModelConfig = field(default_factory=ModelConfig)
    """The shape of the BERT."""
    lengths: MatchLengths = field(default_factory=MatchLengths)
    batch: MatchBatch = field(default_factory=MatchBatch)
    schedule: ScheduleConfig = field(default_factory=ScheduleConfig)

    def __post_init__(self) -> None:
        require(self.kind == "match", f"a matcher is asked for, not `kind: {self.kind}`")
        require_threads(self.threads)
        for name, allowed in _CHOICES.items():
            require(getattr(self, name) in allowed, f"`{name}` must be one of {', '.join(allowed)}")
        require(self.model.architecture == "bert", "model.architecture must be `bert` here")
        longest = max(self.lengths.statement, self.lengths.proof)
        require(
            self.encoder == "npt" or longest <= self.model.positions,
            "lengths must not exceed model.positions",
        )


def parse_match(values: Mapping[str, Any]) -> MatchConfig:
    """A run from plain YAML values. Raises BadSettings on unknown names, missing paths and bad values."""
    return from_plain(MatchConfig, values)
