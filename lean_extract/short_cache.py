"""Results kept for short texts only: a cache counts entries, and texts of strangers may be large."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

Result = TypeVar("Result")
LONGEST = 1000
"""Characters of a text whose result is kept."""


def kept_if_short(entries: int) -> Callable[[Callable[[str], Result]], Callable[[str], Result]]:
    """A function of a text that remembers so many of its results, those for texts up to `LONGEST`."""

    def keeping(function: Callable[[str], Result]) -> Callable[[str], Result]:
        kept = lru_cache(maxsize=entries)(function)

        @wraps(function)
        def remembered(text: str) -> Result:
            return kept(text) if len(text) <= LONGEST else function(text)

        return remembered

    return keeping
