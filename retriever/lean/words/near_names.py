"""Names that differ from a typed one by a few letters. Pure and bounded.

The distance counts inserted, deleted and changed letters, and swapped neighbours (optimal string alignment); case does
not count. A name matches with as many of its last components as were typed.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice, pairwise
from typing import NamedTuple

from retriever.limits import MAX_COMPARED_NAMES, MAX_NEAR_NAME_CHARACTERS

_LETTERS_PER_EDIT, _MOST_EDITS = 5, 3
_SHORTEST = 4
"""Letters of a name for which others are near: a shorter one is near to too many."""


class NearName(NamedTuple):
    """The number of a name, and its distance; `is_same` if it is the typed one, perhaps in a namespace."""

    distance: int
    length: int
    number: int
    is_same: bool


def most_edits(typed: str) -> int:
    """The largest distance of a name that is near; 0 for a text that is too short, or too long."""
    if not _SHORTEST <= len(typed) <= MAX_NEAR_NAME_CHARACTERS:
        return 0
    return min(_MOST_EDITS, max(1, len(typed) // _LETTERS_PER_EDIT))


def pieces(typed: str) -> list[str]:
    """Parts of a typed name, in lower case, of which each near name contains one. None if no name is near."""
    edits = most_edits(typed)
    if not edits:
        return []
    low, count = typed.lower(), edits + 1
    bounds = [len(low) * number // count for number in range(count + 1)]
    return [low[start:end] for start, end in pairwise(bounds)]


def nearest(typed: str, names: Iterable[tuple[int, str]], k: int) -> list[NearName]:
    """The k nearest of some numbered names: the typed name itself, then by distance, then the shorter ones."""
    edits, low, dots = most_edits(typed), typed.lower(), typed.count(".") + 1
    ends = ((number, name, ".".join(name.rsplit(".", dots)[-dots:])) for number, name in names)
    alike = (one for one in ends if abs(len(one[2]) - len(typed)) <= edits)
    found = []
    for number, name, end in islice(alike, MAX_COMPARED_NAMES):
        distance = edit_distance(low, end.lower(), edits)
        if distance <= edits:
            found.append(NearName(distance, len(name), number, end == typed))
    return sorted(found, key=lambda one: (not one.is_same, one))[:k]


def edit_distance(one: str, other: str, most: int) -> int:
    """The distance of two texts, up to `most`; a larger number if they are farther apart."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for index, letter in enumerate(one, start=1):
        before, last, row = row, before, [index]
        for place, another in enumerate(other, start=1):
            cost = min(before[place] + 1, row[place - 1] + 1, before[place - 1] + (letter != another))
            if last and place > 1 and letter == other[place - 2] and one[index - 2] == another:
                cost = min(cost, last[place - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]
