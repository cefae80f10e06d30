"""Which terms a bag has of a text: tokens, tokens of its title, hashed pairs of tokens.

Terms are numbered in this order. Training and serving read texts by this alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Floats, Int64s

_LEFT, _RIGHT = 1_000_003, 7_919


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of texts over one vocabulary."""

    vocabulary: int
    mark: int
    """The token between a title and what follows; it also ends every text."""
    pairs: int = 0
    """How many buckets pairs of tokens are hashed into; 0: no pairs."""

    @property
    def size(self) -> int:
        """How many terms there are."""
        return 2 * self.vocabulary + self.pairs

    def of(self, tokens: npt.NDArray[np.integer], offsets: Int64s) -> tuple[Int64s, Int64s, Floats]:
        """(terms, offsets, counts): every text's distinct terms, ascending, and how often each stands there.

        Args:
            tokens: of all texts, those of text i at `tokens[offsets[i]:offsets[i + 1]]`.
            offsets: int64[texts + 1].
        """
        lengths = np.diff(offsets)
        rows = np.repeat(np.arange(len(lengths)), lengths)
        flat = tokens.astype(np.int64)
        pairs, inside = 2 * self.vocabulary + hashed(flat, self.pairs), rows[1:] == rows[:-1]
        flat = flat + self.vocabulary * self._in_title(flat, offsets, rows)
        if self.pairs:
            rows = np.concatenate([rows, rows[1:][inside]])
            flat = np.concatenate([flat, pairs[inside]])
        keys, counts = np.unique(rows * self.size + flat, return_counts=True)
        ends = np.searchsorted(keys, np.arange(len(lengths) + 1) * self.size).astype(np.int64)
        return keys % self.size, ends, counts.astype(np.float32)

    def _in_title(self, flat: Int64s, offsets: Int64s, rows: Int64s) -> npt.NDArray[np.bool_]:
        """[tokens] Whether each stands before the first of several marks of its text."""
        marks = flat == self.mark
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(marks)])
        passed = before[:-1] - before[offsets[:-1]][rows]
        several = before[offsets[1:]] - before[offsets[:-1]] > 1
        return np.asarray(several[rows] & (passed == 0) & ~marks)


def hashed(tokens: Int64s, buckets: int) -> Int64s:
    """[n - 1] A bucket for every two tokens that follow each other; 0 where there are no buckets."""
    return (tokens[:-1] * _LEFT + tokens[1:] * _RIGHT) % max(1, buckets)
