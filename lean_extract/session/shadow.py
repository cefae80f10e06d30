"""Copies of a document in which a tactic is inserted at a goal.

The tactic is put in braces: `{ tactic }` in a tactic block, `(by { tactic })` in a term. Braces are built into
Lean and work on the main goal only. At the closing brace Lean reports the goals that the tactic leaves, as an
"unsolved goals" error, or nothing if it closes the goal. The text in the braces cannot end the declaration, since
its own brackets have been checked to balance.

Where to put the braces is guessed from the text, best guess first. No guess is trusted: with nothing between the
braces, Lean has to report exactly the goal that it shows at the position.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from lean_extract.records import Position
from lean_extract.session.document import LeanDocument, lean_lines
from lean_extract.syntax.brackets import PAIRS
from lean_extract.syntax.lexer import tokenize
from lean_extract.syntax.tactic_text import brackets, code, has_sorry

_SHORT_REST = 30
"""The rest of the declaration is kept at first if it has at most this many lines. It shows more errors, but
costs time."""
_MOST_GUESSES = 8
_MOST_LINES_BACK = 12
_HOLE = re.compile(r"(?<![\w.'!?])(?:sorry|admit|\?_|\?[^\W\d]\w*|_)(?![\w'!?✝])")
_BY = re.compile(r"(?<![\w.'])by(?:[ \t]+|$)")
_STARTS_BLOCK = re.compile(r"(?:(?<![\w.'])by|=>|·|;|<;>|\{|\()\s*$")
_TACTIC_START = re.compile(r"(?:(?<![\w.'])by|=>|·|<;>|;|\{|\(|\|)[ \t]+|[{(]")
# Lines above a declaration that are part of its command.
_PRELUDE = re.compile(r"[ \t]*(?:@\[.*\]|(?:set_option|open|omit|include)\s.*\sin)\s*\Z")
# As long as `sorry` and `admit`, so that nothing after it moves. Lean's search does not find such names.
_FILLING = "sorr_"
_FILLER = (
    "axiom _premise_suggest_filling.{u} (α : Sort u) : α"
    f' macro "{_FILLING}" : tactic => `(tactic| exact _premise_suggest_filling _)'
    f' macro "{_FILLING}" : term => `(_premise_suggest_filling _)\n'
)
_OR_FAILS = ') | fail "given up" '
_DECLARED = re.compile(r"(?<![\w.'])(?:theorem|lemma|def|abbrev|instance|opaque)\s+([^\s:({\[⦃]+)")


@dataclass(frozen=True, slots=True)
class TacticSite:
    """A guess at where to insert the tactic: the text before it and after it in a copy."""

    head: str
    tail: str
    in_term: bool
    declaration: str
    """The text of the declaration that is kept, without what the tactic replaces."""
    line: int
    """The line in which the declaration begins."""
    first_line: int
    """The line in which its command begins, including attributes and comments."""

    def names_itself(self, tactic: str) -> bool:
        """Whether a tactic mentions the name of the enclosing declaration, possibly with a prefix."""
        name = _DECLARED.search(self.declaration)
        last = re.escape(name[1].rpartition(".")[2]) if name else None
        return last is not None and re.search(rf"(?<![\w'!?✝]){last}(?![\w'!?✝])", code(tactic)) is not None

    def shadow(self, tactic: str, *, is_strict: bool = False) -> Shadow:
        """The copy with this tactic. The lines after its first one are indented to match.

        If the declaration has another error, Lean may abandon a tactic silently instead of reporting what it
        leaves open, and treat the goal as closed. In a strict copy it has to report this.
        """
        outer, end = ("(by { ", "})") if self.in_term else ("{ ", "}")
        opener, closer = (f"{outer}first | (", _OR_FAILS) if is_strict else (outer, "")
        column = len(self.head) - self.head.rfind("\n") - 1 + len(opener)
        indented = textwrap.dedent(lean_lines(tactic)).strip().replace("\n", "\n" + " " * column)
        start = f"{self.head}{opener}"
        before_brace = f"{start}{indented}\n{' ' * (column - 2)}{closer}"
        inside = Position(start.count("\n"), column)
        before = Position(inside.line, column - len(opener))
        brace = Position(before_brace.count("\n"), column - 2 + len(closer))
        return Shadow(before_brace + end + self.tail, before, inside, brace, self.line)

    def filled(self, tactic: str) -> Shadow | None:
        """The copy in which an axiom replaces the declaration's other `sorry`s, so that Lean warns only about a
        `sorry` of the tactic; None if they cannot all be replaced."""
        start = _line_start(self.head, self.line)
        before, tail = _filled(self.head[start:]), _filled(self.tail)
        if has_sorry(before) or has_sorry(tail):
            return None
        above = self.head[: _command_start(self.head, start)]
        head = f"{above}{_FILLER}{self.head[len(above) : start]}{before}"
        return replace(self, head=head, tail=tail, declaration=before + tail, line=self.line + 1).shadow(
            tactic
        )

    def on(self, above: str) -> TacticSite:
        """The same site with another text of the same length above the declaration."""
        return replace(self, head=above + self.head[len(above) :])

    @property
    def above(self) -> str:
        """The text above the declaration's command."""
        return self.head[: _line_start(self.head, self.first_line)]


@dataclass(frozen=True, slots=True)
class Shadow:
    """A copy: its text, the positions of the opening brace, of the tactic and of the closing brace, and the line
    in which the declaration begins."""

    text: str
    start: Position
    inside: Position
    brace: Position
    line: int


def snap(document: LeanDocument, position: Position) -> Position:
    """The start of the hole at the position; otherwise, on a `by`, the position after it; otherwise unchanged.

    Inside `sorry` Lean would show the goals that it leaves, which are none.
    """
    offset = document.offset(position)
    line = document.line(position.line)
    for match in _BY.finditer(line):
        if match.start() <= position.column < match.end():
            position = Position(position.line, match.end())
            offset = document.offset(position)
    hole = _hole_at(document, offset)
    return document.position(hole[0]) if hole is not None else position


def tactic_starts(document: LeanDocument, position: Position) -> list[Position]:
    """The positions on the line at which the tactics around the position may begin, innermost first."""
    line = document.line(position.line)
    return [
        Position(position.line, column)
        for column in reversed(_tactic_columns(line))
        if column < position.column < len(line.rstrip())
    ]


def guesses(document: LeanDocument, position: Position, *, is_term: bool) -> list[TacticSite]:
    """Where to insert the tactic, best guess first; at most `_MOST_GUESSES`.

    Args:
        document: the user's text.
        position: where the goal is shown.
        is_term: whether Lean shows the goal of a term there, not of a tactic block.

    Raises:
        BadPosition: the position lies outside the document.
    """
    offset = document.offset(position)
    start, end = document.declaration(offset)
    found = _hole_sites(document, offset, start, end, is_term)
    if not found and not is_term:
        found = list(_tactic_sites(document, position, offset, start))
    return list(dict.fromkeys(found))[:_MOST_GUESSES]


def _hole_sites(document: LeanDocument, offset: int, start: int, end: int, is_term: bool) -> list[TacticSite]:
    hole = _hole_at(document, offset)
    if hole is None:
        return []
    text = document.text
    before, rest = text[start : hole[0]], text[hole[1] : end]
    kept, dropped, whole = rest, _closers(before), text[hole[1] :]
    is_short = rest.count("\n") <= _SHORT_REST
    tails = (kept, dropped, whole) if is_short else (dropped, kept, whole)
    word = text[hole[0] : hole[1]]
    term_first = is_term or word.startswith(("_", "?")) or before.rstrip().endswith((":=", "(", "⟨", ","))
    kinds = (True,) if word not in ("sorry", "admit") else (term_first, not term_first)
    return [
        TacticSite(text[: hole[0]], tail or "\n", in_term, before + tail, *_lines(document, start))
        for tail in tails
        for in_term in kinds
    ]


def _hole_at(document: LeanDocument, offset: int) -> tuple[int, int] | None:
    """The offsets of the `sorry` or hole at the position; None if there is none."""
    position = document.position(offset)
    line = document.line(position.line)
    line_start = offset - position.column
    for match in _HOLE.finditer(line):
        if match.start() <= position.column <= match.end():
            return line_start + match.start(), line_start + match.end()
    return None


def _tactic_sites(
    document: LeanDocument, position: Position, offset: int, start: int
) -> Iterator[TacticSite]:
    line = document.line(position.line)
    after = line[position.column :].strip()
    here = list(_sites_replacing(document, position, start, [position.line]))
    above = _sites_replacing(document, position, start, range(position.line - 1, -1, -1))
    if not after or after.startswith("--"):
        yield from _sites_after(document, offset, start)
        yield from here
    elif line[: position.column].strip():
        # Inside a tactic Lean shows the goals that it leaves.
        yield from here[:2]
        yield from _sites_after(document, document.offset(Position(position.line, len(line))), start)
        yield from here[2:]
    else:
        # In the indentation Lean shows the goals that the line above leaves.
        yield from here
        yield from _sites_after(document, offset, start)
    yield from above


def _sites_after(document: LeanDocument, offset: int, start: int) -> Iterator[TacticSite]:
    """Sites for a new tactic: after `by` or similar on the same line, or on a line of its own."""
    text = document.text
    position = document.position(offset)
    head = text[:offset].rstrip()
    if _STARTS_BLOCK.search(text[start:offset]):
        yield _dropping(document, head + " ", start)
    line = document.line(position.line)
    columns = [position.column] if position.column and not line[: position.column].strip() else []
    last = document.position(len(head))
    for number in range(last.line, max(-1, last.line - _MOST_LINES_BACK), -1):
        columns += reversed(_tactic_columns(document.line(number)))
        if document.position(start).line == number:
            columns.append(len(document.line(number)) - len(document.line(number).lstrip()) + 2)
            break
    for column in dict.fromkeys(columns):
        yield _dropping(document, f"{head}\n{' ' * column}", start)


def _sites_replacing(
    document: LeanDocument, position: Position, start: int, lines: Iterable[int]
) -> Iterator[TacticSite]:
    """Sites that replace the tactic around the position, which begins on one of these lines."""
    first = document.position(start)
    for number in lines:
        if number < first.line or number < position.line - _MOST_LINES_BACK:
            return
        line = document.line(number)
        reach = position.column if number == position.line else len(line)
        for column in reversed(_tactic_columns(line)):
            # The first line of a declaration has tactics only after its `:=`.
            if column <= reach and (number > first.line or ":=" in line[:column]):
                yield _dropping(document, document.text[: document.offset(Position(number, column))], start)


def _tactic_columns(line: str) -> list[int]:
    """Columns of a line at which a tactic may begin, in order."""
    if not line.strip():
        return []
    indent = len(line) - len(line.lstrip())
    return sorted(
        {indent, *(match.end() for match in _TACTIC_START.finditer(line) if match.end() < len(line))}
    )


def _dropping(document: LeanDocument, head: str, start: int) -> TacticSite:
    """A site after which nothing of the declaration is kept except the closing brackets."""
    before = head[start:]
    return TacticSite(head, f"\n{_closers(before)}\n", False, before, *_lines(document, start))


def _lines(document: LeanDocument, start: int) -> tuple[int, int]:
    """The lines in which a declaration and its command begin."""
    first = _command_start(document.text, start)
    return document.position(start).line, document.position(first).line


def _closers(text: str) -> str:
    _, still_open = brackets(text)
    return "".join(PAIRS[bracket] for bracket in reversed(still_open))


def _filled(text: str) -> str:
    raw = tokenize(text)
    parts, offset = [], 0
    for token, start in zip(raw.texts, raw.starts, strict=True):
        if token in ("sorry", "admit"):
            parts += [text[offset:start], _FILLING]
            offset = start + len(token)
    return "".join([*parts, text[offset:]])


def _line_start(text: str, number: int) -> int:
    start = 0
    for _ in range(number):
        start = text.index("\n", start) + 1
    return start


def _command_start(text: str, start: int) -> int:
    """The offset of the comments and attributes above a declaration that begins at `start`."""
    while above := text[:start].rstrip():
        last = above.rfind("\n") + 1
        if above.endswith("-/"):
            start = max(above.rfind("/-"), 0)
        elif _PRELUDE.match(above, last):
            start = last
        else:
            break
    return start
