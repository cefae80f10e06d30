"""What printers of terms put together: texts with how tightly they bind, and copies of what stays as it is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from lean_extract.syntax.operators import MAX
from lean_extract.syntax.statement_syntax import Word, read_all_words
from lean_extract.syntax.terms import SyntaxNode

ATOM = MAX + 1
"""The precedence of names and brackets, which fields and postfix operators may follow."""
APPLICATION = MAX - 1
"""The precedence of an application."""
LOOSE = 0
"""The precedence of what may only be at the end of a term: `fun x ↦ e`, `a → b`."""


class Piece(NamedTuple):
    """A term's text, and the precedence of its outermost operator.

    `is_open`: the text ends with the body of a binder, which would extend over what follows.
    """

    text: str
    precedence: int = ATOM
    is_open: bool = False

    def at(self, least: int) -> str:
        """The text as an operand whose operators have at least this precedence, in brackets if they have not."""
        return f"({self.text})" if self.is_open or self.precedence < least else self.text

    def last(self, least: int) -> str:
        """The same for an operand after which the term ends: a binder needs no brackets there."""
        is_binder = self.is_open and self.precedence == LOOSE
        return self.text if is_binder or self.precedence >= least else f"({self.text})"

    @property
    def argument(self) -> str:
        """The text as an argument."""
        return self.at(MAX)


def applied(function: str, *arguments: Piece) -> Piece:
    """`function a b`; a `fun` that comes last needs no brackets."""
    *first, last = arguments
    opens = last.text.startswith("fun ")
    texts = [function, *(each.argument for each in first), last.text if opens else last.argument]
    return Piece(" ".join(texts), LOOSE if opens else APPLICATION)


class TermCopy(ABC):
    """A text that is copied, in which some terms are written anew.

    Args:
        words: of the text.
        depth: how deep the text is nested in binders.
    """

    def __init__(self, words: Sequence[Word], depth: int = 0) -> None:
        self.words, self.depth = words, depth

    @abstractmethod
    def term(self, node: SyntaxNode) -> str:
        """The text of one of the terms."""

    def text(self) -> str:
        """All terms, and the words between them."""
        parts: list[str] = []
        at = 0
        for node in read_all_words(self.words):
            parts += [self.plain(at, node.start), self.term(node), self.words[node.end - 1].space]
            at = node.end
        return "".join([*parts, self.plain(at, len(self.words))]).strip()

    def plain(self, begin: int, end: int) -> str:
        """The words [begin, end), with the white space after them."""
        return "".join([text + space for text, space in self.words[begin:end]])

    def joined(self, node: SyntaxNode, texts: Sequence[str]) -> str:
        """The text of a node with these texts for its parts."""
        parts: list[str] = []
        at = node.start
        for part, text in zip(node.parts, texts, strict=True):
            if part.end > part.start:
                if part.start > at:
                    parts.append(self.plain(at, part.start))
                parts += [text, self.words[part.end - 1].space]
                at = part.end
        return "".join([*parts, self.plain(at, node.end)]).rstrip()
