"""The configuration of a MATcH run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from retriever.proof_matching.schema import Level, Modality
from retriever.training.running.config import TextRunConfig
from retriever.training.running.config_io import from_plain, require


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
        require(0 <= self.dropout < 1, "npt.dropout must be in [0, 1)")


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
        require(0 <= self.dropped < 1, "batch.dropped must be in [0, 1)")
        require(self.pairs >= 2, "batch.pairs must be at least 2")


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchConfig(TextRunConfig):
    """One run over a file of pairs or a folder of the authors' release; `model` is the shape of the BERT.

    Weights are taken over from a BERT of `match-mlm`, or a whole matcher.
    """

    kind: Literal["match"] = "match"
    encoder: Literal["npt", "bert"] = "npt"
    objective: Literal["local", "global", "hybrid"] = "local"
    """`hybrid`: a step of each in turn (section 7.1)."""
    replacement: Level = "conservation"
    modality: Modality = "both"
    npt: NptConfig = field(default_factory=NptConfig)
    lengths: MatchLengths = field(default_factory=MatchLengths)
    batch: MatchBatch = field(default_factory=MatchBatch)

    def __post_init__(self) -> None:
        TextRunConfig.__post_init__(self)
        if self.encoder == "bert":
            self.model.check_lengths(self.lengths.statement, self.lengths.proof)


def parse_match(values: Mapping[str, Any]) -> MatchConfig:
    """A run from plain YAML values. Raises BadSettings on unknown names, missing paths and bad values."""
    return from_plain(MatchConfig, values)
