"""Texts of terms with how tightly they bind, from which printers put together larger terms."""

from __future__ import annotations

from typing import NamedTuple

from lean_extract.syntax.operators import MAX

ATOM = MAX + 1
"""The precedence of names and brackets, which fields and postfix operators may follow."""
APPLICATION = MAX - 1
"""The precedence of an application."""
LOOSE = 0
"""The precedence of what may stand at the end of a term only: `fun x ↦ e`, `a → b`."""


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
