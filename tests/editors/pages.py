"""The code blocks of the documentation, by the heading they stand under."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs" / "editors"
PAGES = sorted(DOCS.glob("*.md"))
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block."""

    page: str
    heading: str
    language: str
    text: str


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    for fence in _FENCE.finditer(text):
        heading = [found[1] for found in _HEADING.finditer(text, 0, fence.start())][-1]
        yield Block(page.name, heading, fence[1], fence[2])


def block(page: str, heading: str, nth: int | None = None) -> str:
    """The text of the one block under a heading, or of the nth."""
    found = [one.text for one in blocks(DOCS / page) if one.heading == heading]
    if nth is not None:
        return found[nth]
    (only,) = found
    return only


def behind(text: list[str], theorem: str) -> int:
    """The line, from 1, behind the theorem's: its `sorry`."""
    (line,) = [number for number, line in enumerate(text, start=2) if theorem in line]
    return line
