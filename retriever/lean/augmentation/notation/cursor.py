"""A statement's tokens, and a position among them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from lean_extract.syntax.keywords import TERM_WORDS
from lean_extract.syntax.lexer import is_identifier, raw_tokens
from lean_extract.syntax.operators import GLUED, NULLARY
from retriever.lean.augmentation.notation.pieces import Piece

WORDS = TERM_WORDS | {"at", "match"}


class Unreadable(Exception):
    """Notation that the table does not have."""


@dataclass(frozen=True, slots=True)
class SpacedToken:
    """A token, and whether white space stands before and behind it."""

    text: str
    is_apart: bool
    is_apart_behind: bool


class Cursor(ABC):
    """Where a reader stands; everything reads on from there, or raises Unreadable."""

    def __init__(self, tokens: Sequence[SpacedToken]) -> None:
        self.tokens = tokens
        self.at = 0
        self.has_changed = False

    @property
    def next(self) -> str:
        """The token here; empty at the end."""
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    @property
    def following(self) -> str:
        """The one behind it."""
        return self.tokens[self.at + 1].text if self.at + 1 < len(self.tokens) else ""

    def take(self, expected: str = "") -> str:
        """Step over the token here, which must be the expected one if one is named."""
        token = self.next
        if not token or (expected and token != expected):
            raise Unreadable
        self.at += 1
        return token

    def accept(self, token: str) -> bool:
        """Step over the token if it is this one; whether it was."""
        if self.next != token:
            return False
        self.at += 1
        return True

    def is_glued(self) -> bool:
        """Whether no white space stands before the token here."""
        return self.at < len(self.tokens) and not self.tokens[self.at].is_apart

    def change(self, piece: Piece) -> Piece:
        """Note that notation was taken away."""
        self.has_changed = True
        return piece

    @abstractmethod
    def term(self, least: int) -> Piece:
        """The next term, with the operators behind it that bind at least as tightly as `least`."""


def tokens_of(text: str) -> list[SpacedToken]:
    """The lexer's tokens, those that make up one symbol joined."""
    raw = raw_tokens(text)
    found: list[SpacedToken] = []
    at, is_apart = 0, True
    while at < len(raw):
        size = _glued(raw, at)
        piece = "".join(raw[at : at + size])
        plain = piece.rstrip()
        found.append(SpacedToken(plain, is_apart, piece != plain))
        is_apart = piece != plain
        at += size
    return found


def _glued(raw: Sequence[str], at: int) -> int:
    """How many raw tokens from here make up one symbol."""
    if is_identifier(raw[at]) and raw[at].rstrip() not in NULLARY:
        return 1
    for symbol in GLUED:
        text, size = "", 0
        while len(text) < len(symbol) and at + size < len(raw) and text == text.rstrip():
            text += raw[at + size]
            size += 1
        if text.rstrip() == symbol:
            return size
    return 1
