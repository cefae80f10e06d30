"""A weighted bag of terms at work: a text's vector is the sum of its terms' vectors, each by its weight.

Terms are a text's tokens and, hashed into buckets, every two tokens that follow each other. It is what
`retriever.training.pairwise_model.Bag` learns, without torch. A folder holds

    config.json      {"format": "premise-suggest-bag", "version": 1, "max_length": 256, "pairs": 16384}
    tokenizer.json   as in `retriever.encoder`
    terms.npz        table: int8[terms, d]; scales: float32[terms]; weights: float32[terms]
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from lean_extract.errors import ModelError
from retriever.collections.files import Floats
from retriever.index.exact import quantise
from retriever.runtime import check_header, open_tokenizer

FORMAT, VERSION = "premise-suggest-bag", 1
CONFIG, TOKENIZER, TERMS = "config.json", "tokenizer.json", "terms.npz"
_LEFT, _RIGHT = 1_000_003, 7_919
_CHARACTERS_PER_TOKEN = 64
_HINT = "Export it again: python -m retriever.training.export_towers RUN OUT"

Int64s = npt.NDArray[np.int64]


def with_pairs(flat: Int64s, offsets: Int64s, vocabulary: int, pairs: int) -> tuple[Int64s, Int64s]:
    """(terms, offsets) of texts: their tokens, and behind them the buckets of their pairs of tokens.

    Args:
        flat: the tokens of all texts, those of text i at `flat[offsets[i]:offsets[i + 1]]`.
        offsets: int64[texts + 1].
        vocabulary: how many tokens there are; buckets are numbered from there.
        pairs: how many buckets; 0: no pairs.
    """
    if not pairs:
        return flat, offsets
    hashed = vocabulary + (flat * _LEFT + np.roll(flat, -1) * _RIGHT) % pairs
    lengths, starts = np.diff(offsets), offsets[:-1]
    both = lengths + np.maximum(lengths - 1, 0)
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(both)])
    row = np.repeat(np.arange(len(lengths)), both)
    place = np.arange(ends[-1]) - ends[row]
    second = place >= lengths[row]
    source = starts[row] + place - second * lengths[row]
    return np.where(second, hashed[source], flat[source]), ends


@dataclass(frozen=True, slots=True)
class BagEncoder:
    """An encoder loaded from a folder."""

    tokenizer: Any
    max_length: int
    pairs: int
    table: Floats
    """[terms, d] Each term's vector by its weight."""
    fingerprint: str

    @classmethod
    def load(cls, folder: Path) -> BagEncoder:
        """Load a folder. Raises ModelError."""
        try:
            config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
            check_header(config, FORMAT, VERSION)
            tokenizer = open_tokenizer(folder / TOKENIZER)
            with np.load(folder / TERMS) as values:
                factors = values["scales"] * values["weights"]
                table = values["table"].astype(np.float32) * factors[:, None]
            max_length, pairs = int(config["max_length"]), int(config["pairs"])
            if len(table) != tokenizer.get_vocab_size() + pairs:
                raise ValueError(
                    f"{len(table)} terms for {tokenizer.get_vocab_size()} tokens and {pairs} pairs"
                )
        except OSError as error:
            raise ModelError(f"The model in {folder} cannot be read: {error}.", _HINT) from error
        except (ValueError, KeyError, TypeError, BadZipFile) as error:
            raise ModelError(f"The model in {folder} is damaged: {error}.", _HINT) from error
        return cls(tokenizer, max_length, pairs, table, _fingerprint(folder))

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self.table.shape[1])

    def encode(self, texts: Sequence[str]) -> Floats:
        """float32[n, d], each row of norm 1 (0 for a text without terms)."""
        limit = self.max_length * _CHARACTERS_PER_TOKEN
        found = self.tokenizer.encode_batch_fast([text[:limit] for text in texts])
        result = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, encoding in enumerate(found):
            ids = np.array(self._cut(encoding.ids), dtype=np.int64)
            ends = np.array([0, len(ids)], dtype=np.int64)
            terms, _ = with_pairs(ids, ends, len(self.table) - self.pairs, self.pairs)
            result[row] = self.table[terms].sum(axis=0)
        norms: Floats = np.maximum(np.linalg.norm(result, axis=1, keepdims=True), 1e-12)
        return result / norms

    def _cut(self, ids: list[int]) -> list[int]:
        """At most `max_length` tokens, the last ([SEP]) always among them."""
        return ids if len(ids) <= self.max_length else [*ids[: self.max_length - 1], ids[-1]]


def write_bag(
    folder: Path, tokenizer: str, table: Floats, weights: Floats, *, max_length: int, pairs: int
) -> None:
    """Write a folder.

    Args:
        folder: an existing one.
        tokenizer: the text of `tokenizer.json`.
        table: float32[terms, d].
        weights: float32[terms], positive.
        max_length: how many tokens of a text are read.
        pairs: how many of the terms are buckets of pairs.
    """
    values, scales = quantise(table)
    np.savez_compressed(folder / TERMS, table=values, scales=scales, weights=weights.astype(np.float32))
    (folder / TOKENIZER).write_text(tokenizer, encoding="utf-8")
    config = {"format": FORMAT, "version": VERSION, "max_length": max_length, "pairs": pairs}
    (folder / CONFIG).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


def _fingerprint(folder: Path) -> str:
    digest = hashlib.sha256()
    for name in (CONFIG, TOKENIZER, TERMS):
        digest.update(hashlib.sha256((folder / name).read_bytes()).digest())
    return digest.hexdigest()[:16]
