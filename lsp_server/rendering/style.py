"""Styles for text on a terminal: width and colours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO

_NARROWEST, _WIDEST = 60, 120


@dataclass(frozen=True, slots=True)
class Style:
    """How wide the text may be (in columns) and whether it may be coloured."""

    width: int = 100
    colour: bool = False

    @classmethod
    def of(cls, stream: TextIO, environment: Mapping[str, str], columns: int) -> Style:
        """The style for a stream: colour only on a terminal, and not if NO_COLOR is set (no-color.org)."""
        colour = stream.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"
        return cls(max(_NARROWEST, min(columns, _WIDEST)), colour)

    def bold(self, text: str) -> str:
        """A heading or a name."""
        return self._paint("1", text)

    def dim(self, text: str) -> str:
        """Secondary text."""
        return self._paint("2", text)

    def good(self, text: str) -> str:
        """A success."""
        return self._paint("32", text)

    def caution(self, text: str) -> str:
        """A warning."""
        return self._paint("33", text)

    def _paint(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour else text
