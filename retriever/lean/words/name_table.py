"""Names that are searched by their letters."""

from __future__ import annotations

import mmap
from functools import cached_property

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Bools, Bytes, Int64s
from retriever.lean.words.splitting import NEWLINE, begins_at

Tiers = tuple[Int64s, Int64s]

_LOW: Bytes = np.frombuffer(bytes(range(256)).lower(), dtype=np.uint8)
_SAMPLE = 1 << 16
"""Bytes of names from which the frequencies of letters are estimated."""


class NameTable:
    """Names, numbered from 0, that are searched by their letters: the query as typed, or as a part of a name.

    All names are in one array of bytes, which numpy scans in about 10 ms for 250,000 names. Only ASCII letters are
    found in either case.

    Args:
        data: their UTF-8 bytes, each followed by a line feed.
        starts: int[n + 1]: where each begins; None: to be found.
    """

    def __init__(self, data: bytes | mmap.mmap, starts: npt.NDArray[np.integer] | None = None) -> None:
        self._raw = np.frombuffer(data, dtype=np.uint8)
        self._starts = np.append(0, np.flatnonzero(self._raw == NEWLINE) + 1) if starts is None else starts

    def __len__(self) -> int:
        return len(self._starts) - 1

    def holding(self, letters: bytes) -> Int64s:
        """The names that contain these letters (in lower case), ascending."""
        return np.unique(self._names_at(self._offsets(letters)))

    def tiers(self, phrase: bytes, text: bytes, chosen: npt.NDArray[np.integer] | None = None) -> Tiers:
        """Where names contain a phrase (in lower case) that begins at the start of one of their words.

        Args:
            phrase: the phrase.
            text: the query as typed.
            chosen: search these names only; None: all.

        Returns:
            (names, tiers), with one entry per occurrence. Tier 0: the name is the text; 1: it is the phrase; 2 and
            3: it ends with the phrase (after a dot, or after an underscore); 4: it ends with the phrase, begins with
            it, or has it after a dot; 5: the phrase is elsewhere.
        """
        if chosen is not None:
            names, tiers = self._subset(chosen).tiers(phrase, text)
            return np.asarray(chosen, dtype=np.int64)[names], tiers
        offsets = self._offsets(phrase)
        offsets = offsets[begins_at(self._raw, offsets)]
        names = self._names_at(offsets)
        at_end = self._raw[offsets + len(phrase)] == NEWLINE
        is_first, behind_dot = offsets == self._starts[names], self._raw[offsets - 1] == ord(".")
        at_part = is_first | behind_dot
        behind_mark = self._raw[offsets - 1] == ord("_")
        ending = np.select([is_first, behind_dot, behind_mark], [1, 2, 3], 4)
        tiers = np.where(at_end, ending, np.where(at_part, 4, 5))
        for row in np.flatnonzero(tiers == 1).tolist():
            start = int(offsets[row])
            if self._raw[start : start + len(phrase)].tobytes() == text:
                tiers[row] = 0
        return names, tiers

    def _subset(self, chosen: npt.NDArray[np.integer]) -> NameTable:
        """A table of these names only, renumbered."""
        lengths = self._starts[chosen + 1] - self._starts[chosen]
        before = np.cumsum(lengths) - lengths
        offsets = np.repeat(self._starts[chosen] - before, lengths) + np.arange(int(lengths.sum()))
        return NameTable(self._raw[offsets].tobytes())

    def _offsets(self, letters: bytes) -> Int64s:
        """The offsets, ascending, at which the names in lower case contain these letters."""
        if not letters or len(letters) > len(self._raw):
            return np.zeros(0, dtype=np.int64)
        rarest, *others = sorted(range(len(letters)), key=lambda index: self._counts[letters[index]])
        is_there: Bools = self._raw == letters[rarest]
        if (capital := letters.upper()[rarest]) != letters[rarest]:
            is_there |= self._raw == capital
        offsets = np.flatnonzero(is_there) - rarest
        offsets = offsets[(offsets >= 0) & (offsets <= len(self._raw) - len(letters))]
        for index in others:
            offsets = offsets[_LOW[self._raw[offsets + index]] == letters[index]]
        return offsets

    @cached_property
    def _counts(self) -> list[int]:
        """Approximate counts of each byte. The rarest byte of a phrase is searched first."""
        return [int(count) for count in np.bincount(_LOW[self._raw[:_SAMPLE]], minlength=256)]

    def _names_at(self, offsets: Int64s) -> Int64s:
        return np.asarray(np.searchsorted(self._starts, offsets, side="right") - 1, dtype=np.int64)
