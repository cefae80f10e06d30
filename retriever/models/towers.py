"""A trained pair of encoders at work: one reads queries, the other documents.

A model folder holds

    towers.json   {"format": "premise-suggest-towers", "version": 1,
                   "backend": "naturalproofs",      what it was trained for
                   "weights": {"BM25": 1.0, …}}     of each ranker in the sum
    query/        an encoder's folder (`retriever.models.encoder`), or a bag's (`retriever.models.bag`)
    document/     another
    reranker/     if there is one: reads a query and a document together (`retriever.models.reranker`)
    README.md     the model card
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from lean_extract.common.arrays import Floats
from lean_extract.common.devices import Device
from lean_extract.common.errors import ModelError
from retriever.models.bag import TERMS, BagEncoder
from retriever.models.encoder import Encoder
from retriever.models.reranker import Reranker
from retriever.models.runtime import check_header, read_settings, reading_settings

FORMAT, _VERSION, FILE = "premise-suggest-towers", 1, "towers.json"
QUERY, DOCUMENT = "query", "document"
_HINT = "Export it again: python -m retriever export-towers RUN OUT"


class Tower(Protocol):
    """One encoder."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    @property
    def fingerprint(self) -> str:
        """Equal fingerprints, equal vectors."""

    def encode(self, sentences: Sequence[str], /) -> Floats:
        """float32[n, d], each row of norm 1."""


def _load(folder: Path, threads: int, device: Device) -> Tower:
    if (folder / TERMS).is_file():
        return BagEncoder.load(folder)
    return Encoder.load(folder, threads=threads, device=device)


@dataclass(frozen=True, slots=True)
class Towers:
    """Both encoders."""

    backend: str
    weights: Mapping[str, float]
    query: Tower
    document: Tower
    reranker: Reranker | None = None

    @classmethod
    def load(cls, folder: Path, *, threads: int = 1, device: Device = "cpu") -> Towers:
        """Load a model folder. Raises ModelError."""
        path = folder / FILE
        with reading_settings("model", path, _HINT):
            values = read_settings(path)
            check_header(values, FORMAT, _VERSION)
            backend = str(values["backend"])
            weights = {str(name): float(weight) for name, weight in values["weights"].items()}
            if not all(map(math.isfinite, weights.values())):
                raise ValueError("a weight is not a finite number")
        encoders = [_load(folder / part, threads, device) for part in (QUERY, DOCUMENT)]
        if encoders[0].dimension != encoders[1].dimension:
            raise ModelError(f"The encoders in {folder} give vectors of unlike length.", _HINT)
        query, document = encoders
        return cls(
            backend, weights, query, document, Reranker.of_model(folder, threads=threads, device=device)
        )

    @property
    def fingerprint(self) -> str:
        """Equal fingerprints, equal vectors."""
        both = f"{self.query.fingerprint} {self.document.fingerprint}"
        return hashlib.sha256(both.encode()).hexdigest()[:16]

    def queries(self, texts: Sequence[str]) -> Floats:
        """float32[n, d], each of norm 1."""
        return self.query.encode(texts)

    def documents(self, texts: Sequence[str]) -> Floats:
        """float32[n, d], each of norm 1."""
        return self.document.encode(texts)


def write_card(folder: Path, backend: str, weights: Mapping[str, float]) -> None:
    """Write `towers.json` next to the two encoders."""
    values = {"format": FORMAT, "version": _VERSION, "backend": backend, "weights": dict(weights)}
    (folder / FILE).write_text(json.dumps(values, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
