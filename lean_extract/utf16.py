"""Conversion between UTF-16 columns, used by LSP, and code point columns, used everywhere else."""

from __future__ import annotations

from itertools import accumulate

_LAST_OF_ONE_UNIT = "\uffff"


def utf16_length(text: str) -> int:
    """The number of UTF-16 units in the text."""
    return len(text) + sum(character > _LAST_OF_ONE_UNIT for character in text)


def utf16_columns(line: str) -> list[int]:
    """The UTF-16 column of each character of a line."""
    widths = [2 if character > _LAST_OF_ONE_UNIT else 1 for character in line[:-1]]
    return list(accumulate(widths, initial=0)) if line else []


def code_point_column(line: str, utf16_column: int) -> int:
    """The code point column of a UTF-16 column; the end of the line if it lies past the end."""
    if line.isascii():
        return min(utf16_column, len(line))
    units = 0
    for column, character in enumerate(line):
        if units >= utf16_column:
            return column
        units += 2 if character > _LAST_OF_ONE_UNIT else 1
    return len(line)
