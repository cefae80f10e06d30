"""Splits names into words, at separators and at the humps of camel case; and the stems of English words.

`Real.hasDerivAt_sin` has the words real, has, deriv, at, sin; `Set.sInter` has set, s, inter; `div_le_iff₀`
has div, le, iff. It works on the UTF-8 bytes of many names at once. Queries are split by the same rules.

A stem is a word without its ending, always a prefix of the word. Names and queries use the same function, so it only
has to map the forms of a word to the same stem (`continuous`, `continuity`; `squares`, `squared`; `nonnegative`,
`nonneg`), not to find the linguistic root.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from lean_extract.common.arrays import Bools, Bytes, Int64s
from retriever.limits import CACHED_STEMS

NEWLINE = ord("\n")
_QUOTES = 0xC2
"""The first byte of « and »."""

_SMALL_WORDS = """
a an are as at be between by does each for from has have how i if in into is it its of on s
show shows so such that the their then there these this to under what when where which whose with
"""
_VAGUE_WORDS = """
all and any arbitrary corollary or
element elements equation every fact formula function functions given group groups implies
inequality itself law lemma lemmas number numbers proof property proposition prove result rule same set sets
some space spaces statement theorem theorems value
"""
SMALL_WORDS = frozenset(_SMALL_WORDS.split())
"""Words that carry no information about the query. They count less among the words of a name."""
VAGUE_WORDS = frozenset(_VAGUE_WORDS.split())
"""Words that carry little information about the query."""
_ENDINGS = {
    4: "ation ative atively ativity ating ated able ably ability ible ibly ibility ion ive ively ivity "
    "iveness ous ously ity ness edness ing ed edly ely ly es ies e y ent ence ency",
    5: "al ally ic icity ically ism ment ement",
}
"""Endings, by the number of letters that must remain. In shorter words they are often part of the root (`normal`)."""
_LEAVES = {ending: shortest for shortest, endings in _ENDINGS.items() for ending in endings.split()}
_LONGEST = max(map(len, _LEAVES))
SHORTEST_STEM = 3
"""Shorter words are stems of themselves alone."""
_NO_PLURAL = ("ss", "us", "is")
_DOUBLING = ("ing", "ed")
"""Endings before which a consonant may be doubled: mapping, mapped."""


def apart(data: bytes) -> bytes:
    """The data, valid UTF-8, with underscores in place of characters beyond ASCII that end words: of all their bytes.

    These are « and » (C2 ..), and superscripts and subscripts (E2 81 .., E2 82 .., E1 B5 ..).
    """
    found = np.frombuffer(data, dtype=np.uint8).copy()
    leads = np.flatnonzero(found >= _QUOTES)
    first, second = found[leads], found[leads + 1]
    is_raised = (first == 0xE2) & np.isin(second, (0x81, 0x82)) | (first == 0xE1) & (second == 0xB5)
    ending, raised = leads[is_raised | (first == _QUOTES)], leads[is_raised]
    found[np.concatenate([ending, ending + 1, raised + 2])] = ord("_")
    return found.tobytes()


def boundaries(data: Bytes) -> tuple[Bools, Bools]:
    """(bool[n], bool[n]): whether a byte belongs to a word, and whether it begins one.

    Args:
        data: uint8[n], as `apart` leaves it.
    """
    belongs, capital, small = (_among(table, data) for table in (_WORD, _CAPITAL, _SMALL))
    begins = belongs.copy()
    follows = capital[1:] & (~capital[:-1] | np.append(small[2:], False))
    begins[1:] &= ~belongs[:-1] | follows
    return belongs, begins


def begins_at(data: Bytes, offsets: Int64s) -> Bools:
    """bool[m]: whether a word begins at each offset in the unchanged bytes of names (uint8[n])."""
    here, before = data[offsets], data[offsets - 1]
    after = data[np.minimum(offsets + 1, len(data) - 1)]
    apart_before = ~_WORD[before] | (data[offsets - 2] == _QUOTES)
    hump = _CAPITAL[here] & (~_CAPITAL[before] | _SMALL[after])
    return np.asarray((offsets == 0) | apart_before | hump, dtype=np.bool_)


def split(text: str) -> list[str]:
    """The words of a short text, in lower case and in order."""
    raw = apart(text.encode(errors="replace"))
    data = np.frombuffer(raw, dtype=np.uint8)
    belongs, begins = boundaries(data)
    starts = np.flatnonzero(begins)
    stops = _stops(belongs, begins, starts)
    low = raw.lower()
    return [low[a:b].decode(errors="replace") for a, b in zip(starts.tolist(), stops.tolist(), strict=True)]


@lru_cache(maxsize=CACHED_STEMS)
def stem(word: str) -> str:
    """The stem of a word in lower case."""
    if word.endswith("s") and len(word) > SHORTEST_STEM and not word.endswith(_NO_PLURAL):
        word = word[:-1]
    for length in range(_LONGEST, 0, -1):
        shortest = _LEAVES.get(word[-length:])
        if shortest is not None and len(word) - length >= shortest:
            bare = word[:-length]
            is_doubled = word.endswith(_DOUBLING) and bare[-1] == bare[-2] not in "lsz"
            return bare[:-1] if is_doubled or (bare.endswith("e") and len(bare) > shortest) else bare
    return word


def _stops(belongs: Bools, begins: Bools, starts: Int64s) -> Int64s:
    """int64[m]: the ends of the words that begin at `starts`."""
    edges = np.append(np.flatnonzero(begins | ~belongs), len(belongs))
    return np.asarray(edges[np.searchsorted(edges, starts, side="right")], dtype=np.int64)


def _among(table: Bools, data: Bytes) -> Bools:
    """`table[data]`, sooner."""
    return np.frombuffer(data.tobytes().translate(table.tobytes()), dtype=np.bool_)


def _table(characters: bytes) -> Bools:
    found = np.zeros(256, dtype=np.bool_)
    found[list(characters)] = True
    return found


_CAPITAL = _table(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_SMALL = _table(b"abcdefghijklmnopqrstuvwxyz")
_WORD = _CAPITAL | _SMALL | _table(b"0123456789") | _table(bytes(range(128, 256)))
