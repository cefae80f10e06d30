"""Word vectors for searches in words: a query and the premises as sums over their words, in one space.

Two tables have a vector for each word: what it adds to a query, and what it adds to a premise. A field of n words
counts as much as its weight, divided by the square root of n. A folder holds

    config.json      {"format": "premise-suggest-word-vectors", "version": 1,
                      "dimension": d,
                      "fields": [1.0, ...]}    the weights of a premise's fields
    words.txt        one word a line, sorted
    vectors.npz      `queries`, `premises`: int8[words, d]; `query_scales`, `premise_scales`: float32[words]

It is in the encoder's folder, as `words/`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lean_extract.common.arrays import Floats, Int64s
from retriever.models.encoder import CONFIG
from retriever.models.quantise import quantise
from retriever.models.runtime import (
    check_header,
    digest_of,
    read_settings,
    reading_model,
    reading_settings,
    whole,
)

FORMAT = "premise-suggest-word-vectors"
VERSION = 1
FOLDER = "words"
"""Where an encoder's folder has them."""
WORDS, VECTORS = "words.txt", "vectors.npz"
_AT_ONCE = 4096


@dataclass(frozen=True, slots=True)
class WordVectors:
    """The tables, loaded; safe to use from several threads."""

    numbers: dict[str, int]
    """Of the words, by which the tables' rows go."""
    queries: Floats
    """float32[words, d]"""
    premises: Floats
    """float32[words, d]"""
    fields: tuple[float, ...]
    """The weights of a premise's fields."""
    fingerprint: str
    """Equal fingerprints, equal vectors."""

    @classmethod
    def of_model(cls, model_folder: Path) -> WordVectors | None:
        """Those in an encoder's folder; None if it has none. Raises ModelError."""
        folder = model_folder / FOLDER
        return cls.load(folder) if folder.is_dir() else None

    @classmethod
    def load(cls, folder: Path) -> WordVectors:
        """Those of a folder. Raises ModelError."""
        with reading_settings("word vectors", folder / CONFIG):
            values = read_settings(folder / CONFIG)
            check_header(values, FORMAT, VERSION)
            dimension = whole(values, "dimension", 1)
            fields = tuple(map(float, values["fields"]))
        with reading_model("word vectors", folder), np.load(folder / VECTORS) as arrays:
            words = (folder / WORDS).read_text(encoding="utf-8").split()
            queries = arrays["queries"] * arrays["query_scales"][:, None]
            premises = arrays["premises"] * arrays["premise_scales"][:, None]
            for table in (queries, premises):
                if table.dtype != np.float32 or table.shape != (len(words), dimension):
                    raise ValueError(f"{len(words)} words, and a table of {table.dtype}{table.shape}")
            return cls(
                {word: row for row, word in enumerate(words)},
                queries,
                premises,
                fields,
                digest_of(folder, (CONFIG, WORDS, VECTORS)),
            )

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return int(self.queries.shape[1])

    def encode_query(self, words: Iterable[str]) -> Floats:
        """float32[d] of norm 1; zero where no word is known."""
        rows = self._rows(dict.fromkeys(words))
        return np.asarray(_normalised(self.queries[rows].sum(axis=0)[None])[0])

    def encode_premises(self, premises: Iterable[Sequence[Sequence[str]]]) -> Floats:
        """float32[n, d], each row of norm 1, or 0 where no word is known.

        Args:
            premises: the words of each field, in the order of `fields`.
        """
        rows = [[self._rows(words) for words in premise] for premise in premises]
        parts = [self._sums(rows[at : at + _AT_ONCE]) for at in range(0, len(rows), _AT_ONCE)]
        return np.concatenate([np.zeros((0, self.dimension), dtype=np.float32), *parts])

    def _rows(self, words: Iterable[str]) -> Int64s:
        return np.array(
            [row for word in words if (row := self.numbers.get(word)) is not None], dtype=np.int64
        )

    def _sums(self, premises: Sequence[Sequence[Int64s]]) -> Floats:
        total = np.zeros((len(premises), self.dimension), dtype=np.float32)
        for number, weight in enumerate(self.fields):
            lengths = np.array([len(fields[number]) for fields in premises])
            some = np.flatnonzero(lengths)
            if len(some):
                flat = self.premises[np.concatenate([premises[one][number] for one in some.tolist()])]
                starts = np.cumsum(lengths[some]) - lengths[some]
                shares = (weight / np.sqrt(lengths[some])).astype(np.float32)
                total[some] += shares[:, None] * np.add.reduceat(flat, starts, axis=0)
        return _normalised(total)


def save(
    folder: Path, words: Sequence[str], queries: Floats, premises: Floats, fields: Sequence[float]
) -> None:
    """Write a folder's tables and words; its config is `settings`."""
    folder.mkdir(parents=True, exist_ok=True)
    (asked, asked_scales), (held, held_scales) = quantise(queries), quantise(premises)
    np.savez_compressed(
        folder / VECTORS, queries=asked, query_scales=asked_scales, premises=held, premise_scales=held_scales
    )
    (folder / WORDS).write_text("\n".join(words) + "\n", encoding="utf-8")


def settings(dimension: int, fields: Sequence[float]) -> dict[str, object]:
    """What config.json says of the tables."""
    return {"format": FORMAT, "version": VERSION, "dimension": dimension, "fields": list(fields)}


def _normalised(vectors: Floats) -> Floats:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(norms, 1e-12), dtype=np.float32)
