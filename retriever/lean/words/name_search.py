"""Premises whose names are what is asked for: as typed, or by their words.

A name's score says what share of the query's words it has (the same word, one of the same stem, or what the
table of `retriever.lean.words` has for it) and what share of its own words was asked for. A name that is the text
as typed, ends with it or has it in one piece comes before those. Letters within a word count only for a word
that no name has, and its beginning for the last word as well, which may still be being typed.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from retriever.lean.words.index import Names, WordIndex
from retriever.lean.words.letters import NameTable, Tiers
from retriever.lean.words.query import Concept, concepts
from retriever.lean.words.splitting import Ints
from retriever.lean.words.stems import stem

Floats = npt.NDArray[np.float32]

LONGEST = 300
"""No name is looked for as typed with more characters than that."""
_STEM, _BEGUN, _INSIDE = 0.95, 0.5, 0.3
"""How close a word of a name is to one that was asked for: of the same stem, beginning with it, around it."""
_ALL_WORDS = 1.5
"""The higher, the more it counts to have all that is asked for."""
_WHOLE_NAME = 0.5
"""What part of a score rests on how much of the name was asked for."""
_COMMON = 4.0
"""What a word counts for that all names have; rare ones count more, by the logarithm of how rare they are."""
_USE = 0.005
"""What uses in proofs add, on a scale of logarithms: of like names the one used more comes first."""
_AT_END, _LAST = 3, 6
"""Tiers below count more than any words: where words were typed, and where a name was."""
_IN_ONE_PIECE = 0.1
"""What it counts for that words as typed stand in one piece elsewhere."""
_SHORT = 4
"""A text of fewer letters is looked for where it is a word."""
_MOST_BY_LETTERS = 3
"""So many words that no name has are looked for by their letters; each takes a look at all the names."""


@dataclass(frozen=True, slots=True)
class NameQuery:
    """A text as names are compared with it."""

    text: str
    """As typed, without quotation marks around names and white space around all."""
    phrases: tuple[bytes, ...]
    """The whole text in lower case as a name would have it; none if it is longer than any name."""
    concepts: tuple[Concept, ...]
    """What it asks for."""

    @classmethod
    def of(cls, text: str) -> NameQuery:
        """Any text as a query."""
        bare = text.strip().strip("`")
        joined = {"_".join(bare.split()), ".".join(bare.split())} if 0 < len(bare) <= LONGEST else set[str]()
        phrases = tuple(sorted(phrase.encode(errors="replace").lower() for phrase in joined))
        return cls(bare, phrases, tuple(concepts(text)))

    @property
    def is_name(self) -> bool:
        """Whether a name or a part of one was typed, not words."""
        return len(self.phrases) == 1


@dataclass(frozen=True, slots=True)
class _Met:
    """How n names meet what is asked for."""

    closeness: Floats
    """float32[n] in [0, 1]; 0: not at all."""
    words: Floats
    """float32[n]: how many of its words each name has for it."""

    @classmethod
    def nothing(cls, count: int) -> _Met:
        return cls(np.zeros(count, dtype=np.float32), np.zeros(count, dtype=np.float32))

    def put(self, names: npt.NDArray[np.integer], closeness: float, words: int = 1) -> None:
        """Say it of these names; what was said of them before is forgotten."""
        self.closeness[names], self.words[names] = closeness, words

    def add(self, other: _Met, weight: float) -> None:
        """Add what another thing asked for counts."""
        np.add(self.closeness, other.closeness * np.float32(weight), out=self.closeness)
        np.add(self.words, other.words, out=self.words)


class NameSearch:
    """Names that can be searched by letters and by words; what that takes is made when it is first needed.

    Args:
        data: the names' UTF-8 bytes, a line feed behind each.
    """

    def __init__(self, data: bytes | mmap.mmap) -> None:
        self._data = data

    @classmethod
    def of_names(cls, names: Iterable[str]) -> NameSearch:
        """Of names that are at hand; a line feed in one counts as a blank."""
        return cls("".join(name.replace("\n", " ") + "\n" for name in names).encode(errors="replace"))

    @cached_property
    def _table(self) -> NameTable:
        return NameTable(self._data)

    @cached_property
    def _index(self) -> WordIndex:
        return WordIndex(self._data)

    def __len__(self) -> int:
        return len(self._table)

    @property
    def lengths(self) -> Floats:
        """float32[n]: how many words each name has."""
        return self._index.lengths

    def by_words(self, concept: Concept) -> _Met:
        """Names that have all words of one of its ways, or its own."""
        met = _Met.nothing(len(self))
        words = concept.word.split()
        for way, closeness in concept.ways:
            met.put(_common([self._index.holding(word) for word in way]), closeness, len(way))
        met.put(_common([self._akin(word) for word in words]), _STEM, len(words))
        met.put(_common([self._index.holding(word) for word in words]), 1.0, len(words))
        return met

    def _akin(self, word: str) -> Names:
        """The names that have a word of the same stem, ascending."""
        lists = [self._index.holding(one) for one in {word, *self._index.with_stem(stem(word))}]
        return lists[0] if len(lists) == 1 else np.unique(np.concatenate(lists))

    def put_begun(self, concept: Concept, met: _Met) -> None:
        """Beside what is met: names with a word that begins with what is asked for."""
        names = self._index.with_beginning(concept.word)
        met.put(names[met.closeness[names] == 0], _BEGUN)

    def put_inside(self, concept: Concept, met: _Met) -> None:
        """Names with its letters anywhere."""
        met.put(self._table.holding(concept.word.encode()), _INSIDE)

    def tiers(self, query: NameQuery, candidates: Ints) -> Tiers:
        """How names have the query as typed: see `NameTable.tiers`.

        Args:
            query: the text.
            candidates: the names that have about all of its words.
        """
        found = [(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))]
        for phrase in query.phrases:
            chosen: npt.NDArray[np.integer] | None = candidates
            if query.is_name:
                as_word = self._index.holding(phrase.decode(errors="replace"))
                if len(as_word):
                    chosen = as_word
                elif len(phrase) >= _SHORT:
                    chosen = None
            found.append(self._table.tiers(phrase, query.text.encode(errors="replace"), chosen))
        return np.concatenate([names for names, _ in found]), np.concatenate([tiers for _, tiers in found])


def score(parts: Sequence[NameSearch], query: NameQuery, uses: npt.NDArray[np.integer]) -> Floats:
    """float32[n]: how well each name, of all parts one behind another, is what is asked for; 0: not at all.

    Args:
        parts: the names.
        query: what is asked for.
        uses: int[n]: how often each is used in proofs.
    """
    met = _met(parts, query.concepts)
    total = np.zeros(len(met.closeness), dtype=np.float32)
    names = np.flatnonzero(met.closeness)
    if len(names):
        lengths = np.concatenate([part.lengths for part in parts])[names]
        share = np.minimum(met.words[names] / lengths, 1.0)
        fit = met.closeness[names] ** _ALL_WORDS * (1 - _WHOLE_NAME + _WHOLE_NAME * share)
        total[names] = fit + _USE * np.log1p(uses[names])
    base = 0
    for part in parts:
        here = slice(base, base + len(part))
        total[here] += _as_typed(part, query, met.closeness[here])
        base += len(part)
    return total


def _as_typed(part: NameSearch, query: NameQuery, closeness: Floats) -> Floats:
    """float32[n]: what it counts for each name that it has the query as typed."""
    names, tiers = part.tiers(query, np.flatnonzero(closeness > _BEGUN))
    comes_first = tiers < (_LAST if query.is_name else _AT_END)
    bonus = np.zeros(len(part), dtype=np.float32)
    np.maximum.at(bonus, names, np.where(comes_first, _LAST - tiers, _IN_ONE_PIECE))
    return bonus


def _met(parts: Sequence[NameSearch], asked: Sequence[Concept]) -> _Met:
    """How the names of all parts meet all that is asked for; what no name has counts nowhere."""
    count = sum(map(len, parts))
    total, weights, by_letters = _Met.nothing(count), 0.0, 0
    for concept in asked:
        found = [part.by_words(concept) for part in parts]
        if concept.is_last or not _any(found):
            for part, met in zip(parts, found, strict=True):
                part.put_begun(concept, met)
        if by_letters < _MOST_BY_LETTERS and not _any(found):
            by_letters += 1
            for part, met in zip(parts, found, strict=True):
                part.put_inside(concept, met)
        having = sum(int(np.count_nonzero(met.closeness)) for met in found)
        if having:
            weight = concept.share * (_COMMON + float(np.log1p(count / having)))
            weights += weight
            total.add(_joined(found), weight)
    np.divide(total.closeness, max(weights, 1e-9), out=total.closeness)
    return total


def _joined(found: Sequence[_Met]) -> _Met:
    """What parts found, one behind another."""
    return _Met(
        np.concatenate([met.closeness for met in found]), np.concatenate([met.words for met in found])
    )


def _any(found: Sequence[_Met]) -> bool:
    return any(met.closeness.any() for met in found)


def _common(lists: Sequence[Names]) -> Names:
    """What several ascending lists have in common."""
    if not lists:
        return np.zeros(0, dtype=np.int32)
    first, *rest = sorted(lists, key=len)
    for other in rest:
        if len(first):
            places = np.minimum(np.searchsorted(other, first), len(other) - 1)
            first = first[other[places] == first]
    return first
