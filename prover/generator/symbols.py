"""ByT5's alphabet: UTF-8 bytes, a few special symbols, and spare ones that serve as pointers to premises."""

from __future__ import annotations

from collections.abc import Sequence

PAD, END, UNKNOWN = 0, 1, 2
FIRST_BYTE = 3
FIRST_EXTRA = 259
"""The first of the 125 symbols beyond the bytes (`<extra_id_0>`)."""
SIZE = 384


def byte_symbols(text: str) -> list[int]:
    """The symbols of a text: each byte plus 3."""
    return [byte + FIRST_BYTE for byte in text.encode("utf-8", "surrogatepass")]


def text_of(symbols: Sequence[int]) -> str | None:
    """The text of byte symbols; None if they are not bytes or not valid UTF-8."""
    if any(not FIRST_BYTE <= symbol < FIRST_EXTRA for symbol in symbols):
        return None
    try:
        return bytes(symbol - FIRST_BYTE for symbol in symbols).decode("utf-8")
    except UnicodeDecodeError:
        return None
