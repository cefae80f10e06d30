"""New inputs from old ones, for where there is no atheris: pieces are put in, taken out, repeated, joined."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

_BYTES = (
    b"\0",
    b"\n",
    b"\r",
    b" ",
    b'"',
    b"\\",
    b"\xff",
    b"\xed\xa0\x80",
    "«".encode(),
    "𝔸".encode(),
    b"9" * 400,
)
_MOST = 1 << 16


def mutated(random: Random, known: Sequence[bytes]) -> bytes:
    """A change or several of one of the known inputs; at most 64 kB."""
    data = random.choice(known)
    for _ in range(random.choice((1, 1, 2, 3, 8))):
        data = _changed(random, data, known)[:_MOST]
    return data


def _changed(random: Random, data: bytes, known: Sequence[bytes]) -> bytes:
    start = random.randint(0, len(data))
    stop = min(len(data), start + random.choice((1, 2, 8, 40, 400)))
    other = random.choice(known)
    begin = random.randint(0, len(other))
    piece = other[begin : begin + random.choice((1, 4, 16, 100, 1000))]
    match random.randrange(6):
        case 0:
            return data[:start] + data[stop:]
        case 1:
            return data[:start] + random.choice(_BYTES) + data[start:]
        case 2:
            return data[:start] + data[start:stop] * random.choice((2, 3, 50, 2000)) + data[stop:]
        case 3:
            return data[:start] + piece + data[start:]
        case 4:
            return data[:start] + piece + data[stop:]
        case _:
            return data[:start] + other[begin:]
