"""The configuration of a run of the autoregressive model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from retriever.training.references.joint_config import StartedRunConfig
from retriever.training.running.config_io import require


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
