"""Caching of results for short texts only. A cache bounds its entries, not their size, and input may be large."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

Result = TypeVar("Result")
LONGEST = 1000
"""The most characters of a text whose result is cached."""


def kept_if_short(entries: int) -> Callable[[Callable[[str], Result]], Callable[[str], Result]]:
    """Decorate a function of a text: the last `entries` results for texts up to `LONGEST` are cached."""

    def keeping(function: Callable[[str], Result]) -> Callable[[str], Result]:
        kept = lru_cache(maxsize=entries)(function)

        @wraps(function)
        def remembered(text: str) -> Result:
            return kept(text) if len(text) <= LONGEST else function(text)

        return remembered

    return keeping
