"""Premises whose names match a query: equal to it, ending with it, or made of all its words.

A table holds names as one run of bytes, each followed by a line feed, and looks for a word in all of them at
once with numpy: about 10 ms for 250,000 names, and no more memory than the names in lower case. Only ASCII
letters are folded, so that places in both spellings stay the same.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]

LONGEST = 300
"""No name is asked for with more characters than that: the query is a statement or a goal."""
_MOST_WORDS = 12
_WORD_ENDS = re.compile(r"[\s._«»`]+")
_HUMPS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[^A-Z]+|[A-Z]+")
_INSIDE, _AT_START, _WHOLE = 1, 2, 3
"""How a word stands in a name: somewhere, where one of the name's words begins, as one of its words."""
_TIERS = 6
_WORTH_COPYING = 4
"""From one name in so many on that are left, they are copied to a table of their own."""
_NEWLINE = ord("\n")


@dataclass(frozen=True, slots=True)
class NameQuery:
    """A query as names are compared with it."""

    text: str
    """As typed, without quotation marks around names and white space around all."""
    words: tuple[bytes, ...]
    """In lower case, longest first."""
    phrases: tuple[bytes, ...]
    """The whole query in lower case as a name would have it."""

    @classmethod
    def of(cls, text: str) -> NameQuery | None:
        """The query, or None where it cannot be a name or a part of one."""
        bare = text.strip().strip("`")
        if not bare or len(bare) > LONGEST:
            return None
        pieces = [hump for word in _WORD_ENDS.split(bare) for hump in _HUMPS.findall(word)]
        words = dict.fromkeys(_folded(piece) for piece in pieces)
        if not words or len(words) > _MOST_WORDS:
            return None
        joined = {"_".join(bare.split()), ".".join(bare.split())}
        phrases = tuple(sorted(_folded(phrase) for phrase in joined))
        return cls(bare, tuple(sorted(words, key=lambda word: (-len(word), word))), phrases)


@dataclass(frozen=True, slots=True)
class Matches:
    """Names that match, in no order, and how badly (int64): 0 is best, comparable within one query."""

    ids: Ids
    penalties: Ids

    def best(self, k: int, uses: npt.NDArray[np.integer]) -> Ids:
        """The positions of the k best in `ids`; of equal ones first those used more (`uses`, for each)."""
        if k <= 0 or not len(self.ids):
            return np.zeros(0, dtype=np.int64)
        key = (self.penalties << 24) + (2**24 - 1 - np.minimum(uses.astype(np.int64), 2**24 - 1))
        if k < len(key):
            border = np.partition(key, k - 1)[k - 1]
            chosen = np.flatnonzero(key <= border)
        else:
            chosen = np.arange(len(key))
        return np.asarray(chosen[np.lexsort((self.ids[chosen], key[chosen]))][:k], dtype=np.int64)


class NameTable:
    """Names, numbered from 0.

    Args:
        data: their UTF-8 bytes, a line feed behind each.
        starts: int64[n + 1]: where each begins; None: found in `data`.
    """

    def __init__(self, data: bytes | mmap.mmap, starts: npt.NDArray[np.integer] | None = None) -> None:
        self._raw: Bytes = np.frombuffer(data, dtype=np.uint8)
        self._lower: Bytes = np.frombuffer(data[:].lower(), dtype=np.uint8)
        if starts is None:
            starts = np.concatenate([[0], np.flatnonzero(self._raw == _NEWLINE) + 1])
        self._starts = starts.astype(np.int64, copy=False)

    @classmethod
    def of_names(cls, names: Sequence[str]) -> NameTable:
        """A table of names that are at hand; a line feed in one counts as a blank."""
        return cls("".join(name.replace("\n", " ") + "\n" for name in names).encode(errors="replace"))

    def __len__(self) -> int:
        return len(self._starts) - 1

    def find(self, query: NameQuery) -> Matches:
        """The names that hold every word of the query."""
        table, ids = self, np.arange(len(self), dtype=np.int64)
        standing = np.zeros(len(self), dtype=np.int64)
        has_all = np.ones(len(self), dtype=np.bool_)
        for word in query.words:
            how = table._standing(word)
            standing, has_all = standing + how, has_all & (how > 0)
            kept = np.flatnonzero(has_all)
            if len(kept) <= len(table) // _WORTH_COPYING:
                table, ids = table._subset(kept), ids[kept]
                standing, has_all = standing[kept], has_all[kept]
            if not len(kept):
                break
        lost = np.minimum(_WHOLE * len(query.words) - standing, 31)
        lengths = np.minimum(np.diff(table._starts), 2**14 - 1)
        penalties = (table._tiers(query) << 20) + (lost << 14) + lengths
        return Matches(ids[has_all], penalties[has_all])

    def _subset(self, chosen: Ids) -> NameTable:
        """These names alone, numbered anew."""
        lengths = np.diff(self._starts)[chosen]
        before = np.cumsum(lengths) - lengths
        places = np.repeat(self._starts[chosen] - before, lengths) + np.arange(int(lengths.sum()))
        table = NameTable.__new__(NameTable)
        table._raw, table._lower = self._raw[places], self._lower[places]
        table._starts = np.concatenate([before, [len(places)]]).astype(np.int64)
        return table

    def _standing(self, word: bytes) -> Ids:
        """int64[n]: how the word stands in each name at its best; 0 where it does not."""
        places = self._occurrences(word)
        begins = self._begins(places)
        ends = self._ends(places + len(word))
        how = np.where(begins, np.where(ends, _WHOLE, _AT_START), _INSIDE)
        result = np.zeros(len(self), dtype=np.int64)
        np.maximum.at(result, self._names_at(places), how)
        return result

    def _tiers(self, query: NameQuery) -> Ids:
        """int64[n]: 0 the query itself, 1 in other case, 2 and 3 ends with it (behind a dot, behind another
        beginning of a word), 4 has it in one piece, 5 has all its words.
        """
        tiers = np.full(len(self), _TIERS - 1, dtype=np.int64)
        for phrase in query.phrases:
            places = self._occurrences(phrase)
            names, begins = self._names_at(places), self._begins(places)
            at_end = begins & (self._lower[places + len(phrase)] == _NEWLINE)
            is_first = places == self._starts[names]
            behind_dot = self._lower[places - 1] == ord(".")
            found = np.where(
                at_end, np.where(is_first, 1, np.where(behind_dot, 2, 3)), np.where(begins, 4, 5)
            )
            np.minimum.at(tiers, names, found)
        exact = query.text.encode(errors="replace")
        for number in np.flatnonzero(tiers == 1).tolist():
            start, stop = int(self._starts[number]), int(self._starts[number + 1]) - 1
            if self._raw[start:stop].tobytes() == exact:
                tiers[number] = 0
        return tiers

    def _occurrences(self, word: bytes) -> Ids:
        """Where the word begins in all the names in lower case, from left to right.

        A single letter, which almost every name has, counts only where it may be a word.
        """
        if not word or len(word) > len(self._lower):
            return np.zeros(0, dtype=np.int64)
        if len(word) == 1:
            return self._letters(word[0])
        order = sorted(range(len(word)), key=lambda index: self._counts[word[index]])
        places = np.flatnonzero(self._lower == word[order[0]]) - order[0]
        places = places[(places >= 0) & (places <= len(self._lower) - len(word))]
        for index in order[1:]:
            places = places[self._lower[places + index] == word[index]]
        return places

    def _letters(self, letter: int) -> Ids:
        before, here, behind = self._raw[:-2], self._raw[1:-1], self._raw[2:]
        stands = self._lower[1:-1] == letter
        begins = _any_of(before, b"._\n\xab\xbb")
        if bytes([letter]).isalpha():
            begins |= here == bytes([letter]).upper()[0]
        stands &= begins
        stands &= _any_of(behind, b"._\n\xc2") | ((behind >= ord("A")) & (behind <= ord("Z")))
        places = np.flatnonzero(stands) + 1
        return places if self._lower[0] != letter else np.concatenate([[0], places])

    @cached_property
    def _counts(self) -> list[int]:
        """How often each byte occurs: the rarest of a word is looked for first."""
        return [int(count) for count in np.bincount(self._lower, minlength=256)]

    def _names_at(self, places: Ids) -> Ids:
        return np.asarray(np.searchsorted(self._starts, places, side="right") - 1, dtype=np.int64)

    def _begins(self, places: Ids) -> Bools:
        """Whether a word of a name begins at each place: behind a separator, or with a hump."""
        here, before = self._raw[places], self._raw[places - 1]
        is_hump = _CAPITAL[here] & ~_CAPITAL[before]
        return np.asarray((places == 0) | _SEPARATOR[before] | is_hump, dtype=np.bool_)

    def _ends(self, places: Ids) -> Bools:
        """Whether a word of a name ends before each place."""
        here = self._raw[places]
        return np.asarray(
            _SEPARATOR[here] | (_CAPITAL[here] & ~_CAPITAL[self._raw[places - 1]]), dtype=np.bool_
        )


def _any_of(data: Bytes, characters: bytes) -> Bools:
    """bool[n]: the same as a look-up in `_table`, but quicker for few characters."""
    found = np.asarray(data == characters[0], dtype=np.bool_)
    for character in characters[1:]:
        found |= data == character
    return found


def _table(characters: bytes) -> Bools:
    found = np.zeros(256, dtype=np.bool_)
    found[list(characters)] = True
    return found


_SEPARATOR = _table(b"._\n '\xc2\xab\xbb")  # the last three: bytes of « and »
_CAPITAL = _table(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")


def _folded(text: str) -> bytes:
    return text.encode(errors="replace").lower()
