"""Where the words of names begin and end: at separators and at humps.

`Real.hasDerivAt_sin` has the words real, has, deriv, at, sin; `Set.sInter` has set, s, inter; `div_le_iff₀`
has div, le, iff. Work is on the UTF-8 bytes of many names at once; queries are split by the same rule.
"""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]

NEWLINE = ord("\n")
_QUOTES = 0xC2
"""The first byte of « and »."""
_APART = re.compile(rb"\xc2.|\xe2[\x81\x82].|\xe1\xb5.", re.DOTALL)
"""In UTF-8 what ends a word beyond ASCII: « and », and small letters and digits above or below the line."""


def apart(data: bytes) -> bytes:
    """The same number of bytes, with underscores where characters beyond ASCII end words."""
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


def begins_at(data: Bytes, places: Ints) -> Bools:
    """bool[m]: whether words begin at places of names' bytes (uint8[n]) as they are."""
    here, before = data[places], data[places - 1]
    behind = data[np.minimum(places + 1, len(data) - 1)]
    apart_before = ~_WORD[before] | (data[places - 2] == _QUOTES)
    hump = _CAPITAL[here] & (~_CAPITAL[before] | _SMALL[behind])
    return np.asarray((places == 0) | apart_before | hump, dtype=np.bool_)


def split(text: str) -> list[str]:
    """The words of a short text in lower case, in order."""
    raw = apart(text.encode(errors="replace"))
    data = np.frombuffer(raw, dtype=np.uint8)
    belongs, begins = boundaries(data)
    starts = np.flatnonzero(begins)
    stops = _stops(belongs, begins, starts)
    low = raw.lower()
    return [low[a:b].decode(errors="replace") for a, b in zip(starts.tolist(), stops.tolist(), strict=True)]


def _stops(belongs: Bools, begins: Bools, starts: Ints) -> Ints:
    """int64[m]: where the words end that begin at `starts`."""
    edges = np.append(np.flatnonzero(begins | ~belongs), len(belongs))
    return np.asarray(edges[np.searchsorted(edges, starts, side="right")], dtype=np.int64)


def _table(characters: bytes) -> Bools:
    found = np.zeros(256, dtype=np.bool_)
    found[list(characters)] = True
    return found


_CAPITAL = _table(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_SMALL = _table(b"abcdefghijklmnopqrstuvwxyz")
_WORD = _CAPITAL | _SMALL | _table(b"0123456789") | _table(bytes(range(128, 256)))
