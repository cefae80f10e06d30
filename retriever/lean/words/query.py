"""A text in words as names are searched for it: what it asks for, piece by piece."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from retriever.lean.words.splitting import split
from retriever.lean.words.stems import stem
from retriever.lean.words.table import SMALL_WORDS, VAGUE_WORDS, lines

MOST_WORDS = 32
"""Of a longer text the rest is not looked for."""
MOST_LETTERS = 2000
"""So many characters of a text are split into words."""
SAID, WRITTEN = 0.9, 0.7
"""How close a way of the table is to what was asked for: to words behind the stroke, to another way."""
_VAGUE = 0.2
_POSSESSIVE = re.compile(r"['’]s\b")
_INNER_STROKE = re.compile(r"(?<=[^\W_])['’](?=[^\W_])")
_SKIPPED = SMALL_WORDS | VAGUE_WORDS

Way = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Concept:
    """One thing that is asked for, and the ways names may write it."""

    word: str
    """As typed, in lower case; several words of the table are joined by blanks."""
    ways: tuple[tuple[Way, float], ...]
    """The words of a way, all of which a name has to have, and how close it is (0, 1)."""
    share: float
    """What it counts for among the others: 1, or less for a vague word."""
    is_last: bool
    """Whether the text ends with it, so that it may be a word that is still being typed."""


def concepts(text: str) -> list[Concept]:
    """What a text asks for, each once, in order; of small words alone, each of them."""
    words = _words(text)
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


def _words(text: str) -> list[str]:
    """The text's words: split like names, without accents and apostrophes."""
    plain = unicodedata.normalize("NFD", _POSSESSIVE.sub("", text[:MOST_LETTERS]))
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    return split(_INNER_STROKE.sub("", plain))[:MOST_WORDS]


def _matched(words: Sequence[str]) -> Iterator[tuple[str, tuple[tuple[Way, float], ...], int]]:
    """The words from left to right, those together that the table has together: what was said, the ways
    that names write it, and the place behind it.
    """
    stems = [stem(word) for word in words]
    place = 0
    while place < len(words):
        begun = _keys().get(stems[place], ())
        found = [(end, key) for key in begun if (end := _end(key, words, stems, place))]
        end = max((end for end, _ in found), default=place + 1)
        ways: dict[Way, float] = {}
        parts = {stems[place]}
        for key in (key for ends, key in found if ends == end):
            parts.update(key)
            for way, closeness in _ways()[key].items():
                ways[way] = max(closeness, ways.get(way, 0.0))
        said = [word for word, root in zip(words[place:end], stems[place:end], strict=True) if root in parts]
        yield " ".join(said), tuple(sorted(ways.items(), key=lambda way: (way[1], len(way[0])))), end
        place = end


def _end(key: Way, words: Sequence[str], stems: Sequence[str], place: int) -> int:
    """Where a key of the table ends that begins at a place, small and vague words between its own; or 0."""
    for number, part in enumerate(key):
        while number and place < len(words) and stems[place] != part and words[place] in _SKIPPED:
            place += 1
        if place == len(words) or stems[place] != part:
            return 0
        place += 1
    return place


@lru_cache(maxsize=1)
def _ways() -> Mapping[Way, Mapping[Way, float]]:
    """The ways that names write what is asked for, by its stems, each with its closeness."""
    found: dict[Way, dict[Way, float]] = {}
    for line in lines():
        for asked in (*line.asked, *line.ways):
            closeness = SAID if asked in line.asked else WRITTEN
            ways = found.setdefault(tuple(map(stem, asked)), {})
            for way in line.ways:
                ways[way] = max(closeness, ways.get(way, 0.0))
    return found


@lru_cache(maxsize=1)
def _keys() -> Mapping[str, Sequence[Way]]:
    """What the table knows, by its first stem."""
    found: dict[str, list[Way]] = {}
    for key in _ways():
        found.setdefault(key[0], []).append(key)
    return found
