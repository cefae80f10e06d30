"""Caches in memory: a thread-safe LRU cache, and one of results for short texts.

A cache bounds its entries, not their size, and input may be large."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from functools import lru_cache, wraps
from typing import Generic, TypeVar

from cachetools import LRUCache

from lean_extract.limits import MAX_CACHED_CHARACTERS

_Value = TypeVar("_Value")


class Cache(Generic[_Value]):
    """At most `size` values by key. The least recently used value is dropped first. Thread-safe."""

    def __init__(self, size: int) -> None:
        self._values: LRUCache[Hashable, _Value] = LRUCache(size)
        self._lock = threading.Lock()  # LRUCache is not thread-safe, and even a lookup reorders the keys

    def get(self, key: Hashable) -> _Value | None:
        """The value, now the most recently used, or None."""
        with self._lock:
            return self._values.get(key)

    def put(self, key: Hashable, value: _Value) -> None:
        """Store a value."""
        with self._lock:
            self._values[key] = value

    def get_or_make(self, key: Hashable, make: Callable[[], _Value]) -> _Value:
        """The value, computed with `make` if it is missing. Two threads may compute it at the same time."""
        found = self.get(key)
        if found is None:
            found = make()
            self.put(key, found)
        return found

    def clear(self) -> None:
        """Remove all values."""
        with self._lock:
            self._values.clear()


_Result = TypeVar("_Result")


def kept_if_short(entries: int) -> Callable[[Callable[[str], _Result]], Callable[[str], _Result]]:
    """Decorate a function of a text: the last `entries` results for texts up to `MAX_CACHED_CHARACTERS` are cached."""

    def keeping(function: Callable[[str], _Result]) -> Callable[[str], _Result]:
        kept = lru_cache(maxsize=entries)(function)

        @wraps(function)
        def remembered(text: str) -> _Result:
            return kept(text) if len(text) <= MAX_CACHED_CHARACTERS else function(text)

        return remembered

    return keeping
