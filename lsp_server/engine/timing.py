"""Measures the parts of one request."""

from __future__ import annotations

import time
from collections.abc import Callable

Clock = Callable[[], float]


class Timer:
    """Milliseconds of the named parts of one request, and of the whole."""

    def __init__(self, clock: Clock = time.perf_counter) -> None:
        self._clock = clock
        self._start = self._last = clock()
        self.parts: dict[str, float] = {}

    def lap(self, name: str) -> None:
        """The part that ends here, counted from the last lap."""
        now = self._clock()
        self.parts[name] = round(1000 * (now - self._last), 1)
        self._last = now

    def skip(self) -> None:
        """Do not count the time since the last lap."""
        self._last = self._clock()

    def total(self) -> dict[str, float]:
        """All parts, and `total`."""
        return {**self.parts, "total": round(1000 * (self._clock() - self._start), 1)}
