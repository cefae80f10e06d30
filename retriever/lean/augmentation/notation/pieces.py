"""Translated parts of a statement, and how they are put together."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Tightness(IntEnum):
    """What a piece of text may stand in without parentheses."""

    LOOSE = 0
    """Only at the end: `fun x ↦ e`, `a → b`."""
    APPLICATION = 1
    ATOM = 2


@dataclass(frozen=True, slots=True)
class Piece:
    """A translated subterm."""

    text: str
    tightness: Tightness

    @property
    def argument(self) -> str:
        """As an argument of an application."""
        return self.text if self.tightness is Tightness.ATOM else f"({self.text})"

    @property
    def operand(self) -> str:
        """As what stands left of an arrow."""
        return f"({self.text})" if self.tightness is Tightness.LOOSE else self.text


@dataclass(frozen=True, slots=True)
class Variable:
    """One bound name: `x`, `x : T` or `x ∈ s` (then `bound` is the condition, translated)."""

    name: str
    type: str = ""
    bound: str = ""
    collection: str = ""
    """The set of `x ∈ s`, as an argument."""

    @property
    def written(self) -> str:
        """As behind `fun`."""
        return f"({self.name} : {self.type})" if self.type else self.name


def apply(function: str, *arguments: Piece) -> Piece:
    """`function a b`; a `fun` that comes last needs no parentheses."""
    *first, last = arguments
    opens = last.text.startswith("fun ")
    texts = [function, *(each.argument for each in first), last.text if opens else last.argument]
    return Piece(" ".join(texts), Tightness.LOOSE if opens else Tightness.APPLICATION)


def bind(function: str, variable: Variable, body: Piece) -> Piece:
    """`function fun x ↦ body`."""
    return Piece(f"{function} fun {variable.written} ↦ {body.text}", Tightness.LOOSE)
