"""Notices about a project: sentences for the user, each once, up to a limit."""

from __future__ import annotations

MAX_NOTICES = 50
"""The most notices about one project."""


class Notices:
    """Collects notices."""

    def __init__(self) -> None:
        self._sentences: dict[str, None] = {}
        self._more = 0

    def add(self, sentence: str) -> None:
        """Add a sentence, unless it is already there."""
        if sentence in self._sentences:
            return
        if len(self._sentences) < MAX_NOTICES:
            self._sentences[sentence] = None
        else:
            self._more += 1

    def sentences(self) -> tuple[str, ...]:
        """All notices, in order. The last one counts those above the limit."""
        more = (f"{self._more:,} more notices are not shown.",) if self._more else ()
        return (*self._sentences, *more)
