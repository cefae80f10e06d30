"""The text above a declaration without the commands that are broken. Pure.

Lean keeps a broken declaration in its environment, with `sorry` for what it could not make sense of, and
goes on: `rfl` then proves `f 2 = f 3` of a definition that failed. What holds in a text in which the broken
commands are blanks does not rest on them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from itertools import pairwise

from lean_extract.records import Goal, Position
from lean_extract.session.faults import Fault
from lean_extract.source.grammar.commands import split_commands
from lean_extract.syntax.lexer import tokenize
from lean_extract.syntax.tactic_text import code

_NO_BREAK = re.compile(r"[^\n]")
_DEFINES = frozenset({"def", "abbrev", "instance", "opaque", "structure", "class", "inductive", "mutual"})
_DECLARES = _DEFINES | {"theorem", "lemma", "example", "axiom", "coinductive"}
_NAME = re.compile(r"[^\W\d][\w'!?]*(?:\.[^\W\d][\w'!?]*)*")


class Above:
    """The commands of the text above a declaration."""

    def __init__(self, text: str, header: str) -> None:
        """`header`: the text's own, which is never taken out."""
        self._text = text
        self._tokens = tokenize(text)
        self._commands = split_commands(self._tokens)
        self._starts = [self._tokens.starts[command.begin] for command in self._commands]
        self._fixed = len(header.rstrip())

    def broken(self, faults: Iterable[Fault]) -> dict[int, Fault]:
        """The commands that have a fault, by number, each with its first.

        A theorem that is left to `sorry` is not broken: it says what it says. A definition is; but what only
        the compiler has against one breaks nothing.
        """
        found: dict[int, Fault] = {}
        for fault in faults:
            number = self._number(fault.position)
            if number is not None and not self._is_sound(number, fault):
                found.setdefault(number, fault)
        return found

    def caused(self, numbers: Iterable[int], broken: Mapping[int, Fault]) -> dict[int, Fault]:
        """The broken commands, and those that break without them, each with the fault of what it uses."""
        names, first = self.names(broken), min(broken.values())
        new = {number: mentioned(" ".join(self._words(number)), names) or first for number in numbers}
        return {**broken, **new}

    def with_users(self, broken: Mapping[int, Fault]) -> dict[int, Fault]:
        """The broken commands, and those below that mention what they declare, and so on, by their text."""
        found = dict(broken)
        names = self.names(broken)
        for number in range(min(broken), len(self._commands)):
            fault = None if number in found else mentioned(" ".join(self._words(number)), names)
            if fault is not None:
                found[number] = fault
                names |= dict.fromkeys(self._declared(number), fault)
        return found

    def unsound(self, faults: Iterable[Fault]) -> Fault | None:
        """The first fault that breaks something, whether a command can be told that it stands in or not."""
        for fault in faults:
            number = self._number(fault.position)
            if number is None or not self._is_sound(number, fault):
                return fault
        return None

    def without(self, numbers: Iterable[int]) -> str:
        """The text with blanks for these commands, every line where it was."""
        parts, offset = [], 0
        for number in sorted(numbers):
            start, end = self._span(number)
            parts += [self._text[offset:start], _NO_BREAK.sub(" ", self._text[start:end])]
            offset = end
        return "".join([*parts, self._text[offset:]])

    def names(self, broken: Mapping[int, Fault]) -> dict[str, Fault]:
        """The faults of the commands by the last part of the name that each declares."""
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
    """The fault of a broken declaration that the goal mentions by name."""
    local = {name for item in goal.hypotheses for name in item.names}
    for text in (goal.target, *(part for item in goal.hypotheses for part in (item.type, item.value or ""))):
        fault = mentioned(text, names, local)
        if fault is not None:
            return fault
    return None


def mentioned(text: str, names: Mapping[str, Fault], local: Iterable[str] = ()) -> Fault | None:
    """The fault of a broken declaration that a text mentions, in full or by a part of a dotted name."""
    own = set(local)
    for name in _NAME.findall(code(text)):
        parts = name.split(".")
        for part in parts if parts[0] not in own else parts[1:]:
            if part in names:
                return names[part]
    return None
