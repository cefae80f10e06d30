"""What classical models read of a statement: title and contents (appendix B), as tokens."""

from __future__ import annotations

import re
from itertools import pairwise

_PIECE = re.compile(r"\\?[A-Za-z]+|[^\sA-Za-z]")
_WORD = re.compile(r"(?u)\b\w\w+\b")


def without_links(text: str) -> str:
    """A link `[[page|words]]` that contents still have is shown as its words."""
    parts: list[str] = []
    done = at = 0
    while (start := text.find("[[", at)) >= 0:
        stop = text.find("]", start)
        if stop < 0:
            break
        at = stop + 1
        if text.startswith("]]", stop):  # else nothing that opens before this bracket is a link
            page, bar, shown = text[start + 2 : stop].partition("|")
            parts += (text[done:start], shown if bar else page)
            done = at = stop + 2
    return "".join(parts) + text[done:]


def pieces(text: str) -> list[str]:
    """Words, LaTeX commands, and every other character, in lower case.

    The authors' TF-IDF reads the word pieces of bert-base-cased, whose vocabulary is not ours to have. This
    comes within a point of it: letters make words, and a digit, bracket or dollar sign is a token.
    """
    return _PIECE.findall(text.lower())


def words(text: str) -> list[str]:
    """Runs of two or more letters, digits and underscores, in lower case: prose and names of commands."""
    return _WORD.findall(text.lower())


def words_and_pairs(text: str) -> list[str]:
    """`words`, and every two of them that follow each other."""
    single = words(text)
    return single + [f"{first} {second}" for first, second in pairwise(single)]
