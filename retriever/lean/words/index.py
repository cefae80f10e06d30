"""An inverted index from words to the names that contain them."""

from __future__ import annotations

import mmap
from bisect import bisect_left
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Int32s, Int64s, UInt64s
from retriever.lean.words.splitting import NEWLINE, SMALL_WORDS, apart, boundaries, stem
from retriever.search.index.table import rows_of, starts_of

_AT_ONCE = 1 << 16
"""The approximate number of bytes of names that are split at once."""
_SMALL = 0.25
"""The weight of a small word in a name's length."""
_FACTOR = 0x9E3779B97F4A7C15
_INVERSE = pow(_FACTOR, -1, 1 << 64)
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
        self._words, self._starts, self._names = found.inverted()
        self._lengths = np.concatenate(found.lengths)

    def __len__(self) -> int:
        return len(self._lengths)

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


class _Words:
    """Collects words, numbered in the order in which they are read, and the names that contain them."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        """The number of a word by its hash."""
        self._spelt: list[str] = []
        self._read: list[tuple[Int64s, Int64s, Int32s]] = []
        """Of each chunk: the numbers of its words, how many names have each, and these, word after word."""
        self._count = 0
        self._powers = self._inverse = np.zeros(0, dtype=np.uint64)
        self.lengths: list[npt.NDArray[np.float32]] = [np.zeros(0, dtype=np.float32)]

    def read(self, chunk: bytes) -> None:
        """Read the words of a chunk of complete names."""
        raw = np.frombuffer(chunk, dtype=np.uint8)
        belongs, begins = boundaries(raw)
        low, starts = chunk.lower(), np.flatnonzero(begins)
        hashes = self._hashes(_LETTERS[np.frombuffer(low, dtype=np.uint8)] * belongs, starts)
        order = np.argsort(hashes, kind="stable")
        hashes, owners = hashes[order], np.cumsum(raw == NEWLINE, dtype=np.int32)[starts[order]]
        is_first = np.diff(hashes, prepend=~hashes[:1]) != 0
        is_counted = is_first | (np.diff(owners, prepend=-1) != 0)
        first, is_end = np.flatnonzero(is_first), begins | ~belongs
        for value, start in zip(hashes[first].tolist(), starts[order[first]].tolist(), strict=True):
            if value not in self._numbers:
                self._numbers[value] = len(self._spelt)
                length = 1 + int(is_end[start + 1 :].argmax())
                self._spelt.append(low[start : start + length].decode(errors="replace"))
        numbers = np.array([self._numbers[value] for value in hashes[first].tolist()], dtype=np.int64)
        counts = np.diff(np.append(0, np.cumsum(is_counted))[np.append(first, len(hashes))])
        owners = owners[is_counted]
        sizes = [_SMALL if self._spelt[number] in SMALL_WORDS else 1.0 for number in numbers.tolist()]
        count = int(np.count_nonzero(raw == NEWLINE))
        lengths = np.bincount(owners, weights=np.repeat(sizes, counts), minlength=count)
        self.lengths.append(np.maximum(lengths, 1.0).astype(np.float32))
        self._read.append((numbers, counts, owners + np.int32(self._count)))
        self._count += count

    def _hashes(self, letters: UInt64s, starts: Int64s) -> UInt64s:
        """uint64[m]: a hash of each word, given the letters' numbers, 0 between words, and where words begin."""
        if len(letters) > len(self._powers):
            self._powers, self._inverse = map(_powers_of, (_FACTOR, _INVERSE), (len(letters),) * 2)
        sums = np.append(np.uint64(0), np.cumsum(letters * self._powers[: len(letters)]))
        return np.asarray(np.diff(sums[np.append(starts, len(letters))]) * self._inverse[starts], np.uint64)

    def inverted(self) -> tuple[list[str], Int64s, Int32s]:
        """The sorted words, and the names that contain each, as compressed sparse rows."""
        order = sorted(range(len(self._spelt)), key=self._spelt.__getitem__)
        totals = np.zeros(len(order), dtype=np.int64)
        for numbers, counts, _ in self._read:
            totals[numbers] += counts
        starts = starts_of(totals[order])
        ends = np.empty_like(totals)
        ends[order] = starts[:-1]
        names = np.empty(int(starts[-1]), dtype=np.int32)
        for numbers, counts, owners in self._read:
            names[rows_of(ends[numbers], counts)] = owners
            ends[numbers] += counts
        return [self._spelt[number] for number in order], starts, names


def _powers_of(factor: int, count: int) -> UInt64s:
    return np.cumprod(np.full(count, factor, dtype=np.uint64), dtype=np.uint64)


def _chunks(data: bytes | mmap.mmap) -> Iterator[bytes]:
    """The data in chunks of complete lines."""
    begin = 0
    while begin < len(data):
        end = data.find(b"\n", min(begin + _AT_ONCE, len(data) - 1)) + 1 or len(data)
        yield data[begin:end]
        begin = end
