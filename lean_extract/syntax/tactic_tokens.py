"""Splits the text of a tactic into tokens as Lean does, or says that it is not certain how Lean does.

Lean's table of tokens grows with what is imported. So there are texts in which a quote opens a string in one file, and
ends a longer token in another. Where that is so, `uncertainty` says it: in all other texts, what is code for Lean is
code here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

OPEN_COMMENT, OPEN_STRING = "a comment in it is not closed", "a string in it is not closed"
_ESCAPE = r"""\\(?:[\\"'nrt]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4})"""
_TOKEN = re.compile(
    r"""(?P<comment>--[^\n]*)|(?P<block>/-)|(?P<raw>r\#*")|(?P<string>"(?:[^"\\]|\\[\s\S])*+"?)"""
    r"""|(?P<name>(?:[^\W\d]|«[^«»\n]*»)(?:[\w'!?]|\.(?=[^\W\d]|«)|«[^«»\n]*»)*+)|(?P<number>\d+)"""
    rf"""|(?P<character>'(?:[^'\\\n]|{_ESCAPE})')|(?P<image>'')"""
    r"""|(?P<open>[(\[{⟨⦃])|(?P<close>[)\]}⟩⦄])|(?P<space>\s+)|(?P<symbol>[\s\S])"""
)
_PLAIN_STRING = re.compile(rf'"(?:[^"\\{{]|{_ESCAPE}|\\\n[ \n]*)*+"')
_CHARACTER = re.compile(r"'(?:[^'\n]'|\\)")
_CERTAIN = re.compile(
    "[A-Za-z0-9_'!?.₀-₉ₐ-ₜᵢ-ᵪα-κμ-ωΑ-ΟΡΤ-Ω\u1f00-\u1ffe\u2100-\u214f\U0001d49c-\U0001d59f]*"
)
"""Names of characters that every Lean takes for part of a name."""
_BLOCK_EDGE = re.compile(r"/-|-/")
_COMMENTS = frozenset(("comment", "block"))
_APART = frozenset(("space", "comment", "block", "open", "close", "name", "number", "string", "character"))
_SEPARATORS = frozenset(",;")


class Token(NamedTuple):
    """A token: its kind, which is the name of a group of the expression above, its text and its offset."""

    kind: str
    text: str
    start: int

    @property
    def is_comment(self) -> bool:
        """Whether it is a comment of either kind."""
        return self.kind in _COMMENTS

    @property
    def is_closed(self) -> bool:
        """Whether a string or block comment ends within the text."""
        if self.kind == "block":
            return self.text.endswith("-/") and block_end(self.text, 0) == len(self.text)
        return len(self.text) > 1 and self.text.endswith('"')


def tactic_tokens(text: str) -> Iterator[Token]:
    """The tokens of a text, white space and comments included. What is not closed extends to the end."""
    position = 0
    while match := _TOKEN.match(text, position):
        kind = match.lastgroup or ""
        end = match.end()
        if kind == "block":
            end = block_end(text, position) or len(text)
        yield Token(kind, text[position:end], position)
        position = end


def block_end(text: str, start: int) -> int | None:
    """The offset after the block comment that begins at `start`; None if it is not closed."""
    depth = 0
    for edge in _BLOCK_EDGE.finditer(text, start):
        depth += 1 if edge[0] == "/-" else -1
        if depth == 0:
            return edge.end()
    return None


def uncertainty(text: str, tokens: Sequence[Token]) -> str | None:
    """Why it is not certain how Lean splits a text into tokens, other than into these; None if it is."""
    before = Token("space", "", 0)
    for token in tokens:
        problem = _uncertain(text, token, before)
        if problem is not None:
            return problem
        before = token
    return None


def _uncertain(text: str, token: Token, before: Token) -> str | None:
    is_apart = before.kind in _APART or before.text in _SEPARATORS
    match token.kind:
        case "raw":
            return "it contains a raw string"
        case "string" if not _PLAIN_STRING.fullmatch(token.text):
            return "it is not certain where a string in it ends" if token.is_closed else OPEN_STRING
        case "block" if not token.is_closed:
            return OPEN_COMMENT
        case "block" | "comment" if not is_apart or token.text.startswith(("/--", "/-!")):
            return "it is not certain where its comments begin"
        case "character" | "image" if not is_apart or before.kind in ("name", "number", "image"):
            return "it is not certain what a quote in it means"
        case "name" if _hides_a_quote(text, token):
            return "it is not certain what a quote in it means"
        case "symbol" if token.text in '«»"' or (token.text == "'" and before.kind != "symbol"):
            return "it is not certain what a quote in it means"
    return None


def _hides_a_quote(text: str, name: Token) -> bool:
    """Whether Lean may take a quote in a name for the beginning of a character, such as `'"'`."""
    if "'" not in name.text:
        return False
    certain = _CERTAIN.match(name.text)
    first = name.start + (certain.end() if certain else 0)
    return any(_CHARACTER.match(text, at) for at in range(first, name.start + len(name.text)))
