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
from retriever.lean.words.query import Concept, concepts
from retriever.lean.words.splitting import NEWLINE, begins_at, stem
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
MOST_TYPED = float(_LAST)
"""The largest bonus for a name that has the query as typed."""
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
    """

    def __init__(self, data: bytes | mmap.mmap) -> None:
        self._data = data

    @classmethod
    def of_names(cls, names: Iterable[str]) -> NameSearch:
        """A search over these names. A line feed in a name counts as a blank."""
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
    names = np.flatnonzero(matches.closeness)
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
        having = sum(int(np.count_nonzero(matches.closeness)) for matches in found)
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


Tiers = tuple[Int64s, Int64s]

_SAMPLE = 1 << 16
"""Bytes of names from which the frequencies of letters are estimated."""


class NameTable:
    """Names, numbered from 0, that are searched by their letters: the query as typed, or as a part of a name.

    All names are in one array of bytes, which numpy scans in about 10 ms for 250,000 names. Only ASCII letters are
    converted to lower case, so that offsets are the same in both spellings.

    Args:
        data: their UTF-8 bytes, each followed by a line feed.
    """

    def __init__(self, data: bytes | mmap.mmap) -> None:
        self._raw = np.frombuffer(data, dtype=np.uint8)
        self._low = np.frombuffer(data[:].lower(), dtype=np.uint8)
        ends = np.flatnonzero(self._raw == NEWLINE)
        self._starts: Int64s = np.concatenate([[0], ends + 1]).astype(np.int64)

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
            3: it ends with the phrase (after a dot, or after another separator); 4: it begins with the phrase, or
            has it after a dot; 5: the phrase is elsewhere.
        """
        if chosen is not None:
            names, tiers = self._subset(chosen).tiers(phrase, text)
            return np.asarray(chosen, dtype=np.int64)[names], tiers
        offsets = self._offsets(phrase)
        offsets = offsets[begins_at(self._raw, offsets)]
        names = self._names_at(offsets)
        at_end = self._low[offsets + len(phrase)] == NEWLINE
        is_first, behind_dot = offsets == self._starts[names], self._low[offsets - 1] == ord(".")
        at_part = is_first | behind_dot
        ending = np.where(is_first, 1, np.where(behind_dot, 2, 3))
        tiers = np.where(at_end, ending, np.where(at_part, 4, 5))
        for row in np.flatnonzero(tiers == 1).tolist():
            start = int(offsets[row])
            if self._raw[start : start + len(phrase)].tobytes() == text:
                tiers[row] = 0
        return names, tiers

    def _subset(self, chosen: npt.NDArray[np.integer]) -> NameTable:
        """A table of these names only, renumbered."""
        lengths = np.diff(self._starts)[chosen]
        before = np.cumsum(lengths) - lengths
        offsets = np.repeat(self._starts[chosen] - before, lengths) + np.arange(int(lengths.sum()))
        return NameTable(self._raw[offsets].tobytes())

    def _offsets(self, letters: bytes) -> Int64s:
        """The offsets, ascending, at which the names in lower case contain these letters."""
        if not letters or len(letters) > len(self._low):
            return np.zeros(0, dtype=np.int64)
        rarest, *others = sorted(range(len(letters)), key=lambda index: self._counts[letters[index]])
        offsets = np.flatnonzero(self._low == letters[rarest]) - rarest
        offsets = offsets[(offsets >= 0) & (offsets <= len(self._low) - len(letters))]
        for index in others:
            offsets = offsets[self._low[offsets + index] == letters[index]]
        return offsets

    @cached_property
    def _counts(self) -> list[int]:
        """Approximate counts of each byte. The rarest byte of a phrase is searched first."""
        return [int(count) for count in np.bincount(self._low[:_SAMPLE], minlength=256)]

    def _names_at(self, offsets: Int64s) -> Int64s:
        return np.asarray(np.searchsorted(self._starts, offsets, side="right") - 1, dtype=np.int64)
