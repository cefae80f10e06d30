"""MATcH's own kinds of training run."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

KINDS: Mapping[str, str] = MappingProxyType(
    {
        "match": "retriever.proof_matching.training.objective",
        "match-mlm": "retriever.proof_matching.training.mlm",
    }
)
