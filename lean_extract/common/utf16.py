"""Conversion between UTF-16 columns, used by LSP, and code point columns, used everywhere else."""

from __future__ import annotations

import re
from itertools import accumulate

_LAST_OF_ONE_UNIT = "\uffff"
_OF_TWO_UNITS = re.compile("[\U00010000-\U0010ffff]")


def utf16_length(text: str) -> int:
    """The number of UTF-16 units in the text."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def utf16_columns(line: str) -> list[int]:
    """The UTF-16 column of each character of a line."""
    widths = [2 if character > _LAST_OF_ONE_UNIT else 1 for character in line[:-1]]
    return list(accumulate(widths, initial=0)) if line else []


def code_point_column(line: str, utf16_column: int) -> int:
    """The code point column of a UTF-16 column; the end of the line if it lies past the end."""
    if utf16_length(line) == len(line):
        return min(utf16_column, len(line))
    wide = after = 0
    for match in _OF_TWO_UNITS.finditer(line, 0, utf16_column):
        if match.start() + wide >= utf16_column:
            break
        wide, after = wide + 1, match.end()
    return min(max(utf16_column - wide, after), len(line))
