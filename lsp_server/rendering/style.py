"""Styles for text on a terminal: width and colours."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass

_NARROWEST, _WIDEST = 60, 120


@dataclass(frozen=True, slots=True)
class Style:
    """How wide the text may be (in columns) and whether it may be coloured."""

    width: int = 100
    colour: bool = False

    @classmethod
    def of_standard_output(cls) -> Style:
        """The style for standard output: colour only on a terminal, and not if NO_COLOR is set (no-color.org)."""
        is_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        columns = shutil.get_terminal_size((100, 40)).columns
        return cls(max(_NARROWEST, min(columns, _WIDEST)), sys.stdout.isatty() and not is_plain)

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
