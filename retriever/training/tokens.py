"""Texts as token ids: rows of unequal length in one array, and the tokenizers that make them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from lean_extract.common.arrays import Int64s
from lean_extract.common.errors import ModelError

Keep = Literal["head", "tail"]
_BATCH = 8192
LONGEST = 1024
"""Longest text kept, in tokens; runs cut further."""


@dataclass(frozen=True, slots=True)
class Ragged:
    """n rows of numbers of unequal length: row i is `flat[offsets[i]:offsets[i + 1]]`."""

    flat: NDArray[np.int32]
    offsets: Int64s

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> NDArray[np.int32]:
        return self.flat[self.offsets[row] : self.offsets[row + 1]]

    @property
    def lengths(self) -> Int64s:
        """[n] The length of each row."""
        return np.diff(self.offsets)

    def take(self, rows: Int64s) -> Ragged:
        """The given rows, in the given order."""
        starts, lengths = self.offsets[rows], self.offsets[rows + 1] - self.offsets[rows]
        return _gather(self.flat, starts, lengths)

    def cut(self, limit: int, *, keep: Keep) -> Ragged:
        """Rows of at most `limit` tokens: the first and last token ([CLS], [SEP]) always stay.

        `head` keeps the beginning of what is between, and `tail` the end, where a state has its goal.
        """
        lengths = self.lengths
        kept = np.minimum(lengths, limit)
        offsets = np.zeros(len(self) + 1, dtype=np.int64)
        np.cumsum(kept, out=offsets[1:])
        position = np.arange(offsets[-1]) - np.repeat(offsets[:-1], kept)
        lost = np.repeat(lengths - kept, kept)
        last = position == np.repeat(kept, kept) - 1
        moved = last if keep == "head" else position > 0
        return Ragged(self.flat[np.repeat(self.offsets[:-1], kept) + position + lost * moved], offsets)


def ragged(rows: Sequence[NDArray[np.int32] | Sequence[int]]) -> Ragged:
    """Rows laid end to end."""
    offsets = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum([len(row) for row in rows], out=offsets[1:])
    flat = (
        np.concatenate([np.asarray(row, dtype=np.int32) for row in rows]) if rows else np.zeros(0, np.int32)
    )
    return Ragged(flat, offsets)


def concatenate(parts: Sequence[Ragged]) -> Ragged:
    """The rows of all parts, in order."""
    lengths = np.concatenate([part.lengths for part in parts])
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return Ragged(np.concatenate([part.flat for part in parts]), offsets)


def joined(contexts: Ragged, goals: Ragged) -> Ragged:
    """Whole premises as one text each (eq. 2): [CLS] context goal [SEP]; a repeated goal counts once."""
    apart = contexts.flat[contexts.offsets[:-1] + 1] != goals.flat[goals.offsets[:-1] + 1]
    base = len(contexts.flat)
    starts = np.stack([contexts.offsets[:-1], base + goals.offsets[:-1] + apart], axis=1).ravel()
    lengths = np.stack([(contexts.lengths - 1) * apart, goals.lengths - apart], axis=1).ravel()
    halves = _gather(np.concatenate([contexts.flat, goals.flat]), starts, lengths)
    return Ragged(halves.flat, halves.offsets[::2])


def titled(titles: Ragged, texts: Ragged) -> Ragged:
    """Each text after its title: [CLS] title [SEP] text [SEP]."""
    starts = np.stack([titles.offsets[:-1], len(titles.flat) + texts.offsets[:-1] + 1], axis=1).ravel()
    lengths = np.stack([titles.lengths, texts.lengths - 1], axis=1).ravel()
    halves = _gather(np.concatenate([titles.flat, texts.flat]), starts, lengths)
    return Ragged(halves.flat, halves.offsets[::2])


def _gather(flat: NDArray[np.int32], starts: Int64s, lengths: Int64s) -> Ragged:
    offsets = np.zeros(len(starts) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    positions = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)
    return Ragged(flat[positions], offsets)


def encode_states(tokenizer: Tokenizer, sentences: Iterable[str]) -> Ragged:
    """The tokens of state texts; a long one loses its beginning, since a state ends in its goal."""
    return encode_texts(tokenizer, sentences, "tail")


def encode_heads(tokenizer: Tokenizer, sentences: Iterable[str], limit: int) -> Ragged:
    """The tokens of texts of which the beginning matters most: the first `limit`."""
    return encode_texts(tokenizer, sentences, "head").cut(limit, keep="head")


def encode_texts(tokenizer: Tokenizer, sentences: Iterable[str], keep: Keep) -> Ragged:
    """The tokens of texts; of one longer than `LONGEST` its beginning or its end is kept."""
    parts = [Ragged(np.zeros(0, np.int32), np.zeros(1, np.int64))]
    for batch in _batched(sentences):
        encodings = tokenizer.encode_batch_fast(batch)
        parts.append(ragged([encoding.ids for encoding in encodings]).cut(LONGEST, keep=keep))
    return concatenate(parts)


def _batched(sentences: Iterable[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    for sentence in sentences:
        batch.append(sentence)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def open_tokenizer(path: Path) -> Tokenizer:
    """The tokenizer of a file. Raises ModelError when there is none."""
    if not path.is_file():
        hint = "Train one with `python -m retriever tokenizer DATASET OUT`."
        raise ModelError(f"There is no tokenizer {path}.", hint)
    return Tokenizer.from_str(path.read_text(encoding="utf-8"))


def mark_of(tokenizer: Tokenizer, mark: str) -> int:
    """The number of a mark. Raises ModelError when the tokenizer does not have it."""
    number = tokenizer.token_to_id(mark)
    if number is None:
        raise ModelError(
            f"The tokenizer does not know {mark}.", "Train it with `python -m retriever tokenizer`."
        )
    return int(number)
