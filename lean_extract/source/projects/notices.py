"""What is to be told of a project: sentences, each once, and not endlessly many."""

from __future__ import annotations

MAX_NOTICES = 50
"""Sentences that are told of one project."""


class Notices:
    """Collects sentences."""

    def __init__(self) -> None:
        self._sentences: dict[str, None] = {}
        self._more = 0

    def add(self, sentence: str) -> None:
        """Take in a sentence; one that is known already counts once."""
        if sentence in self._sentences:
            return
        if len(self._sentences) < MAX_NOTICES:
            self._sentences[sentence] = None
        else:
            self._more += 1

    def sentences(self) -> tuple[str, ...]:
        """All of them, in order; what was too much is counted in the last."""
        more = (f"There is more of this: {self._more:,} further notes.",) if self._more else ()
        return (*self._sentences, *more)
