"""Copies of a document in which a tactic is tried, and the copy that the edit of a tactic makes.

To learn what a tactic leaves, it is put in braces: `({ tactic })` in a tactic block, `(by { tactic })` in a term.
Braces are built into Lean and work on the main goal only. At the closing brace Lean reports the goals that the
tactic leaves, as an "unsolved goals" error, or nothing if it closes the goal. The text in the braces cannot end the
declaration, since its own brackets have been checked to balance.

No guess at the place is trusted: with nothing between the braces, Lean has to report exactly the goal that it shows
at the position. An accepted tactic is judged again in its final form, without braces (`insertion.py`).
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from lean_extract.records import Edit, Position
from lean_extract.session.document import LeanDocument
from lean_extract.session.places import Place, edit_of, hole_at, places, tactic_columns
from lean_extract.syntax.brackets import PAIRS
from lean_extract.syntax.keywords import GOVERNING_WORDS, THEOREM_WORDS, VALUE_WORDS, any_of
from lean_extract.syntax.tactic_text import brackets, code

WHERE_TO_TRY = "Put the cursor on a `sorry`, at the start of a tactic, or on an empty line of the proof."
"""The hint where no tactic can be tried."""
_SHORT_REST = 30
"""The rest of the declaration is kept at first if it has at most this many lines. It shows the goals of more places,
but costs time."""
_MOST_GUESSES = 12
_MOST_STARTS = 32
_BY = re.compile(r"by(?<![\w.']by)(?:[ \t]+|$)")
# Lines above a declaration that are part of its command.
_PRELUDE = re.compile(
    rf"[ \t]*(?:--.*+|@\[.*\]|(?:(?:local|scoped)\s+)?(?:{any_of(GOVERNING_WORDS)})(?=\s).*\sin)\s*\Z"
)
_OR_FAILS = ') | fail "given up" '
_PART = r"(?:«[^«»\n]*+»|[^\s:({\[⦃«.]++)"
_DECLARED = re.compile(rf"(?<![\w.'])(?:{any_of(THEOREM_WORDS | VALUE_WORDS)})\s+({_PART}(?:\.?{_PART})*+)")


@dataclass(frozen=True, slots=True)
class TacticSite:
    """A guess at where a tactic goes: a place in a document, and the text after it in a copy with braces."""

    document: LeanDocument
    place: Place
    start: int
    """The offset at which the declaration begins."""
    end: int
    """The offset at which the next command begins."""
    tail: str

    @property
    def head(self) -> str:
        """The text before the tactic."""
        return self.document.text[: self.place.start] + self.place.before

    @property
    def line(self) -> int:
        """The line in which the declaration begins."""
        return self.document.position(self.start).line

    @property
    def first_line(self) -> int:
        """The line in which its command begins, including attributes and comments."""
        return self.document.position(self.command).line

    @property
    def command(self) -> int:
        """The offset at which its command begins, including attributes and comments."""
        return command_start(self.document.text, self.start)

    @property
    def above(self) -> str:
        """The text above the lines of the declaration's command."""
        return self.document.text[: self.document.offset(Position(self.first_line, 0))]

    @property
    def declaration(self) -> str:
        """The text of the declaration, without what the tactic replaces."""
        text = self.document.text
        return text[self.start : self.place.start] + text[self.place.end : self.end]

    @property
    def name(self) -> str:
        """The name that the declaration gives itself; empty if it has none."""
        return declared_name(self.document.text, self.start, self.place.start)

    def names_itself(self, tactic: str) -> bool:
        """Whether a tactic mentions the name of the enclosing declaration, possibly with a prefix."""
        last = re.escape(self.name.rpartition(".")[2])
        return bool(last) and re.search(rf"(?<![\w'!?✝]){last}(?![\w'!?✝])", code(tactic)) is not None

    def patched(self, tactic: str, *, is_strict: bool = False) -> PatchedDocument:
        """The copy with this tactic in braces. The lines after its first one are indented to match.

        If the declaration has another error, Lean may abandon a tactic silently instead of reporting what it
        leaves open, and treat the goal as closed. In a strict copy it has to report this.
        """
        outer = f"{'(by {' if self.place.in_term else '({'} {_mark(tactic)} "
        opener, closer = (f"{outer}first | (", _OR_FAILS) if is_strict else (outer, "")
        head = self.head
        column = len(head) - head.rfind("\n") - 1 + len(opener)
        indented = tactic.replace("\n", "\n" + " " * column)
        before_brace = f"{head}{opener}{indented}\n{' ' * (column - 2)}{closer}"
        inside = end_of(f"{head}{opener}")
        before = Position(inside.line, column - len(opener))
        return PatchedDocument(
            f"{before_brace}}}){self.tail}", before, inside, end_of(before_brace), self.line
        )

    def edit(self, written: str) -> Edit:
        """The edit that writes a text at the place."""
        return edit_of(self.document, self.place, written)

    def inserted(self, written: str, after: str = "") -> Inserted:
        """The document that the edit makes, up to the end of the declaration, with more text after that."""
        text, edit = self.document.text, self.edit(written)
        head = text[: self.place.start] + edit.text
        rest = text[self.place.end : self.end]
        gap = "" if not after or rest.endswith("\n") else "\n"
        return Inserted(
            f"{head}{rest}{gap}{after}", edit.span.start, end_of(head), self.line, end_of(head + rest)
        )

    def on(self, above: str) -> TacticSite:
        """The same site with another text of the same length and lines above the declaration."""
        return replace(self, document=LeanDocument(above + self.document.text[len(above) :]))


def declared_name(text: str, start: int, end: int) -> str:
    """The name that a declaration which begins at `start` gives itself before `end`; empty if it has none."""
    found = _DECLARED.search(text, start, end)
    return found[1] if found else ""


@dataclass(frozen=True, slots=True)
class PatchedDocument:
    """A copy: its text, the positions of the opening brace, of the tactic and of the closing brace, and the line
    in which the declaration begins."""

    text: str
    start: Position
    inside: Position
    brace: Position
    line: int


@dataclass(frozen=True, slots=True)
class Inserted:
    """A document after an edit: its text, the positions between which the edit wrote, the line in which the
    declaration begins, and the position of its end."""

    text: str
    start: Position
    end: Position
    line: int
    last: Position


def snap(document: LeanDocument, position: Position) -> Position:
    """The start of the hole at the position; otherwise, on a `by`, the position after it; otherwise unchanged.

    Inside `sorry` Lean would show the goals after it, of which there are none.
    """
    column = position.column
    for match in _BY.finditer(document.line(position.line)):
        if match.start() <= column < match.end():
            column = match.end()
    position = Position(position.line, column)
    hole = hole_at(document, document.offset(position))
    return document.position(hole[0]) if hole is not None else position


def tactic_starts(document: LeanDocument, position: Position) -> list[Position]:
    """The positions on the line at which the tactics around the position may begin, innermost first; the nearest
    `_MOST_STARTS`."""
    line = document.line(position.line)
    if position.column >= len(line.partition("--")[0].rstrip()):
        return []
    before = (column for column in reversed(tactic_columns(line)) if column < position.column)
    return [Position(position.line, column) for column in islice(before, _MOST_STARTS)]


def guesses(document: LeanDocument, position: Position, *, is_term: bool | None) -> list[TacticSite]:
    """Where to insert the tactic, best guess first; at most `_MOST_GUESSES`.

    Args:
        document: the user's text.
        position: where the goal is shown.
        is_term: whether a hole at the position is a term; None: not known.

    Raises:
        BadPosition: the position lies outside the document.
    """
    start, end = document.declaration(document.offset(position))
    found = [
        TacticSite(document, place, start, end, tail)
        for place in places(document, position, is_term)
        for tail in _tails(document.text, place, start, end)
    ]
    return found[:_MOST_GUESSES]


def _tails(text: str, place: Place, start: int, end: int) -> Iterator[str]:
    """What may follow a tactic in braces: of a new step only the closing brackets of what is open."""
    dropped = f"\n{_closers(text[start : place.start])}\n"
    if place.start == place.end or not text[place.start : place.end].strip():
        yield dropped
        return
    kept, whole = text[place.end : end] or "\n", text[place.end :] or "\n"
    is_short = kept.count("\n") <= _SHORT_REST
    yield from dict.fromkeys((kept, dropped, whole) if is_short else (dropped, kept, whole))


def _closers(text: str) -> str:
    _, still_open = brackets(text)
    return "".join(PAIRS[bracket] for bracket in reversed(still_open))


def _mark(tactic: str) -> str:
    """A comment that differs between tactics. Where Lean can parse only the same part of two texts, it takes them for
    the same, and its messages are those about the first."""
    return f"/-{zlib.crc32(tactic.encode('utf-8', 'replace')):08x}-/"


def end_of(text: str) -> Position:
    """The position after the last character of a text."""
    return Position(text.count("\n"), len(text) - text.rfind("\n") - 1)


def command_start(text: str, start: int) -> int:
    """The offset of the comments and attributes above a declaration that begins at `start`."""
    while end := _visible_end(text, start):
        last = text.rfind("\n", 0, end) + 1
        if text.startswith("-/", end - 2):
            start = max(text.rfind("/-", 0, end), 0)
        elif _PRELUDE.match(text, last, end):
            start = last
        else:
            break
    return start


def _visible_end(text: str, end: int) -> int:
    """The offset after the last character before `end` that is no white space."""
    while end and text[end - 1].isspace():
        end -= 1
    return end
