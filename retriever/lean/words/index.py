"""An inverted index from words to the names that contain them."""

from __future__ import annotations

import mmap
from bisect import bisect_left
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Int32s, Int64s, UInt64s
from retriever.lean.words.splitting import NEWLINE, SMALL_WORDS, apart, boundaries, stem

_AT_ONCE = 1 << 18
"""The approximate number of bytes of names that are split at once."""
_SMALL = 0.25
"""The weight of a small word in a name's length."""
_FACTOR = 0x9E3779B97F4A7C15
_LETTERS = np.random.default_rng(0).integers(1, 2**63, 256, dtype=np.uint64)
"""A word's hash is the sum of its letters' numbers, each times the power of the factor for its offset."""


class WordIndex:
    """The words of names, which are numbered from 0.

    Args:
        data: the names' UTF-8 bytes, each followed by a line feed.
    """

    def __init__(self, data: bytes | mmap.mmap) -> None:
        found = _Words()
        for chunk in _chunks(data):
            found.read(apart(chunk))
        self._count = found.names
        self._words, self._starts, self._names = found.inverted()
        self._lengths = self._count_words()

    def __len__(self) -> int:
        return self._count

    @property
    def words(self) -> list[str]:
        """The words of all names, ascending."""
        return self._words

    @property
    def lengths(self) -> npt.NDArray[np.float32]:
        """float32[n]: the number of distinct words in each name, at least 1. Small words count less."""
        return self._lengths

    def holding(self, word: str) -> Int32s:
        """The names that contain this word, ascending."""
        index = bisect_left(self._words, word)
        if index == len(self._words) or self._words[index] != word:
            return self._names[:0]
        return self._names[self._starts[index] : self._starts[index + 1]]

    def with_beginning(self, letters: str) -> Int32s:
        """The names with a word that begins with these letters, once for each such word."""
        first, last = self._range(letters)
        return self._names[self._starts[first] : self._starts[last]]

    def with_stem(self, root: str) -> list[str]:
        """The words with this stem."""
        first, last = self._range(root)
        return [word for word in self._words[first:last] if stem(word) == root]

    def _range(self, letters: str) -> tuple[int, int]:
        """The range of indices of the words that begin with these letters."""
        return bisect_left(self._words, letters), bisect_left(self._words, letters + "\U0010ffff")

    def _count_words(self) -> npt.NDArray[np.float32]:
        sizes = np.array([_SMALL if word in SMALL_WORDS else 1.0 for word in self._words], dtype=np.float32)
        lengths = np.bincount(
            self._names, weights=np.repeat(sizes, np.diff(self._starts)), minlength=self._count
        )
        return np.maximum(lengths, 1.0).astype(np.float32)


class _Words:
    """Collects words, numbered in the order in which they are read, and the names that contain them."""

    def __init__(self) -> None:
        self._spelt: list[str] = []
        self._known: UInt64s = np.zeros(0, dtype=np.uint64)
        self._numbers: Int32s = np.zeros(0, dtype=np.int32)
        self._read: list[Int32s] = [np.zeros(0, dtype=np.int32)]
        self._owners: list[Int32s] = [np.zeros(0, dtype=np.int32)]
        self.names = 0

    def read(self, chunk: bytes) -> None:
        """Read the words of a chunk of complete names."""
        raw = np.frombuffer(chunk, dtype=np.uint8)
        low = np.frombuffer(chunk.lower(), dtype=np.uint8)
        belongs, begins = boundaries(raw)
        ends_name = raw == NEWLINE
        letters, starts = low[belongs], np.flatnonzero(begins[belongs])
        hashes = _hashes(letters, starts)
        self._learn(letters.tobytes(), np.append(starts, len(letters)), hashes)
        self._read.append(self._numbers[np.searchsorted(self._known, hashes)])
        self._owners.append(np.cumsum(ends_name, dtype=np.int32)[begins] + np.int32(self.names))
        self.names += int(np.count_nonzero(ends_name))

    def _learn(self, letters: bytes, starts: Int64s, hashes: UInt64s) -> None:
        """Assign numbers to words that are new."""
        indices = np.searchsorted(self._known, hashes)
        indices[indices == len(self._known)] = 0
        is_new = self._known[indices] != hashes if len(self._known) else np.ones(len(hashes), dtype=np.bool_)
        new, first = np.unique(hashes[is_new], return_index=True)
        for index in np.flatnonzero(is_new)[first].tolist():
            word = letters[int(starts[index]) : int(starts[index + 1])]
            self._spelt.append(word.decode(errors="replace"))
        numbers = np.arange(len(self._numbers), len(self._spelt), dtype=np.int32)
        order = np.searchsorted(self._known, new)
        self._known = np.insert(self._known, order, new)
        self._numbers = np.insert(self._numbers, order, numbers)

    def inverted(self) -> tuple[list[str], Int64s, Int32s]:
        """The sorted words, and the names that contain each, as compressed sparse rows."""
        words = sorted(set(self._spelt))
        rows_by_word = {word: row for row, word in enumerate(words)}
        row_of_word = np.array([rows_by_word[word] for word in self._spelt], dtype=np.int32)
        rows, names = row_of_word[np.concatenate(self._read)], np.concatenate(self._owners)
        order = np.argsort(rows.astype(np.uint16 if len(words) < 2**16 else np.int32), kind="stable")
        rows, names = rows[order], names[order]
        is_new = np.ones(len(rows), dtype=np.bool_)
        is_new[1:] = (rows[1:] != rows[:-1]) | (names[1:] != names[:-1])
        rows, names = rows[is_new], names[is_new]
        starts = np.zeros(len(words) + 1, dtype=np.int64)
        np.cumsum(np.bincount(rows, minlength=len(words)), out=starts[1:])
        return words, starts, names


def _hashes(letters: npt.NDArray[np.uint8], starts: Int64s) -> UInt64s:
    """uint64[m]: a hash of each word, given the letters of all words and the offsets at which words begin."""
    if not len(starts):
        return np.zeros(0, dtype=np.uint64)
    lengths = np.diff(np.append(starts, len(letters)))
    offsets = np.arange(len(letters)) - np.repeat(starts, lengths)
    powers = np.cumprod(np.full(int(lengths.max()), _FACTOR, dtype=np.uint64))
    return np.asarray(np.add.reduceat(_LETTERS[letters] * powers[offsets], starts), dtype=np.uint64)


def _chunks(data: bytes | mmap.mmap) -> Iterator[bytes]:
    """The data in chunks of complete lines."""
    begin = 0
    while begin < len(data):
        end = data.find(b"\n", min(begin + _AT_ONCE, len(data) - 1)) + 1 or len(data)
        yield data[begin:end]
        begin = end
