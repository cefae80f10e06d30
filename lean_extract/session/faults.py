"""Errors above a goal that may have changed the goal, and the text above it without the commands that they break.

Where Lean cannot elaborate something, it inserts `sorry` and continues. Its verdict on a tactic may then become
wrong once the error is fixed: `rfl` proves `f 2 = f 3` for a definition `f` that failed. A proof that Lean accepts
after the broken commands are replaced by blanks does not depend on them. Pure functions.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from lean_extract.records import Goal, Position
from lean_extract.session.document import LeanDocument
from lean_extract.source.grammar.commands import split_commands
from lean_extract.syntax.keywords import DECLARATION_WORDS, TYPE_WORDS, VALUE_WORDS
from lean_extract.syntax.lexer import comment_left_open, tokenize
from lean_extract.syntax.tactic_text import OPEN_STRING, brackets, code

_SORRY = re.compile(r"(?<![\w.'!?«✝])sorry(?:Ax)?(?![\w'!?»✝])")
# Errors of the compiler alone. The definition is still available in proofs.
_COMPILING = re.compile(
    r".*not supported by code generator|code generator (?:does not support|failed)|failed to compile"
    r"|.*compiler IR check failed"
    r"|.*consider marking (?:it|definition) as ['`]noncomputable"
)
# Goals that are unsolved elsewhere, and errors about other holes, do not change this goal.
_ELSEWHERE = re.compile(r"(?:error: )?unsolved goals(?:\n|$)|don't know how to synthesize")


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """An error at a position in the user's text, or, if `is_sorry`, a warning that `sorry` is used there."""

    position: Position
    message: str
    is_sorry: bool = False

    def __str__(self) -> str:
        what = "leaves a definition to `sorry`" if self.is_sorry else "has an error"
        return f"line {self.position.line + 1} {what}"

    @property
    def first_line(self) -> str:
        """The first line of Lean's message."""
        return next(iter(self.message.strip().splitlines()), "")

    @property
    def is_about_compiling(self) -> bool:
        """Whether it is an error of the compiler alone."""
        return not self.is_sorry and is_about_compiling(self.message)

    @property
    def is_harmless(self) -> bool:
        """Whether it cannot have changed a goal of the same declaration."""
        return self.is_about_compiling or (not self.is_sorry and _ELSEWHERE.match(self.message) is not None)


_UNSOLVED = re.compile(r"(?:error: )?unsolved goals(?:\n|$)")
_MISPARSED = re.compile(r"unexpected |expected ")


def is_misparsed(message: str) -> bool:
    """Whether an error is one of the parser."""
    return _MISPARSED.match(message) is not None


def is_unsolved(message: str) -> bool:
    """Whether an error only says that goals are left."""
    return _UNSOLVED.match(message) is not None


def is_error(diagnostic: Mapping[str, Any]) -> bool:
    """Whether a diagnostic is an error."""
    return diagnostic.get("severity") == 1


def position_of(end: Mapping[str, Any]) -> Position:
    """One end of the range of a diagnostic."""
    return Position(int(end["line"]), int(end["character"]))


def faults_in(errors: Iterable[Mapping[str, Any]]) -> list[Fault]:
    """Errors, as diagnostics, as faults."""
    return [Fault(position_of(one["range"]["start"]), str(one.get("message", ""))) for one in errors]


def is_about_compiling(message: str) -> bool:
    """Whether an error is one of the compiler alone: the definition is still available in proofs."""
    return _COMPILING.match(message) is not None


def mentions_sorry(goal: Goal) -> bool:
    """Whether Lean prints `sorry` in the goal: in its target, or in the type or value of a hypothesis."""
    texts = [goal.target]
    for item in goal.hypotheses:
        texts += [item.type, item.value or ""]
    return any("sorry" in text and _SORRY.search(code(text)) is not None for text in texts)


def faults_of(faults: Iterable[Fault], line: int) -> list[Fault]:
    """The faults in the declaration that begins at this line which can have changed one of its goals.

    Its attributes, which come before that line, take effect only after its goals.
    """
    return [fault for fault in faults if fault.position.line >= line and not fault.is_harmless]


def open_end(document: LeanDocument, start: int, end: int) -> Fault | None:
    """A fault if the text is incomplete: it has a comment that is not closed, or the declaration [start, end)
    has a bracket or string that is not closed. It is then unclear how the text continues. None otherwise."""
    text = document.text
    opened = comment_left_open(tokenize(text)) if "/-" in text else None
    if opened is not None:
        return Fault(document.position(opened), "unterminated comment")
    problem, still_open = brackets(text[start:end])
    if problem == OPEN_STRING or (problem is None and still_open):
        return Fault(document.position(start + len(text[start:end].rstrip())), "unexpected end of input")
    return None


def fault_to_name(faults: Sequence[Fault], first: int, position: Position) -> Fault | None:
    """The fault to report if the goal at the position is broken.

    It is the first fault of the declaration, which begins in line `first`, up to the position; otherwise the
    first one after the position; otherwise the last one above the declaration.
    """
    counting = [fault for fault in faults if not fault.is_harmless] or list(faults)
    own = [fault for fault in counting if fault.position.line >= first]
    before = [fault for fault in own if fault.position <= position]
    above = [fault for fault in counting if fault.position.line < first]
    return next(iter([*before, *own, *above[::-1]]), None)


_NO_BREAK = re.compile(r"[^\n]")
_DEFINES = VALUE_WORDS | TYPE_WORDS | {"mutual"}
_DECLARES = DECLARATION_WORDS | {"mutual"}
_NAME = re.compile(r"[^\W\d][\w'!?]*(?:\.[^\W\d][\w'!?]*)*")


class Above:
    """The commands of the text above a declaration."""

    def __init__(self, text: str, header: str) -> None:
        """`header` is the header of the text, which is never removed."""
        self._text = text
        self._tokens = tokenize(text)
        self._commands = split_commands(self._tokens)
        self._starts = [self._tokens.starts[command.begin] for command in self._commands]
        self._fixed = len(header.rstrip())

    def broken(self, faults: Iterable[Fault]) -> dict[int, Fault]:
        """The commands that have a fault, by number, each with its first fault.

        A theorem proved by `sorry` is not broken, since its statement is still meaningful, but a definition with
        `sorry` is. Errors of the compiler alone do not break a definition.
        """
        found: dict[int, Fault] = {}
        for fault in faults:
            number = self._number(fault.position)
            if number is not None and not self._is_sound(number, fault):
                found.setdefault(number, fault)
        return found

    def caused(self, numbers: Iterable[int], broken: Mapping[int, Fault]) -> dict[int, Fault]:
        """The broken commands and those that fail without them, each with the fault of what it uses."""
        names, first = self.names(broken), min(broken.values())
        new = {number: mentioned(" ".join(self._words(number)), names) or first for number in numbers}
        return {**broken, **new}

    def with_users(self, broken: Mapping[int, Fault]) -> dict[int, Fault]:
        """The broken commands and those below that mention their names, transitively, judged by the text."""
        found = dict(broken)
        names = self.names(broken)
        for number in range(min(broken), len(self._commands)):
            fault = None if number in found else mentioned(" ".join(self._words(number)), names)
            if fault is not None:
                found[number] = fault
                names |= dict.fromkeys(self._declared(number), fault)
        return found

    def unsound(self, faults: Iterable[Fault]) -> Fault | None:
        """The first fault that breaks something, even if it belongs to no known command; None if there is none."""
        for fault in faults:
            number = self._number(fault.position)
            if number is None or not self._is_sound(number, fault):
                return fault
        return None

    def without(self, numbers: Iterable[int]) -> str:
        """The text with blanks in place of these commands. Line numbers do not change."""
        parts, offset = [], 0
        for number in sorted(numbers):
            start, end = self._span(number)
            parts += [self._text[offset:start], _NO_BREAK.sub(" ", self._text[start:end])]
            offset = end
        return "".join([*parts, self._text[offset:]])

    def names(self, broken: Mapping[int, Fault]) -> dict[str, Fault]:
        """The fault of each command, by the last component of the name that it declares."""
        found: dict[str, Fault] = {}
        for number, fault in broken.items():
            for name in self._declared(number):
                found.setdefault(name, fault)
        return found

    def _number(self, position: Position) -> int | None:
        lines = self._tokens.line_offsets()
        if not self._starts or position.line >= len(lines):
            return None
        number = bisect_right(self._starts, lines[position.line] + position.column) - 1
        return number if number >= 0 and self._span(number)[0] >= self._fixed else None

    def _span(self, number: int) -> tuple[int, int]:
        last = number + 1 == len(self._starts)
        return self._starts[number], len(self._text) if last else self._starts[number + 1]

    def _words(self, number: int) -> list[str]:
        command = self._commands[number]
        return self._tokens.texts[command.begin : command.end]

    def _is_sound(self, number: int, fault: Fault) -> bool:
        if fault.is_sorry:
            return next((word for word in self._words(number) if word in _DECLARES), "") not in _DEFINES
        return fault.is_about_compiling

    def _declared(self, number: int) -> list[str]:
        words = self._words(number)
        return [
            name.rpartition(".")[2]
            for word, name in pairwise(words)
            if word in _DECLARES and _NAME.fullmatch(name)
        ]


def rests_on(goal: Goal, names: Mapping[str, Fault]) -> Fault | None:
    """The fault of a broken declaration that the goal mentions by name; None if there is none."""
    local = {name for item in goal.hypotheses for name in item.names}
    for text in (goal.target, *(part for item in goal.hypotheses for part in (item.type, item.value or ""))):
        fault = mentioned(text, names, local)
        if fault is not None:
            return fault
    return None


def mentioned(text: str, names: Mapping[str, Fault], local: Iterable[str] = ()) -> Fault | None:
    """The fault of a broken declaration that a text mentions, possibly as a component of a dotted name."""
    own = set(local)
    for name in _NAME.findall(code(text)):
        parts = name.split(".")
        for part in parts if parts[0] not in own else parts[1:]:
            if part in names:
                return names[part]
    return None
