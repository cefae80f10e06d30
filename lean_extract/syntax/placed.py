"""Tokens with their places in a text, and the texts of syntax nodes made of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lean_extract.syntax.terms import SyntaxNode


class PlacedToken(NamedTuple):
    """A token, and the code points [start, end) of a text that it stands for."""

    text: str
    start: int
    end: int


class TextRange(NamedTuple):
    """The code points [start, end) of a text."""

    start: int
    end: int


def range_of(node: SyntaxNode, tokens: Sequence[PlacedToken]) -> TextRange:
    """The range of a node that was made of these tokens; it is not an unread one."""
    return TextRange(tokens[node.start].start, tokens[node.end - 1].end)
