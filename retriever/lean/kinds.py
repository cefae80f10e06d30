"""Lean's own kinds of training run, and what means Lean where no backend is named."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

KINDS: Mapping[str, str] = MappingProxyType(
    {"biencoder": "retriever.lean.training.biencoder", "tower": "retriever.lean.training.tower"}
)
MEANT_BY = ("mlm", "crossencoder", "tokenizer")
