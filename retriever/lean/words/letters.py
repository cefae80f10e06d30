"""Names searched by their letters: as typed, or around a few letters.

All names lie in one run of bytes that numpy looks through at once: about 10 ms for 250,000 names. Only ASCII
letters are folded, so that places in both spellings stay the same.
"""

from __future__ import annotations

import mmap
from functools import cached_property

import numpy as np
import numpy.typing as npt

from retriever.lean.words.splitting import NEWLINE, Ints, begins_at

Tiers = tuple[Ints, Ints]

_SAMPLE = 1 << 16
"""Bytes of names that tell how often letters occur."""


class NameTable:
    """Names, numbered from 0.

    Args:
        data: their UTF-8 bytes, a line feed behind each.
    """

    def __init__(self, data: bytes | mmap.mmap) -> None:
        self._raw = np.frombuffer(data, dtype=np.uint8)
        self._low = np.frombuffer(data[:].lower(), dtype=np.uint8)
        ends = np.flatnonzero(self._raw == NEWLINE)
        self._starts: Ints = np.concatenate([[0], ends + 1]).astype(np.int64)

    def __len__(self) -> int:
        return len(self._starts) - 1

    def holding(self, letters: bytes) -> Ints:
        """The names that have these letters (in lower case) anywhere, ascending."""
        return np.unique(self._names_at(self._places(letters)))

    def tiers(self, phrase: bytes, text: bytes, chosen: npt.NDArray[np.integer] | None = None) -> Tiers:
        """How names have a phrase (in lower case) from the beginning of one of their words on.

        Args:
            phrase: what is looked for.
            text: as it was typed.
            chosen: look at these names only; None: at all.

        Returns:
            (names, tiers); a name comes as often as it has the phrase. Tier 0: it is the text, 1: it is the
            phrase, 2 and 3: it ends with it (behind a dot, behind another end of a word), 4: it begins
            with it, or does so behind a dot, 5: elsewhere.
        """
        if chosen is not None:
            names, tiers = self._subset(chosen).tiers(phrase, text)
            return np.asarray(chosen, dtype=np.int64)[names], tiers
        places = self._places(phrase)
        places = places[begins_at(self._raw, places)]
        names = self._names_at(places)
        at_end = self._low[places + len(phrase)] == NEWLINE
        is_first, behind_dot = places == self._starts[names], self._low[places - 1] == ord(".")
        at_part = is_first | behind_dot
        ending = np.where(is_first, 1, np.where(behind_dot, 2, 3))
        tiers = np.where(at_end, ending, np.where(at_part, 4, 5))
        for place in np.flatnonzero(tiers == 1).tolist():
            start = int(places[place])
            if self._raw[start : start + len(phrase)].tobytes() == text:
                tiers[place] = 0
        return names, tiers

    def _subset(self, chosen: npt.NDArray[np.integer]) -> NameTable:
        """These names alone, numbered anew."""
        lengths = np.diff(self._starts)[chosen]
        before = np.cumsum(lengths) - lengths
        places = np.repeat(self._starts[chosen] - before, lengths) + np.arange(int(lengths.sum()))
        return NameTable(self._raw[places].tobytes())

    def _places(self, letters: bytes) -> Ints:
        """Where letters stand in all the names in lower case, from left to right."""
        if not letters or len(letters) > len(self._low):
            return np.zeros(0, dtype=np.int64)
        rarest, *others = sorted(range(len(letters)), key=lambda place: self._counts[letters[place]])
        places = np.flatnonzero(self._low == letters[rarest]) - rarest
        places = places[(places >= 0) & (places <= len(self._low) - len(letters))]
        for place in others:
            places = places[self._low[places + place] == letters[place]]
        return places

    @cached_property
    def _counts(self) -> list[int]:
        """About how often each byte occurs: the rarest of a phrase is looked for first."""
        return [int(count) for count in np.bincount(self._low[:_SAMPLE], minlength=256)]

    def _names_at(self, places: Ints) -> Ints:
        return np.asarray(np.searchsorted(self._starts, places, side="right") - 1, dtype=np.int64)
