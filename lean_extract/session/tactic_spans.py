"""The tactics that a text writes: where each begins and ends, also while one of them is being typed. Pure functions.

Lean says where a text is wrong, not which tactic that makes fail. The tactics are found by layout: a bracket that is
not closed ends where a line begins no deeper than its own, so that it does not hide the tactics below.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from lean_extract.limits import MAX_TACTIC_TOKENS, MAX_TACTICS_NEAR
from lean_extract.records import Edit, Position, Span
from lean_extract.session.document import LeanDocument
from lean_extract.session.places import HOLE, hole_at, places
from lean_extract.source.proofs.tactics import split_steps
from lean_extract.syntax.brackets import CLOSERS, DEPTH, OPENERS
from lean_extract.syntax.lexer import Tokens, tokenize
from lean_extract.syntax.tactic_words import FOCUS_DOTS, SEPARATORS

_NEUTRAL = "?"
"""Stands for a bracket that has no partner."""
_EMPTY = re.compile(r"(?:(?<![\w.'!?«])by|=>|:=|(?<!\S)[·.])\s*\Z")
_NO_TACTICS = FOCUS_DOTS | OPENERS | CLOSERS | {"|"}
_BARS = frozenset(("|",))
_TAKES_BARS = frozenset(("first", "rcases", "obtain", "rintro", "match"))
_COMMA = frozenset((",",))
_SEPARATED = SEPARATORS | _COMMA
_GOES_ON = frozenset(("|", "else"))
"""Tokens that begin a line of a tactic in its own column."""
_AFTER_VALUE = frozenset(("termination_by", "decreasing_by", "where", "deriving"))
_WANTS_MORE = frozenset(
    (
        "exact", "apply", "refine", "refine'", "exact_mod_cast", "apply_mod_cast", "exacts", "convert", "rw",
        "rewrite", "rwa", "erw", "rw_mod_cast", "simp_rw", "nth_rw", "nth_rewrite", "unfold", "delta",
        "specialize", "by_cases", "rcases", "suffices", "have", "change", "use", "using", "from", "at", "fun",
        "λ", ",", "←", "<-", ":", "↦", "<|", "=", "↔",
    )
)  # fmt: skip
"""Tokens with which no finished tactic ends."""
_BEFORE_BY = re.compile(r"(?<![^ \t])[ \t]*(?=by(?![\w'.]))|(?<==)[ \t]+(?=by(?![\w'.]))")
_LAST_BLANKS = re.compile(r"[ \t]++(?=\n|\Z)")
_BLANK = re.compile(r"[ \t]*(?:--[^\n]*)?(?:\n|\Z)")
_BELOW = re.compile(r"(?>[ \t]*(?:--[^\n]*)?\n)*(?P<indent>[ \t]*)(?=\S)")
"""The first line that is neither blank nor a comment."""
_REACH = 64
"""How many characters before a position are examined for an empty place."""


class WrittenTactic(NamedTuple):
    """The offsets [start, end) of a tactic, or of the term that is the value of a declaration."""

    start: int
    end: int


class Change(NamedTuple):
    """Another text in place of the offsets [start, end) of a document."""

    start: int
    end: int
    written: str


class Copy:
    """A copy of a document with a placeholder in place of a part of it."""

    def __init__(self, original: LeanDocument, change: Change) -> None:
        self.original, self.change = original, change
        text = original.text
        self.document = LeanDocument(f"{text[: change.start]}{change.written}{text[change.end :]}")

    @property
    def hole(self) -> Position:
        """The position of the placeholder."""
        return self.document.position(self.change.start + self.change.written.rindex(HOLE))

    @property
    def span(self) -> Span:
        """The replaced part of the original."""
        return Span(self.original.position(self.change.start), self.original.position(self.change.end))

    def place_of(self, offset: int) -> Position:
        """The position in the copy of an offset in the original."""
        start, end, written = self.change
        moved = offset if offset <= start else start + len(written) + max(offset - end, 0)
        return self.document.position(moved)

    def back(self, edit: Edit) -> Edit:
        """An edit of the copy as an edit of the original. What it keeps of the placeholder's text it inserts."""
        start, end, written = self.change
        begin, last = self.document.offset(edit.span.start), self.document.offset(edit.span.end)
        stop = start + len(written)
        text, before, after = edit.text, "", ""
        if start < begin < stop:
            begin, before = start, written[: begin - start]
        elif begin >= stop > start:
            begin += end - stop
        if last > start:
            after = written[last - start :]
            last = max(last, stop) + end - stop
        span = Span(self.original.position(begin), self.original.position(max(begin, last)))
        whole = before + text + after
        if edit.cursor is None:
            return Edit(span, whole)
        head = self.original.text[:begin] + before + text[: _inserted_before(edit.cursor, edit)]
        return Edit(span, whole, LeanDocument(head).position(len(head)))


def _inserted_before(cursor: Position, edit: Edit) -> int:
    """How many characters of an edit's text are before its cursor."""
    lines = cursor.line - edit.span.start.line
    if lines == 0:
        return cursor.column - edit.span.start.column
    return sum(len(line) + 1 for line in edit.text.split("\n")[:lines]) + cursor.column


class WrittenTactics:
    """The tactics of the declaration around an offset of a document. Raises BadPosition."""

    def __init__(self, document: LeanDocument, offset: int) -> None:
        self.document = document
        self.start, self.end = document.declaration(offset)
        self._near = offset

    @cached_property
    def _tokens(self) -> Tokens:
        return tokenize(self.document.text[self.start : self.end])

    @cached_property
    def _unpaired(self) -> frozenset[int]:
        return frozenset(_unpaired(self._tokens))

    @cached_property
    def _paired(self) -> Tokens:
        """The tokens, in which every bracket has a partner."""
        texts = [
            _NEUTRAL if number in self._unpaired else text for number, text in enumerate(self._tokens.texts)
        ]
        return replace(self._tokens, texts=texts)

    @cached_property
    def _begun(self) -> list[int]:
        """The tokens with which a tactic or the value of the declaration begins, the nearest to the offset first."""
        tokens = self._paired
        count = len(tokens.texts)
        if not count:
            return []
        found = split_steps(tokens, 1, count).positions
        kept = [one for one in found if one < count and tokens.texts[one] not in _NO_TACTICS]
        first = max(bisect_right(tokens.starts, self._near - self.start) - 1, 0)
        return sorted({*kept, *self._value()}, key=lambda one: abs(one - first))[:MAX_TACTICS_NEAR]

    def _value(self) -> Iterator[int]:
        """The first token of the declaration's value, if that is a term."""
        depth = 0
        for number, text in enumerate(self._paired.texts[:-1]):
            depth += DEPTH.get(text, 0)
            if depth == 0 and text == ":=":
                if self._paired.texts[number + 1] != "by":
                    yield number + 1
                return

    @cached_property
    def tactics(self) -> list[WrittenTactic]:
        """The tactics nearest to the offset, and the declaration's value if it is a term, by where they begin."""
        values, found, left = set(self._value()), [], MAX_TACTIC_TOKENS
        for number in self._begun:
            last = self._last(number, left, is_value=number in values)
            left -= last - number + 1
            if left <= 0:  # it may be longer
                break
            found.append(self._written(number, last))
        return sorted(found)

    def _written(self, begin: int, last: int) -> WrittenTactic:
        tokens = self._tokens
        return WrittenTactic(self.start + tokens.starts[begin], self.start + tokens.end(last))

    def _last(self, begin: int, most: int, *, is_value: bool) -> int:
        """The last token of a tactic, or of its first `most`."""
        tokens, depth = self._paired, 0
        column, indent = tokens.column(begin), self._indent(begin)
        ends = _SEPARATED | _BARS if self._ends_at_bars(begin) else _SEPARATED
        last = begin
        for number in range(begin, min(begin + most, len(tokens.texts))):
            text = tokens.texts[number]
            if is_value:
                if text in _AFTER_VALUE and depth == 0:
                    break
            elif number > begin and tokens.is_first(number):
                deeper = tokens.column(number) - (indent if depth else column)
                if deeper < 0 or (deeper == 0 and text not in (CLOSERS if depth else _GOES_ON)):
                    break
            depth += DEPTH.get(text, 0)
            if number in self._unpaired:
                ends -= _COMMA
            is_inside = number > begin and not is_value and (text not in _BARS or not tokens.is_first(number))
            if depth < 0 or (depth == 0 and is_inside and text in ends):
                break
            last = number
        return last

    def _ends_at_bars(self, begin: int) -> bool:
        """Whether a `|` in the line in which a tactic begins is that of the next alternative."""
        texts = self._paired.texts
        if texts[begin - 1] == "|":
            return texts[begin] not in _TAKES_BARS
        firsts = self._paired.line_first
        below = bisect_right(firsts, begin)
        end = firsts[below] if below < len(firsts) else len(texts)
        return texts[begin - 1] == "=>" and "=>" in texts[begin:end]

    def _indent(self, number: int) -> int:
        """The column in which the line of a token begins."""
        text, start = self._tokens.text, self._tokens.starts[number]
        line = text[text.rfind("\n", 0, start) + 1 : start]
        return len(line) - len(line.lstrip())

    def beginning(self, offset: int) -> WrittenTactic:
        """The tactic that begins at an offset, or would if the token around it were one."""
        number = max(bisect_right(self._tokens.starts, offset - self.start) - 1, 0)
        return self._written(number, self._last(number, MAX_TACTIC_TOKENS, is_value=False))

    def touching(self, offset: int) -> list[WrittenTactic]:
        """The tactics that contain an offset, or after which it is on their last line, innermost first.

        None in a place where one is still to be written.
        """
        if self.is_empty(offset):
            return []
        text = self.document.text
        found = [
            one
            for one in self.tactics
            if one.start <= offset and (offset <= one.end or text[one.end : offset].strip(" \t") == "")
        ]
        return sorted(found, key=lambda one: (one.start, -one.end), reverse=True)

    def is_empty(self, offset: int) -> bool:
        """Whether a tactic or a value is still to be written at an offset: the line is blank, or ends there after what
        needs one, and no deeper line follows."""
        text = self.document.text
        line = text[text.rfind("\n", 0, offset) + 1 : offset]
        rest = _BLANK.match(text, offset)
        if rest is None or not line.strip():
            return rest is not None
        return self._needs_more(offset) and self.below(offset) is None

    def _needs_more(self, offset: int) -> bool:
        """Whether the line ends at an offset after what needs a tactic or a value."""
        text = self.document.text
        start = max(text.rfind("\n", 0, offset) + 1, offset - _REACH)
        return _BLANK.match(text, offset) is not None and _EMPTY.search(text[start:offset]) is not None

    def below(self, offset: int) -> int | None:
        """Where the text below a line begins, if it is deeper than the line, which ends at an offset."""
        text = self.document.text
        start, rest = text.rfind("\n", 0, offset) + 1, _BLANK.match(text, offset)
        below = _BELOW.match(text, rest.end()) if rest is not None else None
        line = text[start:offset]
        is_deeper = below is not None and len(below["indent"]) > len(line) - len(line.lstrip())
        return below.end() if below is not None and is_deeper else None

    def failing(self, offset: int) -> WrittenTactic | None:
        """The innermost tactic that an error at an offset is about; None if it is about none."""
        text = self.document.text
        found = [
            one
            for one in self.tactics
            if one.start <= offset and (offset < one.end or not text[one.end : offset].strip())
        ]
        return max(found, key=lambda one: (one.start, -one.end), default=None)

    def unread(self, offset: int) -> WrittenTactic | None:
        """The tactic that makes Lean stop reading at an offset: the last that leaves a bracket open, or else the one
        there."""
        opened = self._opened(offset)
        return self.failing(max(opened) if opened else offset)

    def is_open(self, offset: int) -> bool:
        """Whether a bracket above an offset has no partner, so that Lean may read the text otherwise."""
        return bool(self._opened(offset))

    def _opened(self, offset: int) -> list[int]:
        """The offsets of the brackets without a partner before an offset."""
        found = (self.start + self._tokens.starts[number] for number in self._unpaired)
        return [start for start in found if start < offset]

    def above(self, offset: int) -> WrittenTactic | None:
        """The last tactic that ends above an offset."""
        found = [one for one in self.tactics if one.end < offset]
        return max(found, key=lambda one: (one.end, one.start), default=None)

    def is_unfinished(self, tactic: WrittenTactic) -> bool:
        """Whether a text cannot be a whole tactic: it ends with a word that needs an argument, or leaves a bracket
        open. What is nested in it does not count."""
        tokens = self._tokens
        inner = [one.start for one in self.tactics if tactic.start < one.start < tactic.end]
        end = min(inner, default=tactic.end)
        own = [
            number for number, start in enumerate(tokens.starts) if tactic.start <= self.start + start < end
        ]
        wants_more = not inner and tokens.texts[own[-1]] in _WANTS_MORE
        return wants_more or not self._unpaired.isdisjoint(own)

    def in_proof(self, offset: int) -> bool:
        """Whether an offset comes after the beginning of the declaration's proof or value."""
        tokens = self._paired
        opening = next((number for number, text in enumerate(tokens.texts) if text in (":=", "by")), None)
        return opening is not None and self.start + tokens.end(opening) <= offset

    def without(self, tactic: WrittenTactic) -> Copy:
        """The document with a placeholder in place of a tactic and of the blanks with which its line ends."""
        blanks = _LAST_BLANKS.match(self.document.text, tactic.end)
        end = tactic.end if blanks is None else blanks.end()
        return Copy(self.document, Change(tactic.start, end, HOLE))

    def filled(self, offset: int) -> Copy:
        """The document with a placeholder in an empty place, where a tactic would be inserted."""
        place = places(self.document, self.document.position(offset))[0]
        return Copy(self.document, Change(place.start, place.end, f"{place.before}{HOLE}{place.after}"))

    def value_at(self, offset: int) -> int:
        """The offset of what is meant: of the declaration's `by` if it is next, of the `sorry` below a `by` or `=>`
        that ends a line; otherwise the offset itself."""
        text = self.document.text
        found = _BEFORE_BY.match(text, offset)
        if found is not None and self.in_proof(offset):
            offset = found.end()
        end = offset + len("by") if text.startswith("by", offset) else offset
        below = self.below(end) if self._needs_more(end) else None
        return offset if below is None or hole_at(self.document, below) is None else below

    def empty_at(self, offset: int) -> int | None:
        """The empty place that makes Lean stop reading at an offset; None if it is another reason."""
        bare = len(self.document.text[:offset].rstrip())
        return bare if self.is_empty(bare) else None

    def mended(self, offset: int) -> Copy | None:
        """The document with a placeholder for what Lean cannot read at an offset; None if that is no tactic."""
        empty = self.empty_at(offset)
        if empty is not None:
            return self.filled(empty)
        tactic = self.unread(offset)
        return None if tactic is None else self.without(tactic)

    def out_of_comment(self, offset: int) -> int:
        """The end of the line before the comment around an offset of the proof; the offset itself elsewhere."""
        begin = self._comment(offset) if self.in_proof(offset) else None
        text = self._tokens.text
        if begin is None or begin == text.rfind("\n", 0, begin) + 1:
            return offset
        return self.start + len(text[:begin].rstrip(" \t"))

    def is_comment(self, offset: int) -> bool:
        """Whether an offset is in a comment."""
        return self._comment(offset) is not None

    def _comment(self, offset: int) -> int | None:
        """Where the comment around an offset begins in the declaration."""
        opened, closed = self._tokens.comments
        number = bisect_right(opened, offset - self.start) - 1
        if number < 0:
            return None
        end = closed[number] + self._tokens.text.startswith("--", opened[number])
        return opened[number] if offset - self.start < end else None


def _unpaired(tokens: Tokens) -> Iterator[int]:
    """The brackets without a partner. A line that begins no deeper than that of an open bracket, and not with a
    closing one, ends it."""
    still_open: list[tuple[int, int]] = []
    indent = 0
    firsts = set(tokens.line_first)
    for number, text in enumerate(tokens.texts):
        if number in firsts:
            indent = tokens.column(number)
            while still_open and text not in CLOSERS and indent <= still_open[-1][1]:
                yield still_open.pop()[0]
        step = DEPTH.get(text, 0)
        if step > 0:
            still_open.append((number, indent))
        elif step < 0:
            if still_open:
                still_open.pop()
            else:
                yield number
    yield from (number for number, _ in still_open)
