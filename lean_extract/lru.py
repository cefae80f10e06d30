"""A cache of the values that were used last, over cachetools, for several threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from cachetools import LRUCache

Value = TypeVar("Value")


class Cache(Generic[Value]):
    """At most `size` values by key; the one used longest ago makes room. Safe to use from several threads."""

    def __init__(self, size: int) -> None:
        self._values: LRUCache[Hashable, Value] = LRUCache(size)
        self._lock = threading.Lock()  # LRUCache has none, and even its reading moves keys

    def get(self, key: Hashable) -> Value | None:
        """The value, which then counts as just used, or None."""
        with self._lock:
            return self._values.get(key)

    def put(self, key: Hashable, value: Value) -> None:
        """Keep a value."""
        with self._lock:
            self._values[key] = value

    def get_or_make(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value, made if it is not there; two threads may both make it."""
        found = self.get(key)
        if found is None:
            found = make()
            self.put(key, found)
        return found

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._values.clear()
