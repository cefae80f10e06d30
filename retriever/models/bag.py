"""A weighted bag of terms at work: a text's vector is the sum of its terms' vectors, each by its weight.

A term that occurs n times counts 1 + ln(n) times. It is what
`retriever.training.references.pairwise_model.Bag` learns, without torch. A folder holds

    config.json      {"format": "premise-suggest-bag", "version": 1, "max_length": 256, "pairs": 8192}
    tokenizer.json   as in `retriever.models.encoder`
    terms.npz        table: int8[terms, d]; scales: float32[terms], with the terms' weights in them
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lean_extract.common.arrays import Bools, Floats, Int8s, Int64s
from lean_extract.common.tokenizer import open_tokenizer
from retriever.limits import MAX_CHARACTERS_PER_WORD
from retriever.models.quantise import quantise
from retriever.models.runtime import (
    check_header,
    digest_of,
    read_settings,
    reading_model,
    whole,
)

FORMAT, _VERSION = "premise-suggest-bag", 1
_CONFIG, _TOKENIZER, TERMS = "config.json", "tokenizer.json", "terms.npz"
MARK = "[SEP]"
_LEFT, _RIGHT = 1_000_003, 7_919
_HINT = "Export it again: python -m retriever export-towers RUN OUT"


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of texts over one vocabulary, in this order: tokens, tokens of titles, hashed pairs of tokens.

    Training and serving read texts by this alone.
    """

    vocabulary: int
    mark: int
    """The token between a title and what follows; it also ends every text."""
    pairs: int = 0
    """How many buckets pairs of tokens are hashed into; 0: no pairs."""

    @property
    def size(self) -> int:
        """How many terms there are."""
        return 2 * self.vocabulary + self.pairs

    def of(self, tokens: NDArray[np.integer], offsets: Int64s) -> tuple[Int64s, Int64s, Floats]:
        """(terms, offsets, counts): every text's distinct terms, ascending, and how often each occurs there.

        Args:
            tokens: of all texts, those of text i at `tokens[offsets[i]:offsets[i + 1]]`.
            offsets: int64[texts + 1].
        """
        lengths = np.diff(offsets)
        rows = np.repeat(np.arange(len(lengths)), lengths)
        flat = tokens.astype(np.int64)
        pairs, inside = 2 * self.vocabulary + _hashed(flat, self.pairs), rows[1:] == rows[:-1]
        flat = flat + self.vocabulary * self._in_title(flat, offsets, rows)
        if self.pairs:
            rows = np.concatenate([rows, rows[1:][inside]])
            flat = np.concatenate([flat, pairs[inside]])
        keys, counts = np.unique(rows * self.size + flat, return_counts=True)
        ends = np.searchsorted(keys, np.arange(len(lengths) + 1) * self.size).astype(np.int64)
        return keys % self.size, ends, counts.astype(np.float32)

    def _in_title(self, flat: Int64s, offsets: Int64s, rows: Int64s) -> Bools:
        """[tokens] Whether each is before the first of several marks of its text."""
        marks = flat == self.mark
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(marks)])
        passed = before[:-1] - before[offsets[:-1]][rows]
        several = before[offsets[1:]] - before[offsets[:-1]] > 1
        return np.asarray(several[rows] & (passed == 0) & ~marks)


def _hashed(tokens: Int64s, buckets: int) -> Int64s:
    """[n - 1] A bucket for every two tokens that follow each other; 0 where there are no buckets."""
    return (tokens[:-1] * _LEFT + tokens[1:] * _RIGHT) % max(1, buckets)


@dataclass(frozen=True, slots=True)
class WeighedTerms:
    """Terms and what each is worth: token ids in, vectors out."""

    terms: Terms
    table: Int8s
    """int8[terms, d] Each term's vector by its weight, divided by its scale."""
    scales: Floats
    """float32[terms]"""

    @classmethod
    def load(cls, folder: Path, tokenizer: Any, pairs: int) -> WeighedTerms:
        """Those of a folder's `terms.npz`. Raises OSError, and ValueError: they are of other terms."""
        with np.load(folder / TERMS) as values:
            table, scales = values["table"], values["scales"]
        mark = tokenizer.token_to_id(MARK)
        if mark is None:
            raise ValueError(f"the tokenizer has no {MARK}")
        terms = Terms(tokenizer.get_vocab_size(), mark, pairs)
        if not len(table) == len(scales) == terms.size:
            raise ValueError(f"{len(table)} vectors for {terms.size} terms")
        return cls(terms, table, scales)

    def vectors(self, terms: Int64s) -> Floats:
        """float32[n, d] Of terms."""
        return self.table[terms] * self.scales[terms, None]

    def embed(self, ids: Sequence[Sequence[int]]) -> Floats:
        """float32[n, d], each row of norm 1, of the tokens of n texts."""
        offsets = np.concatenate(
            [np.zeros(1, np.int64), np.cumsum([len(row) for row in ids], dtype=np.int64)]
        )
        flat = np.fromiter(chain.from_iterable(ids), dtype=np.int64, count=int(offsets[-1]))
        terms, ends, counts = self.terms.of(flat, offsets)
        result = np.zeros((len(ids), self.table.shape[1]), dtype=np.float32)
        weights = 1 + np.log(counts)
        for row in range(len(ids)):
            own = slice(ends[row], ends[row + 1])
            result[row] = weights[own] @ self.vectors(terms[own])
        norms: Floats = np.maximum(np.linalg.norm(result, axis=1, keepdims=True), 1e-12)
        return result / norms


@dataclass(frozen=True, slots=True)
class BagEncoder:
    """An encoder loaded from a folder."""

    tokenizer: Any
    max_length: int
    weighed: WeighedTerms
    fingerprint: str

    @classmethod
    def load(cls, folder: Path) -> BagEncoder:
        """Load a folder. Raises ModelError."""
        with reading_model("model", folder, _HINT):
            config = read_settings(folder / _CONFIG)
            check_header(config, FORMAT, _VERSION)
            tokenizer = open_tokenizer(folder / _TOKENIZER)
            weighed = WeighedTerms.load(folder, tokenizer, whole(config, "pairs", 0, 1 << 30))
            fingerprint = digest_of(folder, (_CONFIG, _TOKENIZER, TERMS))
            return cls(tokenizer, whole(config, "max_length", 1), weighed, fingerprint)

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self.weighed.table.shape[1])

    def encode(self, texts: Sequence[str]) -> Floats:
        """float32[n, d], each row of norm 1. Only the first `max_length` tokens of a text are read."""
        limit = self.max_length * MAX_CHARACTERS_PER_WORD
        found = self.tokenizer.encode_batch_fast([text[:limit] for text in texts])
        return self.weighed.embed([self._cut(encoding.ids) for encoding in found])

    def _cut(self, ids: list[int]) -> list[int]:
        """At most `max_length` tokens, the last ([SEP]) always among them."""
        return ids if len(ids) <= self.max_length else [*ids[: self.max_length - 1], ids[-1]]


def write_bag(folder: Path, tokenizer: str, table: Floats, *, max_length: int, pairs: int) -> None:
    """Write a folder.

    Args:
        folder: an existing one.
        tokenizer: the text of `tokenizer.json`.
        table: float32[terms, d], each term's vector by its weight.
        max_length: how many tokens of a text are read.
        pairs: how many of the terms are buckets of pairs.
    """
    write_terms(folder, table)
    (folder / _TOKENIZER).write_text(tokenizer, encoding="utf-8")
    config = {"format": FORMAT, "version": _VERSION, "max_length": max_length, "pairs": pairs}
    (folder / _CONFIG).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


def write_terms(folder: Path, table: Floats) -> None:
    """Write `terms.npz`: float32[terms, d], each term's vector by its weight, as int8."""
    values, scales = quantise(table)
    np.savez_compressed(folder / TERMS, table=values, scales=scales)
