"""Queries in words and premises as sums of word vectors (`retriever.models.word_vectors` serves them)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from lean_extract.common.arrays import Doubles
from retriever.models import word_vectors
from retriever.training.running.config import RunConfig
from retriever.training.running.config_io import require
from retriever.training.tokens import Ragged
from retriever.training.weights import saved_run

WORDS = "words.txt"
"""Where a run's folder has its vocabulary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsConfig(RunConfig):
    """One run of word vectors, over a records file and the pairs that `word-pairs` made of it."""

    kind: Literal["words"] = "words"
    pairs: Path
    dimension: int = 128
    temperature: float = 0.05
    rarest: int = 2
    """Words of fewer premises have no vector."""
    queries: int = 512
    """Pairs in a batch; each has the others' premises as negatives."""
    negatives: int = 1024
    """Premises drawn at random for every batch."""
    dropped_docs: float = 0.85
    """The chance with which a premise is read without what is written about it: queries come from there."""
    dropped_words: float = 0.1
    """The chance with which each word of a query is left out."""

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        require(self.dimension > 0, "dimension must be positive")
        require(self.temperature > 0, "temperature must be positive")
        require(self.queries >= 2, "queries must be at least 2")
        require(self.negatives >= 0, "negatives must not be negative")
        require(0 <= self.dropped_docs <= 1, "dropped_docs must be in [0, 1]")
        require(0 <= self.dropped_words < 1, "dropped_words must be in [0, 1)")


class WordTowers(nn.Module):
    """Two tables of word vectors, and the weights of a premise's fields."""

    def __init__(self, words: int, dimension: int, fields: int) -> None:
        super().__init__()
        self.queries = nn.Embedding(words, dimension)
        self.premises = nn.Embedding(words, dimension)
        self.fields = nn.Parameter(torch.ones(fields))
        with torch.no_grad():
            self.queries.weight /= dimension**0.5
            self.premises.weight.copy_(self.queries.weight)

    def forward(self, queries: Ragged, premises: Sequence[Ragged]) -> tuple[Tensor, Tensor]:
        """([b, d], [c, d]): queries, and premises by the words of each field, all of norm 1 or 0."""
        return self.encode_queries(queries), self.encode_premises(premises)

    def encode_queries(self, words: Ragged) -> Tensor:
        """[b, d] of norm 1, or 0 where there is no word."""
        return functional.normalize(_sums(self.queries.weight, words, None), dim=1)

    def encode_premises(self, fields: Sequence[Ragged]) -> Tensor:
        """[c, d] of norm 1, or 0 where there is no word."""
        sums = [
            weight * _sums(self.premises.weight, words, 1 / np.sqrt(np.maximum(words.lengths, 1)))
            for weight, words in zip(self.fields, fields, strict=True)
        ]
        return functional.normalize(torch.stack(sums).sum(dim=0), dim=1)


def _sums(table: Tensor, words: Ragged, shares: Doubles | None) -> Tensor:
    flat = torch.from_numpy(words.flat.astype(np.int64)).to(table.device)
    offsets = torch.from_numpy(words.offsets[:-1]).to(table.device)
    sums = functional.embedding_bag(flat, table, offsets, mode="sum")
    if shares is None:
        return sums
    return sums * torch.from_numpy(shares.astype(np.float32)).to(table.device)[:, None]


def export_words(run: Path, out: Path) -> dict[str, object]:
    """Write the tables of a run's last checkpoint; returns the settings. Raises ModelError."""
    weights = saved_run(run).model
    fields = weights["fields"].tolist()
    queries, premises = weights["queries.weight"].numpy(), weights["premises.weight"].numpy()
    words = (run / WORDS).read_text(encoding="utf-8").split()
    word_vectors.save(out, words, queries, premises, fields)
    return word_vectors.settings(queries.shape[1], fields)
