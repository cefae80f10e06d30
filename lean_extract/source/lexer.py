"""Lean text into tokens: one compiled expression over the whole text.

A raw token keeps the white space behind it, so the raw tokens rejoin to the text and their lengths sum
to offsets. Comments are dropped, doc comments are kept; nothing here raises, whatever the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from lean_extract.records import Position, Span
from lean_extract.source.layout import Brackets, Lines

_START = (
    r"A-Za-z_\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f\u0391-\u039f\u03a1\u03a2\u03a4-\u03a9"
    r"\u03b1-\u03ba\u03bc-\u03fb\u1f00-\u1ffe\u2100-\u214f\U0001d49c-\U0001d59f"
)
_REST = _START + r"0-9'!?\u2080-\u2089\u2090-\u209c\u1d62-\u1d6a\u2c7c"
_ATOM = rf"(?:[{_START}][{_REST}]*+|«[^»\n]*+»)"
IDENTIFIER = rf"{_ATOM}(?:\.{_ATOM})*+"


def _comment(depth: int) -> str:
    """A block comment with up to `depth` levels inside it; deeper ones are closed by `_comment_end`."""
    inner = f"|{_comment(depth - 1)}" if depth else ""
    return rf"/-(?>(?:[^-/]++|-(?!/)|/(?!-){inner})*)-/"


# Atomic groups where `(...)*+` would say the same: Python before 3.11.5 gets that wrong (gh-106052).
_STRING = r'"(?>(?:[^"\\]++|\\[\s\S])*)"'
_RAW_STRING = "|".join(rf'r{"#" * n}"(?>(?:[^"]++|"(?!{"#" * n}))*)"{"#" * n}' for n in (3, 2, 1))
_RAW_STRING = rf'{_RAW_STRING}|r"[^"]*+"'
_CHARACTER = r"'(?:\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[^xu])|[^\\'\n])'"
_NUMBER = r"0[xX][0-9a-fA-F]++|0[bB][01]++|\d++(?:\.\d++)?(?:[eE][+-]?\d++)?"
_OPERATOR = (
    r"<;>|<\|>|<\|(?!\|)|\|>|:=|=>|::|\.\.\.?|<->|<-|->|!=|==|<=|>=|&&|\|\||\+\+|\\/|/\\"
    r"|@\[|#\[|\.\{|⁻¹'?|[→≃][*+ₗₐₜᵢₙᵐₛᵤ₀-₉]++"
)
_TOKEN = re.compile(
    rf"(?:{_RAW_STRING}|(?:Type|Sort)\*|{IDENTIFIER}|--[^\n]*+|{_comment(3)}|/-|{_STRING}|''"
    rf"|{_CHARACTER}|{_NUMBER}"
    rf"|\.\d++|\.{IDENTIFIER}|{_OPERATOR}|``?{IDENTIFIER}|\s|\S)\s*+"
)
_IDENTIFIER = re.compile(IDENTIFIER)
_START_RANGES = re.findall(r"(.)(?:-(.))?", _START.encode().decode("unicode_escape"))
NAME_STARTS = frozenset(
    chr(code) for low, high in _START_RANGES for code in range(ord(low), ord(high or low) + 1)
) | {"«"}
"""What an identifier begins with; hot loops look here themselves, `is_identifier` being a call."""
_COMMENT_EDGE = re.compile(r"/-|-/")
_COMMENT_OR_STRING = re.compile(rf"({_RAW_STRING}|{_STRING})|--[^\n]*+|{_comment(3)}")
_LINE = re.compile(r"\n")
_LEAVE_OPEN = frozenset(("sorry", "admit"))
_DROPPED = frozenset(("--", "/-", ""))
_OPENS_STRING = re.compile(r'(?:r#*)?"')


def is_identifier(token: str) -> bool:
    """Whether a token is an identifier or a word-like keyword (`fun`, `Nat.add`, `«a b»`)."""
    return token[:1] in NAME_STARTS


def is_plain_name(text: str) -> bool:
    """Whether the whole text is one (dotted) identifier."""
    return _IDENTIFIER.fullmatch(text) is not None


def raw_tokens(text: str) -> list[str]:
    """Tokens with the white space behind them; `"".join(raw_tokens(text)) == text`."""
    return _split(text)[0]


def _split(text: str) -> tuple[list[str], list[str]]:
    """The raw tokens, and the same without white space."""
    raw: list[str] = _TOKEN.findall(text)
    texts = list(map(str.rstrip, raw))
    if "/-" in texts:
        raw = _with_deep_comments(text)
        texts = list(map(str.rstrip, raw))
    return raw, texts


def _with_deep_comments(text: str) -> list[str]:
    """As `raw_tokens`, where a comment nests deeper than the expression goes, or never ends."""
    tokens: list[str] = []
    offset = 0
    while offset < len(text):
        match = _TOKEN.match(text, offset)
        if match is None:  # cannot be: the last alternative takes any character
            break
        end = match.end()
        if match[0].rstrip() == "/-":
            end = _comment_end(text, offset)
        tokens.append(text[offset:end])
        offset = end
    return tokens


def _comment_end(text: str, start: int) -> int:
    depth = 0
    offset = start
    while match := _COMMENT_EDGE.search(text, offset):
        depth += 1 if match[0] == "/-" else -1
        offset = match.end()
        if depth == 0:
            return offset
    return len(text)


@dataclass
class Tokens:
    """The tokens of a text (comments left out, doc comments kept), each with its offset."""

    text: str
    texts: list[str]
    starts: list[int]
    line_first: list[int]
    """Indices of the tokens that come first on their line, ascending."""
    has_comments: bool
    _line_offsets: list[int] = field(default_factory=list)

    def end(self, index: int) -> int:
        """The offset behind a token."""
        return self.starts[index] + len(self.texts[index])

    def column(self, index: int) -> int:
        """The column of a token, from 0, in code points."""
        start, lines = self.starts[index], self.line_offsets()
        return start - lines[bisect_right(lines, start) - 1]

    def is_first(self, index: int) -> bool:
        """Whether the token is the first on its line."""
        place = bisect_left(self.line_first, index)
        return place < len(self.line_first) and self.line_first[place] == index

    def firsts(self, begin: int, end: int) -> list[int]:
        """The tokens of [begin, end) that come first on their lines."""
        return self.line_first[bisect_left(self.line_first, begin) : bisect_left(self.line_first, end)]

    def has_sorry(self, begin: int, end: int) -> bool:
        """Whether one of the tokens [begin, end) is a `sorry` or `admit`."""
        return bisect_left(self.sorries, begin) < bisect_left(self.sorries, end)

    @cached_property
    def sorries(self) -> list[int]:
        """The tokens that leave a proof open, ascending."""
        return [index for index, token in enumerate(self.texts) if token in _LEAVE_OPEN]

    @cached_property
    def brackets(self) -> Brackets:
        """Which bracket closes which."""
        return Brackets(self.texts)

    @cached_property
    def lines(self) -> Lines:
        """The lines by the columns that they begin at."""
        return Lines(self.line_first, list(map(self.column, self.line_first)))

    def source(self, begin: int, end: int) -> str:
        """The text of the tokens [begin, end), white space folded and comments dropped."""
        if begin >= end:
            return ""
        piece = self.text[self.starts[begin] : self.starts[end - 1] + len(self.texts[end - 1])]
        if self.has_comments and ("--" in piece or "/-" in piece):
            piece = _COMMENT_OR_STRING.sub(lambda match: match[1] or " ", piece)
        return " ".join(piece.split())

    def position(self, offset: int) -> Position:
        """The line and column of an offset."""
        lines = self.line_offsets()
        line = bisect_right(lines, offset) - 1
        return Position(line, offset - lines[line])

    def line_offsets(self) -> list[int]:
        """Where the lines begin."""
        if not self._line_offsets:
            self._line_offsets = [0, *[match.end() for match in _LINE.finditer(self.text)]]
        return self._line_offsets

    def span(self, begin: int, end: int) -> Span:
        """Where the tokens [begin, end) stand; `begin < end`."""
        lines, start = self.line_offsets(), self.starts[begin]
        behind = self.starts[end - 1] + len(self.texts[end - 1])
        first = bisect_right(lines, start) - 1
        last = bisect_right(lines, behind, first) - 1
        return Span(Position(first, start - lines[first]), Position(last, behind - lines[last]))


def _is_dropped(token: str) -> bool:
    return token[:2] in _DROPPED and not (token.startswith("/--") and token != "/--/")


def tokenize(text: str) -> Tokens:
    """Every token of the text but comments; never raises."""
    raw, texts = _split(text)
    starts = list(accumulate(map(len, raw), initial=0))
    starts.pop()
    breaks = [index for index, token in enumerate(raw) if "\n" in token]
    dropped = [i for i, token in enumerate(texts) if token[:2] in _DROPPED and _is_dropped(token)]
    if not dropped:
        return Tokens(text, texts, starts, _line_first(breaks, [], len(texts)), False)
    kept_texts: list[str] = []
    kept_starts: list[int] = []
    previous = 0
    for index in dropped:
        kept_texts += texts[previous:index]
        kept_starts += starts[previous:index]
        previous = index + 1
    kept_texts += texts[previous:]
    kept_starts += starts[previous:]
    return Tokens(text, kept_texts, kept_starts, _line_first(breaks, dropped, len(kept_texts)), True)


def _line_first(breaks: list[int], dropped: list[int], count: int) -> list[int]:
    """Indices, after dropping, of the tokens behind a line break.

    A block comment that holds a line break also makes its follower "first": where that one truly
    stands behind the comment on the same line, its column says so.
    """
    firsts = [0] if count else []
    gone = 0
    for index in breaks:
        while gone < len(dropped) and dropped[gone] <= index:
            gone += 1
        first = index + 1 - gone
        if 0 < first < count and first != firsts[-1]:
            firsts.append(first)
    return firsts


def unread_at(text: str, offset: int) -> str:
    """`comment` or `string` where an offset lies in one, else empty; time is linear in the text's length.

    The mark that opens a comment is in it, and so is the end of its line for one that ends there.
    """
    start = 0
    for token in raw_tokens(text):
        if offset < start + len(token) or start + len(token) == len(text):
            return _unread(token, offset - start)
        start += len(token)
    return ""


def _unread(token: str, offset: int) -> str:
    """The same within a raw token."""
    if token.startswith("--"):
        return "comment" if "\n" not in token[:offset] else ""
    bare = token.rstrip()
    if token.startswith("/-"):
        return "comment" if offset < len(bare) or not bare.endswith("-/") else ""
    return "string" if _OPENS_STRING.match(bare) and 0 < offset < len(bare) else ""


def comment_left_open(text: str, tokens: Tokens) -> bool:
    """Whether the text ends inside a block comment."""
    last = tokens.end(len(tokens.texts) - 1) if tokens.texts else 0
    rest = text.find("/-", last)
    return rest >= 0 and _comment_end(text, rest) == len(text) and not text.rstrip().endswith("-/")
