"""Logging to standard error: one line per message, with limited repetition."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_KINDS = 256


class OneLine(logging.Formatter):
    """Escapes control characters, so that a client's text cannot look like another line."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        """The line without a traceback."""
        record.message = escaped(record.message)
        return super().formatMessage(record)


def escaped(text: str) -> str:
    """The text on one line, without terminal control characters."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


class Seldom(logging.Filter):
    """Passes the same warning a few times per period, then reports how many were dropped."""

    def __init__(
        self, most: int = 5, seconds: float = 60.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__()
        self._most, self._seconds, self._clock = most, seconds, clock
        self._seen: dict[tuple[str, int, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to write the record. Levels below warning were requested, and are always written."""
        if record.levelno < logging.WARNING:
            return True
        key = (record.pathname, record.lineno, str(record.msg)[:80])
        now = self._clock()
        began, count = self._seen.get(key, (now, 0))
        if now - began > self._seconds:
            if count > self._most:
                record.msg = f"{record.getMessage()} ({count - self._most:,} more were left out before)"
                record.args = None
            began, count = now, 0
        if key not in self._seen and len(self._seen) >= _KINDS:
            self._seen.clear()
        self._seen[key] = (began, count + 1)
        return count < self._most
