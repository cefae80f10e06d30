"""Splits Lean text into tokens, with one regular expression applied to one window of the text at a time.

A raw token includes the white space after it, so the raw tokens join to the text and their lengths add up to
offsets. Comments are dropped and doc comments are kept. No text raises an error.

Time is linear in the length of the text. No single match of the expression reads much more than a window, so
that other threads can run in between.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, chain

from lean_extract.common.cancellation import check_cancelled
from lean_extract.records import Position, Span
from lean_extract.syntax.layout import Brackets, Lines
from lean_extract.syntax.token_grammar import IDENTIFIER, LONGEST_QUOTED, OPENERS, lexing
from lean_extract.syntax.token_grammar import NAME_STARTS as NAME_STARTS

_WHOLE = lexing(OPENERS)
_OPENING = re.compile(r'/-|(?:r#{0,3})?"')
_OPENING_LETTERS = frozenset('/r"')
_WINDOW = 1 << 15
"""Characters that are matched at once."""
_AFTER_LONG = 1 << 9
"""The size of the window after a comment or string that ended outside its window: another may follow soon."""
_REACH = LONGEST_QUOTED + 16
_IDENTIFIER = re.compile(IDENTIFIER)
_COMMENT_EDGE = re.compile(r"/-|-/")
_LINE = re.compile(r"\n")
_STRING_EDGE = re.compile(r'\\[\s\S]?|"')
_VISIBLE = re.compile(r"\S")
LEAVE_OPEN = frozenset(("sorry", "admit"))
"""The words that leave a proof open."""
_COMMENTS = frozenset(("--", "/-", ""))
"""The first characters of comments. White space before the first token counts as a comment."""
_OPENS_STRING = re.compile(r'(?:r#*)?"')


def is_identifier(token: str) -> bool:
    """Whether a token is an identifier, or a keyword that looks like one (`fun`, `Nat.add`, `«a b»`)."""
    return token[:1] in NAME_STARTS


def is_plain_name(text: str) -> bool:
    """Whether the whole text is one identifier, with or without dots."""
    return _IDENTIFIER.fullmatch(text) is not None


def raw_tokens(text: str) -> list[str]:
    """The tokens with the white space after them; `"".join(raw_tokens(text)) == text`."""
    if len(text) <= _WINDOW:
        found: list[str] = _WHOLE.findall(text)
        if not found or found[-1][0] not in _OPENING_LETTERS:
            return found
    return list(chain.from_iterable(token_runs(text)))


def token_runs(text: str, window: int = _WINDOW) -> Iterator[list[str]]:
    """The raw tokens, several thousand at a time. The window size does not affect the result.

    Tokens near the end of a window are lexed again at the start of the next one. A token as long as a window
    doubles the size of the next one. If a string is not closed, no later quote of its kind closes anything. Its
    first character is then a token like any other, and the rest is lexed without that kind of string. Raises
    Cancelled.
    """
    openers, start, size = OPENERS, 0, window
    while start < len(text):
        check_cancelled()
        end = min(start + size, len(text))
        found: list[str] = lexing(openers).findall(text, start, end)
        start = end - sum(map(len, _unsure(found, end == len(text), openers)))
        if found:
            yield found
        size = min(2 * size, window) if found else 2 * size
        opener = _opener(text, start, openers) if not found or end == len(text) else ""
        if not opener:
            continue
        size = min(_AFTER_LONG, window)
        if after := _end_of(text, start, opener):
            yield [text[start:after]]
            start = after
        else:
            openers -= {opener}


def _unsure(found: list[str], is_last: bool, openers: frozenset[str]) -> list[str]:
    """Remove and return the tokens at the end of a window that more text could change."""
    if is_last:
        return [found.pop()] if _opener(found[-1], 0, openers) else []
    taken: list[str] = []
    length = 0
    while found and length < _REACH:
        taken.append(found.pop())
        length += len(taken[-1])
    return taken


def _opener(text: str, start: int, openers: frozenset[str]) -> str:
    """The mark that opens a string or comment at `start`; empty if there is none."""
    opened = _OPENING.match(text, start)
    return opened[0] if opened and opened[0] in openers else ""


def _end_of(text: str, start: int, opener: str) -> int:
    """The offset after a string or comment and the white space that follows it; 0 if a string is not closed.

    A comment that is not closed extends to the end of the text. Other threads can run while a long one is read.
    """
    if opener == "/-":
        end = _closed_comment(text, start) or len(text)
    elif opener == '"':
        edges = _STRING_EDGE.finditer(text, start + 1)
        end = next((edge.end() for edge in edges if edge[0] == '"'), 0)
    else:
        closing = '"' + opener[1:-1]
        end = text.find(closing, start + len(opener)) + len(closing)
        end = 0 if end < len(closing) else end
    if not end:
        return 0
    visible = _VISIBLE.search(text, end)
    return visible.start() if visible else len(text)


def _closed_comment(text: str, start: int) -> int | None:
    """The offset after the block comment that begins at `start`; None if it is not closed."""
    depth = 0
    for edge in _COMMENT_EDGE.finditer(text, start):
        depth += 1 if edge[0] == "/-" else -1
        if depth == 0:
            return edge.end()
    return None


@dataclass
class Tokens:
    """The tokens of a text (without comments, but with doc comments), each with its offset."""

    text: str
    texts: list[str]
    starts: list[int]
    line_first: list[int]
    """Indices of the tokens that begin a line, ascending."""
    comments: tuple[list[int], list[int]]
    """The offsets at which comments, including doc comments, begin and end, ascending."""
    _line_offsets: list[int] = field(default_factory=list)

    def end(self, index: int) -> int:
        """The offset after a token."""
        return self.starts[index] + len(self.texts[index])

    def column(self, index: int) -> int:
        """The column of a token, from 0, in code points."""
        start, lines = self.starts[index], self._line_offsets or self.line_offsets()
        return start - lines[bisect_right(lines, start) - 1]

    def is_first(self, index: int) -> bool:
        """Whether the token is the first on its line."""
        position = bisect_left(self.line_first, index)
        return position < len(self.line_first) and self.line_first[position] == index

    def firsts(self, begin: int, end: int) -> list[int]:
        """The indices in [begin, end) of the tokens that begin a line."""
        return self.line_first[bisect_left(self.line_first, begin) : bisect_left(self.line_first, end)]

    def has_sorry(self, begin: int, end: int) -> bool:
        """Whether one of the tokens [begin, end) is `sorry` or `admit`."""
        return bisect_left(self.sorries, begin) < bisect_left(self.sorries, end)

    @cached_property
    def sorries(self) -> list[int]:
        """The indices of the tokens that leave a proof open, ascending."""
        return [index for index, token in enumerate(self.texts) if token in LEAVE_OPEN]

    @cached_property
    def brackets(self) -> Brackets:
        """Matches the brackets of the tokens."""
        return Brackets(self.texts)

    @cached_property
    def lines(self) -> Lines:
        """Searches the lines by the columns at which they begin."""
        return Lines(self.line_first, self.column)

    def source(self, begin: int, end: int) -> str:
        """The text of the tokens [begin, end), without comments and with single spaces for white space."""
        if begin >= end:
            return ""
        start, stop = self.starts[begin], self.starts[end - 1] + len(self.texts[end - 1])
        opened, closed = self.comments
        first = bisect_left(opened, start)
        if first == len(opened) or opened[first] >= stop:
            return " ".join(self.text[start:stop].split())
        last = bisect_left(opened, stop, first)
        edges = zip([start, *closed[first:last]], [*opened[first:last], stop], strict=True)
        return " ".join(" ".join(self.text[after:before] for after, before in edges).split())

    def position(self, offset: int) -> Position:
        """The line and column of an offset."""
        lines = self.line_offsets()
        line = bisect_right(lines, offset) - 1
        return Position(line, offset - lines[line])

    def line_offsets(self) -> list[int]:
        """The offsets at which lines begin."""
        if not self._line_offsets:
            self._line_offsets = [0, *[match.end() for match in _LINE.finditer(self.text)]]
        return self._line_offsets

    def span(self, begin: int, end: int) -> Span:
        """The span of the tokens [begin, end); `begin < end`."""
        lines, start = self._line_offsets or self.line_offsets(), self.starts[begin]
        after = self.starts[end - 1] + len(self.texts[end - 1])
        first = bisect_right(lines, start) - 1
        last = bisect_right(lines, after, first) - 1
        return Span(Position(first, start - lines[first]), Position(last, after - lines[last]))


def _is_dropped(comment: str) -> bool:
    return not comment.startswith("/--") or comment == "/--/"


def tokenize(text: str) -> Tokens:
    """The tokens of the text, without comments. Raises only Cancelled."""
    raw = raw_tokens(text)
    texts = list(map(str.rstrip, raw))
    starts = list(accumulate(map(len, raw), initial=0))
    starts.pop()
    breaks = [index for index, token in enumerate(raw) if "\n" in token]
    marked = [i for i, token in enumerate(texts) if token[:2] in _COMMENTS]
    dropped = [i for i in marked if _is_dropped(texts[i])]
    comments = [starts[i] for i in marked], [starts[i] + len(texts[i]) for i in marked]
    if not dropped:
        return Tokens(text, texts, starts, _line_first(breaks, [], len(texts)), comments)
    kept_texts: list[str] = []
    kept_starts: list[int] = []
    previous = 0
    for index in dropped:
        kept_texts += texts[previous:index]
        kept_starts += starts[previous:index]
        previous = index + 1
    kept_texts += texts[previous:]
    kept_starts += starts[previous:]
    return Tokens(text, kept_texts, kept_starts, _line_first(breaks, dropped, len(kept_texts)), comments)


def _line_first(breaks: list[int], dropped: list[int], count: int) -> list[int]:
    """The indices, after dropping comments, of the tokens that follow a line break.

    A token that follows a block comment with a line break in it counts as the first on its line. If it is on
    the line on which the comment ends, its column is still correct.
    """
    firsts = [0] if count else []
    removed = 0
    for index in breaks:
        while removed < len(dropped) and dropped[removed] <= index:
            removed += 1
        first = index + 1 - removed
        if 0 < first < count and first != firsts[-1]:
            firsts.append(first)
    return firsts


def unread_at(text: str, offset: int) -> str:
    """`comment` or `string` if the offset is in one, otherwise empty. Takes time linear in the text's length.

    A comment includes the mark that opens it, and a line comment includes the end of its line.
    """
    start = 0
    for token in chain.from_iterable(token_runs(text)):
        if offset < start + len(token) or start + len(token) == len(text):
            return _unread(token, offset - start)
        start += len(token)
    return ""


def _unread(token: str, offset: int) -> str:
    """The same for an offset within a raw token."""
    if token.startswith("--"):
        return "comment" if "\n" not in token[:offset] else ""
    bare = token.rstrip()
    if token.startswith("/-"):
        return "comment" if offset < len(bare) or not bare.endswith("-/") else ""
    return "string" if _OPENS_STRING.match(bare) and 0 < offset < len(bare) else ""


def comment_left_open(tokens: Tokens) -> int | None:
    """The offset of the unclosed block comment at the end of the text; None if there is none."""
    last = tokens.comments[0][-1] if tokens.comments[0] else 0
    is_open = tokens.text.startswith("/-", last) and _closed_comment(tokens.text, last) is None
    return last if is_open else None
