"""Doc strings as text for people: plain words instead of Markdown, and their sentences. Pure, in linear time."""

from __future__ import annotations

import re

_LINK = re.compile(r"\[([^\[\]\n]{1,300})\]\([^()\s]{0,1000}\)")
_MARKS = re.compile(r"`+|\*\*+|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)|^\s{0,3}#{1,6}\s", re.MULTILINE)
_FORMULA_OR_CODE = re.compile(r"`[^`\n]*`|\$[^$\n]*\$")
_SENTENCE_END = re.compile(r"[.!?][)\"*_]{0,3}\s+(?=[^\sa-z])")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|cf|resp|viz|vs|Thm|Prop|Lem|Def|Sect?|pp?)\Z", re.IGNORECASE)
_BLOCK_END = re.compile(r"\n\s*\n|\n(?=\s*(?:[*+-]|\d+[.)]|#+|```)\s)|\n(?=\s*```)")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]+")
_LONGEST_ABBREVIATION = 8
_READ = 2000
"""Characters of a doc string in which its first sentence ends."""


def first_sentence(doc: str, length: int) -> str:
    """The first sentence of a doc string on one line, without Markdown's marks; at most `length` characters.

    Formulas, and HTML, are left as they are written.
    """
    text = doc[:_READ].strip()
    block = _BLOCK_END.split(text, maxsplit=1)[0]
    line = plain(sentences(block)[0])
    if len(line) <= length:
        return line
    return f"{line[: length - 1].rsplit(maxsplit=1)[0]}…"


def plain(text: str) -> str:
    """A text on one line, without the marks of Markdown, and without characters that control a terminal."""
    return " ".join(_CONTROL.sub(" ", _MARKS.sub("", _LINK.sub(r"\1", text))).split())


def sentences(text: str) -> list[str]:
    """The sentences of a paragraph, at least one. A full stop in code or in a formula ends none."""
    text = text.strip()
    hidden = _FORMULA_OR_CODE.sub(lambda found: "X" * len(found[0]), text)
    found: list[str] = []
    start = 0
    for match in _SENTENCE_END.finditer(hidden):
        before = max(start, match.start() - _LONGEST_ABBREVIATION)
        if not _ABBREVIATION.search(hidden, before, match.start()):
            found.append(text[start : match.end()].rstrip())
            start = match.end()
    return [*found, text[start:]]
