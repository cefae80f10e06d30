"""Searches premises by name: by the query as typed, and by its words.

A name's score depends on the share of the query's words that it contains (the same word, one with the same stem,
or a spelling from `synonyms.txt`) and on the share of its own words that the query contains. A name that is the query
as typed, ends with it or contains it in one piece ranks above those. A word that no name contains is also searched as
a prefix and as a substring. The last word of the query, which may be incomplete, is always searched as a prefix too.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Bools, Floats, Int32s, Int64s
from retriever.lean.words.index import WordIndex
from retriever.lean.words.name_table import NameTable, Tiers
from retriever.lean.words.query import Concept, concepts
from retriever.lean.words.splitting import stem
from retriever.limits import MAX_PHRASE_CHARACTERS

_STEM, _PREFIX, _SUBSTRING = 0.95, 0.5, 0.3
"""The closeness of a name's word to a word of the query: the same stem, a prefix match, a substring match."""
_ALL_WORDS = 1.5
"""The exponent of the closeness. The higher it is, the more it counts that a name contains the whole query."""
_WHOLE_NAME = 0.5
"""The part of a score that depends on how much of the name is in the query."""
_COMMON = 4.0
"""The weight of a word that all names contain. Rarer words weigh more, by the logarithm of their rarity."""
_USE = 0.005
"""The weight of the logarithm of uses in proofs: of similar names, the one used more often ranks first."""
_AT_END, _LAST = 3, 6
"""Tiers below these rank above all matches by words: if words were typed, and if a name was typed."""
_IN_ONE_PIECE = 0.1
"""The bonus for a name that contains the query in one piece elsewhere."""
_SHORT = 4
"""A query with fewer letters is searched as typed only in names that have it as a word."""
_MOST_BY_LETTERS = 3
"""How many words that no name contains are searched by letters. Each takes a scan of all names."""


@dataclass(frozen=True, slots=True)
class NameQuery:
    """A query in the forms in which names are compared with it."""

    text: str
    """As typed, without surrounding backticks and white space."""
    phrases: tuple[bytes, ...]
    """The whole query in lower case as it could occur in a name; empty if it is too long for one."""
    concepts: tuple[Concept, ...]
    """The concepts of the query."""

    @classmethod
    def of(cls, text: str) -> NameQuery:
        """The query for a text."""
        bare = text.strip().strip("`")
        is_phrase = 0 < len(bare) <= MAX_PHRASE_CHARACTERS
        joined = {"_".join(bare.split()), ".".join(bare.split())} if is_phrase else set[str]()
        phrases = tuple(sorted(phrase.encode(errors="replace").lower() for phrase in joined))
        return cls(bare, phrases, tuple(concepts(text)))

    @property
    def is_name(self) -> bool:
        """Whether a name or a part of one was typed, rather than several words."""
        return len(self.phrases) == 1


@dataclass(frozen=True, slots=True)
class _Matches:
    """How well n names match a concept or a query."""

    closeness: Floats
    """float32[n] in [0, 1]; 0: no match."""
    words: Floats
    """float32[n]: the number of words in each name that match."""

    @classmethod
    def none(cls, count: int) -> _Matches:
        return cls(np.zeros(count, dtype=np.float32), np.zeros(count, dtype=np.float32))

    def record(self, names: npt.NDArray[np.integer], closeness: float, words: int = 1) -> None:
        """Set the values of these names, replacing earlier ones."""
        self.closeness[names], self.words[names] = closeness, words

    def add(self, other: _Matches, weight: float) -> None:
        """Add the matches of another concept, with a weight."""
        np.add(self.closeness, other.closeness * np.float32(weight), out=self.closeness)
        np.add(self.words, other.words, out=self.words)


class NameSearch:
    """Names that can be searched by letters and by words. The indexes are built when they are first needed.

    Args:
        data: the names' UTF-8 bytes, each followed by a line feed.
        starts: int[n + 1]: where each begins; None: to be found.
    """

    def __init__(self, data: bytes | mmap.mmap, starts: npt.NDArray[np.integer] | None = None) -> None:
        self._data, self._starts = data, starts

    @classmethod
    def of_names(cls, names: Iterable[str]) -> NameSearch:
        """A search over these names. A line feed in a name counts as a blank."""
        return cls("".join(name.replace("\n", " ") + "\n" for name in names).encode(errors="replace"))

    @cached_property
    def _table(self) -> NameTable:
        return NameTable(self._data, self._starts)

    @cached_property
    def _index(self) -> WordIndex:
        return WordIndex(self._data)

    def __len__(self) -> int:
        return len(self._table)

    @property
    def lengths(self) -> Floats:
        """float32[n]: the number of words in each name."""
        return self._index.lengths

    @property
    def words(self) -> Sequence[str]:
        """The words of all names, ascending."""
        return self._index.words

    def having(self, word: str) -> Int32s:
        """The names that contain this word, ascending."""
        return self._index.holding(word)

    def by_words(self, concept: Concept) -> _Matches:
        """The names that contain all words of one of the concept's ways, or of the concept itself."""
        matches = _Matches.none(len(self))
        words = concept.word.split()
        for way, closeness in concept.ways:
            matches.record(_common([self._index.holding(word) for word in way]), closeness, len(way))
        matches.record(_common([self._with_stem(word) for word in words]), _STEM, len(words))
        matches.record(_common([self._index.holding(word) for word in words]), 1.0, len(words))
        return matches

    def _with_stem(self, word: str) -> Int32s:
        """The names that contain a word with the same stem, ascending."""
        lists = [self._index.holding(one) for one in {word, *self._index.with_stem(stem(word))}]
        return lists[0] if len(lists) == 1 else np.unique(np.concatenate(lists))

    def record_prefixes(self, concept: Concept, matches: _Matches) -> None:
        """Add names that do not match yet but have a word that begins with the concept."""
        names = self._index.with_beginning(concept.word)
        matches.record(names[matches.closeness[names] == 0], _PREFIX)

    def holding(self, letters: str) -> Bools:
        """bool[n]: which names contain these letters, in any case, one after another."""
        found = np.zeros(len(self), dtype=np.bool_)
        found[self._table.holding(letters.lower().encode(errors="replace"))] = True
        return found

    def record_substrings(self, concept: Concept, matches: _Matches) -> None:
        """Set the names that contain the concept's letters anywhere."""
        matches.record(self._table.holding(concept.word.encode()), _SUBSTRING)

    def tiers(self, query: NameQuery, candidates: Int64s) -> Tiers:
        """Where names contain the query as typed: see `NameTable.tiers`.

        Args:
            query: the query.
            candidates: the names that contain most of its words.
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
    """float32[n]: how well each name matches the query; 0: not at all. See `name_scores`."""
    fits, typed = name_scores(parts, query, uses)
    return fits + typed


def name_scores(
    parts: Sequence[NameSearch], query: NameQuery, uses: npt.NDArray[np.integer]
) -> tuple[Floats, Floats]:
    """(float32[n], float32[n]): how well each name's words match the query's, and the bonus for having it as typed.

    Args:
        parts: the names, which are numbered through all parts.
        query: the query.
        uses: int[n]: how often each is used in proofs.
    """
    matches = _matches_of(parts, query.concepts)
    fits = np.zeros(len(matches.closeness), dtype=np.float32)
    names = np.flatnonzero(matches.closeness > 0)
    if len(names):
        lengths = np.concatenate([part.lengths for part in parts])[names]
        share = np.minimum(matches.words[names] / lengths, 1.0)
        fit = matches.closeness[names] ** _ALL_WORDS * (1 - _WHOLE_NAME + _WHOLE_NAME * share)
        fits[names] = fit + _USE * np.log1p(uses[names])
    bounds = np.cumsum([0, *map(len, parts)]).tolist()
    typed = [
        _as_typed(part, query, matches.closeness[start:stop])
        for part, start, stop in zip(parts, bounds, bounds[1:], strict=False)
    ]
    return fits, np.concatenate([fits[:0], *typed])


def _as_typed(part: NameSearch, query: NameQuery, closeness: Floats) -> Floats:
    """float32[n]: the bonus of each name for containing the query as typed."""
    names, tiers = part.tiers(query, np.flatnonzero(closeness > _PREFIX))
    comes_first = tiers < (_LAST if query.is_name else _AT_END)
    bonus = np.zeros(len(part), dtype=np.float32)
    np.maximum.at(bonus, names, np.where(comes_first, _LAST - tiers, _IN_ONE_PIECE))
    return bonus


def _matches_of(parts: Sequence[NameSearch], wanted: Sequence[Concept]) -> _Matches:
    """How well the names of all parts match all concepts. Concepts that no name matches are ignored."""
    count = sum(map(len, parts))
    total, weights, by_letters = _Matches.none(count), 0.0, 0
    for concept in wanted:
        found = [part.by_words(concept) for part in parts]
        if concept.is_last or not _any(found):
            for part, matches in zip(parts, found, strict=True):
                part.record_prefixes(concept, matches)
        if by_letters < _MOST_BY_LETTERS and not _any(found):
            by_letters += 1
            for part, matches in zip(parts, found, strict=True):
                part.record_substrings(concept, matches)
        having = sum(int(np.count_nonzero(matches.closeness > 0)) for matches in found)
        if having:
            weight = concept.share * (_COMMON + float(np.log1p(count / having)))
            weights += weight
            total.add(_joined(found), weight)
    np.divide(total.closeness, max(weights, 1e-9), out=total.closeness)
    return total


def _joined(found: Sequence[_Matches]) -> _Matches:
    """The matches of the parts, concatenated."""
    return _Matches(
        np.concatenate([matches.closeness for matches in found]),
        np.concatenate([matches.words for matches in found]),
    )


def _any(found: Sequence[_Matches]) -> bool:
    return any(matches.closeness.any() for matches in found)


def _common(lists: Sequence[Int32s]) -> Int32s:
    """The intersection of several ascending lists."""
    if not lists:
        return np.zeros(0, dtype=np.int32)
    first, *rest = sorted(lists, key=len)
    for other in rest:
        if len(first):
            indices = np.minimum(np.searchsorted(other, first), len(other) - 1)
            first = first[other[indices] == first]
    return first
