"""The kinds of training run, and their default corpus."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from lean_extract.common.errors import BadSettings

KINDS: Mapping[str, str] = MappingProxyType(
    {
        "biencoder": "retriever.lean.training.biencoder",
        "tower": "retriever.lean.training.tower",
        "match": "retriever.proof_matching.training.objective",
        "match-mlm": "retriever.proof_matching.training.mlm",
        "mlm": "retriever.training.mlm",
        "crossencoder": "retriever.training.reranking.crossencoder",
        "pairwise": "retriever.training.references.pairwise",
        "joint": "retriever.training.references.joint",
        "autoregressive": "retriever.training.references.autoregressive",
    }
)
"""Kind of run -> the module that knows it. A preset without a kind is of the first."""
_BACKENDS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("mlm", "crossencoder", "tokenizer"), "lean"),
        **dict.fromkeys(("pairwise", "joint", "autoregressive"), "naturalproofs"),
        **dict.fromkeys(("mining", "evaluation", "reranker weight"), "naturalproofs"),
    }
)
"""The default backend of training runs and commands."""


def with_backend(values: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """A preset's values with the backend that is meant. Raises BadSettings when one has to be named."""
    if "backend" in values:
        return dict(values)
    if kind not in _BACKENDS:
        raise BadSettings(f"A run of kind {kind} needs a corpus.", "Add `backend: NAME` to the preset.")
    return {**values, "backend": _BACKENDS[kind]}


def add_backend_argument(parser: argparse.ArgumentParser, purpose: str) -> None:
    """Add `--backend`, which may be left out where a command of this purpose means a corpus."""
    backend = _BACKENDS[purpose]
    parser.add_argument("--backend", metavar="NAME", default=backend, help=f"the corpus; default: {backend}")
