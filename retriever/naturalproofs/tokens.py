"""What classical models read of a statement: title and contents (appendix B), as tokens."""

from __future__ import annotations

import re
from itertools import pairwise

from retriever.naturalproofs.schema import Statement

_PIECE = re.compile(r"\\?[A-Za-z]+|[^\sA-Za-z]")
_WORD = re.compile(r"(?u)\b\w\w+\b")
_LINK = re.compile(r"\[\[(?:[^\]|]*\|)?([^\]]*)\]\]")


def text_of(statement: Statement) -> str:
    """Title and contents, without the marks of links."""
    return without_links("\n".join((statement.title, *statement.contents)))


def without_links(text: str) -> str:
    """A link `[[page|words]]` that contents still have is shown as its words."""
    return _LINK.sub(r"\1", text)


def pieces(text: str) -> list[str]:
    """Words, LaTeX commands, and every other character, in lower case.

    The authors' TF-IDF reads the word pieces of bert-base-cased, whose vocabulary is not ours to have. This
    comes within a point of it: letters make words, and a digit, bracket or dollar sign stands for itself.
    """
    return _PIECE.findall(text.lower())


def words(text: str) -> list[str]:
    """Runs of two or more letters, digits and underscores, in lower case: prose and names of commands."""
    return _WORD.findall(text.lower())


def words_and_pairs(text: str) -> list[str]:
    """`words`, and every two of them that follow each other."""
    single = words(text)
    return single + [f"{first} {second}" for first, second in pairwise(single)]
