"""The kinds of training run there are, and the corpus that is meant where none is named.

Generic kinds are named here. A package of a corpus may have a module `kinds` with `KINDS`, its own kinds, and
`MEANT_BY`, the kinds and commands that mean this corpus where no backend is named.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from lean_extract.common.errors import BadSettings
from retriever.search.backends import BUILT_IN, find_part

GENERIC: Mapping[str, str] = MappingProxyType(
    {
        "mlm": "retriever.training.mlm",
        "crossencoder": "retriever.training.reranking.crossencoder",
        "pairwise": "retriever.training.references.pairwise",
        "joint": "retriever.training.references.joint",
        "autoregressive": "retriever.training.references.autoregressive",
    }
)
"""Kind of run -> the module that knows it."""


def all_kinds() -> dict[str, str]:
    """Every kind of run, those of corpora first: kind -> module. A preset without a kind is of the first."""
    found: dict[str, str] = {}
    for name in BUILT_IN:
        found |= getattr(find_part(name, "kinds"), "KINDS", {})
    return {**found, **GENERIC}


def backend_meant(purpose: str) -> str | None:
    """The backend that a kind of run or a command means where none is named; None: it has to be named."""
    for name in BUILT_IN:
        if purpose in getattr(find_part(name, "kinds"), "MEANT_BY", ()):
            return name
    return None


def with_backend(values: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """A preset's values with the backend that is meant. Raises BadSettings when one has to be named."""
    if "backend" in values:
        return dict(values)
    backend = backend_meant(kind)
    if backend is None:
        raise BadSettings(f"A run of kind {kind} needs a corpus.", "Add `backend: NAME` to the preset.")
    return {**values, "backend": backend}


def add_backend_argument(parser: argparse.ArgumentParser, purpose: str) -> None:
    """Add `--backend`, which may be left out where a corpus claims the command."""
    backend = backend_meant(purpose)
    said = f"the corpus; default: {backend}" if backend else "the corpus"
    parser.add_argument("--backend", metavar="NAME", default=backend, required=backend is None, help=said)
