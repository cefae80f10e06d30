"""Inaccessible names: `x✝`, `x✝¹`, as Lean prints names that cannot be written in source text."""

from __future__ import annotations

import re

DAGGER = "✝"
SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
MARK = f"{DAGGER}[{SUPERSCRIPTS}]*"
"""The mark after a name, as a regular expression."""
_MARK = re.compile(MARK)


def without_marks(text: str) -> str:
    """A name or a text without the marks of inaccessible names."""
    return _MARK.sub("", text) if DAGGER in text else text
