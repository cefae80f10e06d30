"""How to insert a tactic or a name into a document: which span is replaced, and by what text. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lean_extract.records import Position, Span
from lsp_server.documents.import_lines import import_line_number, imported, imported_module
from lsp_server.documents.positions import offset_of
from lean_extract.session.proof_positions import WORD, is_term_position, sorry_near

_OPENS_BLOCK = re.compile(r"(?:(?<![\w.'])(?:by|do|then|else)|<;>|=>|[·;({|])\s*$")
_EXPECTS_TERM = re.compile(r"(?::=|=>|<\||[,⟨\[(]|(?<![\w.'])(?:exact|apply|refine|refine'|from))\s*$")
_TAKES_BARS = re.compile(r"(?<![\w.'])(?:rcases|obtain|first|match|fun|with)(?![\w'])|\|")
_BAR_NEXT = re.compile(r"(?:\s|--[^\n]*|/-(?:[^-]|-(?!/))*-/)*\|")
_TACTIC_BEGINS = re.compile(r"(?:(?<![\w.'])by|=>|·)[ \t]+(?=\S)")
_ARGUMENT = re.compile(r"[\w.'!?»₀-₉]+|[)\]}⟩]")
_BEFORE_TERM = re.compile(
    r"(?:exact|apply)(?:_mod_cast)?|refine'?|from|using|return|then|else|do|by|in|at|show"
)
_TERM_ENDS = re.compile(r"\s*(?:$|--|[)\]}⟩,|])")
_BY = "by "


@dataclass(frozen=True, slots=True)
class Insertion:
    """A span of the document, which may be empty, and the text that replaces it."""

    span: Span
    text: str


def tactic_insertion(lines: Sequence[str], position: Position, tactic: str) -> Insertion:
    """A tactic: in place of the `sorry` at or near the position, else as a step of its own there.

    Where a term stands, `by` comes before it, in brackets where more follows or a function takes it; a tactic
    that comes with its `by` is the same. Behind a finished tactic it goes on a new line, before one on
    the line above it; further lines of the tactic are indented like its first. It is put in brackets where it
    would take the next alternative, `| succ n ih => …`, for a pattern of its own.
    """
    sorry = sorry_near(lines, position, position)
    tactic = _without_by(tactic)
    tactic = _apart(tactic, lines, sorry.end if sorry is not None else position)
    if sorry is not None:
        before = lines[sorry.start.line][: sorry.start.column]
        return Insertion(
            sorry,
            _indented(_as_term(lines, sorry.start, sorry.end, _as_one(before, tactic)), sorry.start.column),
        )
    line = lines[position.line]
    before, behind = line[: position.column], line[position.column :].split("--", 1)[0]
    if not before.strip():
        return _on_own_line(lines, position, tactic)
    if not behind.strip() and (_OPENS_BLOCK.search(before) or _EXPECTS_TERM.search(before)):
        gap = "" if before[-1].isspace() else " "
        column = position.column + len(gap)
        return Insertion(
            Span(position, position), gap + _indented(_as_term(lines, position, position, tactic), column)
        )
    end = Position(position.line, len(line.rstrip()))
    column = _tactic_column(before)
    return Insertion(Span(end, end), f"\n{' ' * column}{_indented(tactic, column)}")


def name_insertion(lines: Sequence[str], position: Position, name: str) -> Insertion:
    """A name at the position; what is typed of it is replaced, other words are kept apart from it.

    In place of a `sorry` it goes as a term, or as `exact NAME` where a tactic stands.
    """
    line = lines[position.line]
    before, behind = line[: position.column], line[position.column :]
    sorry = sorry_near(lines, position, position)
    if sorry is not None and sorry.start <= position <= sorry.end:
        in_term = is_term_position("\n".join(lines), offset_of(lines, sorry.start))
        return Insertion(sorry, name if in_term else f"exact {name}")
    typed, rest = _last(WORD, before), _first(WORD, behind)
    if typed and _is_typed_of(typed, name):
        whole = rest if _is_typed_of(typed + rest, name) else ""
        start = Position(position.line, position.column - len(typed))
        return Insertion(Span(start, Position(position.line, position.column + len(whole))), name)
    if typed and rest:  # in the middle of another word
        position = Position(position.line, position.column + len(rest))
        return Insertion(Span(position, position), f" {name}")
    return Insertion(Span(position, position), f"{' ' if typed else ''}{name}{' ' if rest else ''}")


def import_insertion(lines: Sequence[str], import_line: str) -> Insertion | None:
    """An import line after the last import; None if the file has it already, or may not have it (`prelude`)."""
    number = import_line_number(lines)
    if number is None or imported_module(import_line) in imported(lines):
        return None
    if number >= len(lines):
        end = Position(len(lines) - 1, len(lines[-1]))
        return Insertion(Span(end, end), f"\n{import_line}")
    start = Position(number, 0)
    return Insertion(Span(start, start), f"{import_line}\n")


def _on_own_line(lines: Sequence[str], position: Position, tactic: str) -> Insertion:
    """With nothing but blanks before the position."""
    line = lines[position.line]
    if line.strip():
        column = len(line) - len(line.lstrip())
        start = Position(position.line, column)
        return Insertion(Span(start, start), f"{_indented(tactic, column)}\n{' ' * column}")
    column = max(position.column, _column_above(lines, position.line))
    gap = " " * (column - position.column)
    rest = Position(position.line, len(line))
    return Insertion(Span(position, rest), gap + _indented(_as_term(lines, position, rest, tactic), column))


def _column_above(lines: Sequence[str], number: int) -> int:
    """Where a tactic on an empty line begins: under the one above, farther in behind what opens a block."""
    above = next((line for line in reversed(lines[:number]) if line.strip()), "")
    indent = len(above) - len(above.lstrip())
    return indent + 2 if _OPENS_BLOCK.search(above) else _tactic_column(above)


def _tactic_column(before: str) -> int:
    """The column of the last tactic that begins in a line."""
    starts = [match.end() for match in _TACTIC_BEGINS.finditer(before)]
    return starts[-1] if starts else len(before) - len(before.lstrip())


def with_by(tactic: str) -> str:
    """A tactic as a term: after `by`, with its further lines below the first."""
    return _BY + _indented(tactic, len(_BY))


def _without_by(tactic: str) -> str:
    """The inverse of `with_by`; other texts are unchanged, since no tactic begins with `by`."""
    bare = tactic.removeprefix(_BY)
    return tactic if bare == tactic else bare.replace("\n" + " " * len(_BY), "\n")


def stands_in_term(lines: Sequence[str], position: Position) -> bool:
    """Whether a tactic inserted at or near the position replaces a term, and so needs `by`."""
    sorry = sorry_near(lines, position, position)
    if sorry is not None:
        return _is_term(lines, sorry.start)
    before, behind = (
        lines[position.line][: position.column],
        lines[position.line][position.column :].split("--", 1)[0],
    )
    is_open = not before.strip() or _OPENS_BLOCK.search(before) or _EXPECTS_TERM.search(before)
    return bool(is_open) and not behind.strip() and _is_term(lines, position)


def _is_term(lines: Sequence[str], position: Position) -> bool:
    return is_term_position("\n".join(lines), offset_of(lines, position))


def _as_term(lines: Sequence[str], start: Position, end: Position, tactic: str) -> str:
    """The tactic as it goes in between the positions, which are on one line as a rule."""
    if not _is_term(lines, start):
        return tactic
    argument = _last(_ARGUMENT, lines[start.line][: start.column].rstrip())
    is_argument = bool(argument) and not _BEFORE_TERM.fullmatch(argument)
    is_alone = not is_argument and _TERM_ENDS.match(lines[end.line][end.column :])
    return with_by(tactic) if is_alone else _bracketed(with_by(tactic))


def _as_one(before: str, tactic: str) -> str:
    """After `<;>` there can be only one tactic, so several are put in brackets."""
    is_several = ";" in tactic or "\n" in tactic
    return _bracketed(tactic) if is_several and before.rstrip().endswith("<;>") else tactic


def _apart(tactic: str, lines: Sequence[str], position: Position) -> str:
    """The tactic, in brackets if a `|` after the position would otherwise be read as part of it."""
    if not _TAKES_BARS.search(tactic):
        return tactic
    behind = "\n".join([lines[position.line][position.column :], *lines[position.line + 1 :]])
    return _bracketed(tactic) if _BAR_NEXT.match(behind) else tactic


def _bracketed(tactic: str) -> str:
    """As one tactic; its lines stand under each other."""
    return f"({_indented(tactic, 1)})"


def _indented(tactic: str, column: int) -> str:
    return tactic.replace("\n", "\n" + " " * column)


def _is_typed_of(typed: str, name: str) -> bool:
    """Whether somebody who typed this may mean the name: its beginning, or that of its part behind a dot."""
    low, wanted = typed.lower(), name.lower()
    return wanted.startswith(low) or any(
        wanted.startswith(low, index + 1) for index, character in enumerate(wanted) if character == "."
    )


def _first(pattern: re.Pattern[str], text: str) -> str:
    """What the text begins with of a class of characters."""
    found = pattern.match(text)
    return found[0] if found else ""


def _last(pattern: re.Pattern[str], text: str) -> str:
    """What the text ends with of a class of characters. A search from its beginning could take its square."""
    return _first(pattern, text[::-1])[::-1]
