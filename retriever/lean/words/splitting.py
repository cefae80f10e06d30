"""Splits names into words, at separators and at the humps of camel case.

`Real.hasDerivAt_sin` has the words real, has, deriv, at, sin; `Set.sInter` has set, s, inter; `div_le_iff₀`
has div, le, iff. It works on the UTF-8 bytes of many names at once. Queries are split by the same rules.
"""

from __future__ import annotations

import re

import numpy as np

from lean_extract.common.arrays import Bools, Bytes, Int64s

NEWLINE = ord("\n")
_QUOTES = 0xC2
"""The first byte of « and »."""
_APART = re.compile(rb"\xc2.|\xe2[\x81\x82].|\xe1\xb5.", re.DOTALL)
"""The UTF-8 of characters beyond ASCII that end a word: « and », and superscripts and subscripts."""


def apart(data: bytes) -> bytes:
    """The data with underscores in place of characters beyond ASCII that end words. The length is unchanged."""
    return _APART.sub(lambda found: b"_" * len(found[0]), data)


def boundaries(data: Bytes) -> tuple[Bools, Bools]:
    """(bool[n], bool[n]): whether a byte belongs to a word, and whether it begins one.

    Args:
        data: uint8[n], as `apart` leaves it.
    """
    belongs, capital, small = _WORD[data], _CAPITAL[data], _SMALL[data]
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


def _stops(belongs: Bools, begins: Bools, starts: Int64s) -> Int64s:
    """int64[m]: the ends of the words that begin at `starts`."""
    edges = np.append(np.flatnonzero(begins | ~belongs), len(belongs))
    return np.asarray(edges[np.searchsorted(edges, starts, side="right")], dtype=np.int64)


def _table(characters: bytes) -> Bools:
    found = np.zeros(256, dtype=np.bool_)
    found[list(characters)] = True
    return found


_CAPITAL = _table(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_SMALL = _table(b"abcdefghijklmnopqrstuvwxyz")
_WORD = _CAPITAL | _SMALL | _table(b"0123456789") | _table(bytes(range(128, 256)))
