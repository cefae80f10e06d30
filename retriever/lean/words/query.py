"""Splits a query in words into the concepts for which names are searched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from retriever.lean.words.splitting import SMALL_WORDS, VAGUE_WORDS, stem
from retriever.lean.words.synonyms import Way, synonyms
from retriever.lean.words.vocabulary import spelled_words
from retriever.limits import MAX_QUERY_CHARACTERS, MAX_QUERY_WORDS

ASKED, _ALTERNATIVE = 0.9, 0.7
"""How close a spelling in the table is to the query: if the query matches the right column, or another spelling."""
_VAGUE = 0.2
_SKIPPED = SMALL_WORDS | VAGUE_WORDS


@dataclass(frozen=True, slots=True)
class Concept:
    """One concept of a query, and the ways in which names may write it."""

    word: str
    """As typed, in lower case. Several words that the table has together are separated by spaces."""
    ways: tuple[tuple[Way, float], ...]
    """The words of each way, all of which a name must have, and how close the way is, in (0, 1)."""
    share: float
    """Its weight among the other concepts: 1, or less for a vague word."""
    is_last: bool
    """Whether the query ends with it, so that it may be an incomplete word."""


def concepts(text: str) -> list[Concept]:
    """The concepts of a query, each once, in order. Small words are left out unless there are no others."""
    words = spelled_words(text[:MAX_QUERY_CHARACTERS])[:MAX_QUERY_WORDS]
    chosen = list(_matched(words))
    if all(word in SMALL_WORDS for word, _, _ in chosen):
        kept = chosen
    else:
        kept = [one for one in chosen if one[0] not in SMALL_WORDS]
    found: dict[str, Concept] = {}
    for word, ways, end in kept:
        is_last = end == len(words) and text[-1:].isalnum()
        share = _VAGUE if word in VAGUE_WORDS else 1.0
        found[word] = Concept(word, ways, share, is_last)
    return list(found.values())


def _matched(words: Sequence[str]) -> Iterator[tuple[str, tuple[tuple[Way, float], ...], int]]:
    """From left to right, single words or several that the table has together: the matched words, the ways in
    which names write them, and the index after them.
    """
    stems = [stem(word) for word in words]
    index = 0
    while index < len(words):
        begun = _keys().get(stems[index], ())
        found = [(end, key) for key in begun if (end := _end(key, words, stems, index))]
        end = max((end for end, _ in found), default=index + 1)
        ways: dict[Way, float] = {}
        parts = {stems[index]}
        for key in (key for ends, key in found if ends == end):
            parts.update(key)
            for way, closeness in _ways()[key].items():
                ways[way] = max(closeness, ways.get(way, 0.0))
        matched = [
            word for word, root in zip(words[index:end], stems[index:end], strict=True) if root in parts
        ]
        yield " ".join(matched), tuple(sorted(ways.items(), key=lambda way: (way[1], len(way[0])))), end
        index = end


def _end(key: Way, words: Sequence[str], stems: Sequence[str], index: int) -> int:
    """The end of a key of the table that begins at `index`, perhaps with small and vague words in between; or 0."""
    for number, part in enumerate(key):
        while number and index < len(words) and stems[index] != part and words[index] in _SKIPPED:
            index += 1
        if index == len(words) or stems[index] != part:
            return 0
        index += 1
    return index


@lru_cache(maxsize=1)
def _ways() -> Mapping[Way, Mapping[Way, float]]:
    """The ways in which names write a concept, with their closeness, by the stems of the concept."""
    found: dict[Way, dict[Way, float]] = {}
    for spellings, meant in synonyms():
        for phrase in (*meant, *spellings):
            closeness = ASKED if phrase in meant else _ALTERNATIVE
            ways = found.setdefault(tuple(map(stem, phrase)), {})
            for way in spellings:
                ways[way] = max(closeness, ways.get(way, 0.0))
    return found


@lru_cache(maxsize=1)
def _keys() -> Mapping[str, Sequence[Way]]:
    """The keys of the table, by their first stem."""
    found: dict[str, list[Way]] = {}
    for key in _ways():
        found.setdefault(key[0], []).append(key)
    return found
