"""A backtracking matcher that counts its steps, and takes those that Python's `re` takes, up to a factor.

Unlike time, the count is the same in each run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.hostile.regexes.tree import (
    At,
    Atomic,
    Choice,
    Group,
    Letter,
    Look,
    Mode,
    Node,
    Reference,
    Repeat,
    Row,
    Tree,
)


class TooManySteps(Exception):
    """The budget is used up."""


@dataclass(slots=True)
class Matcher:
    """An expression as a program; `steps` are those taken so far, and at most `budget`."""

    tree: Tree
    mode: Mode
    budget: int
    steps: int = 0
    code: list[tuple] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.code = [*_code(self.tree.root), ("end",)]

    def run(self, text: Sequence[int]) -> int:
        """The steps for a text, given as letters of the alphabet. Raises TooManySteps."""
        self.steps = 0
        place = 0
        while place <= len(text):
            end = self.match(text, place)
            if self.mode in ("match", "fullmatch") or (end is not None and self.mode == "search"):
                break
            place = max(place + 1, end or 0)
        return self.steps

    def match(self, text: Sequence[int], place: int) -> int | None:
        """Where the match that begins at a place ends, if there is one. Raises TooManySteps."""
        return self._at(self.code, text, place, {})

    def _at(self, code: list[tuple], text: Sequence[int], place: int, marks: dict[int, int]) -> int | None:
        """Where the first match ends, if there is one."""
        stack = [(0, place, marks)]
        while stack:
            counter, place, marks = stack.pop()
            while True:
                self.steps += 1
                if self.steps > self.budget:
                    raise TooManySteps
                operation = code[counter]
                counter += 1
                match operation[0]:
                    case "letter":
                        if place == len(text) or not self.tree.masks[operation[1]] >> text[place] & 1:
                            break
                        place += 1
                    case "split":
                        stack.append((counter + operation[2], place, marks))
                        counter += operation[1]
                    case "jump":
                        counter += operation[1]
                    case "mark":
                        marks = {**marks, operation[1]: place}
                    case "moved":
                        if marks[operation[1]] == place:
                            break
                    case "atomic":
                        end = self._at(operation[1], text, place, marks)
                        if end is None:
                            break
                        place = end
                    case "look":
                        begin = place - operation[3]
                        found = begin >= 0 and self._at(operation[1], text, begin, marks) is not None
                        if found != operation[2]:
                            break
                    case "at":
                        if not self._is_at(operation[1], text, place):
                            break
                    case "same":
                        begin, end = marks.get(2 * operation[1]), marks.get(2 * operation[1] + 1)
                        if begin is None or end is None:
                            break
                        again = text[begin:end]
                        self.steps += len(again)
                        if text[place : place + len(again)] != again:
                            break
                        place += len(again)
                    case "end":
                        if code is not self.code or self.mode != "fullmatch" or place == len(text):
                            return place
                        break
        return None

    def _is_at(self, kind: str, text: Sequence[int], place: int) -> bool:
        before = place > 0 and 1 << text[place - 1]
        after = place < len(text) and 1 << text[place]
        match kind:
            case "AT_BEGINNING" | "AT_BEGINNING_STRING":
                return place == 0
            case "AT_BEGINNING_LINE":
                return place == 0 or bool(before & self.tree.breaks)
            case "AT_END":
                return not after or (place == len(text) - 1 and bool(after & self.tree.breaks))
            case "AT_END_LINE":
                return not after or bool(after & self.tree.breaks)
            case "AT_END_STRING":
                return not after
        is_boundary = bool(before & self.tree.words) != bool(after & self.tree.words)
        return is_boundary == (kind == "AT_BOUNDARY")


def _code(node: Node) -> list[tuple]:
    match node:
        case Letter(index):
            return [("letter", index)]
        case Row(parts):
            return [operation for part in parts for operation in _code(part)]
        case Choice(parts):
            made = _code(parts[-1])
            for part in reversed(parts[:-1]):
                one = _code(part)
                made = [("split", 0, len(one) + 1), *one, ("jump", len(made)), *made]
            return made
        case Repeat():
            return _repeated(node)
        case Atomic(body):
            return [("atomic", [*_code(body), ("end",)])]
        case Look(body, is_wanted, width):
            return [("look", [*_code(body), ("end",)], is_wanted, width)]
        case At(kind):
            return [("at", kind)]
        case Group(number, body):
            return [("mark", 2 * number), *_code(body), ("mark", 2 * number + 1)]
        case Reference(number):
            return [("same", number)]


def _repeated(node: Repeat) -> list[tuple]:
    body = _code(node.body)
    needed = body * node.low
    if node.high is None:
        mark = -id(node)
        body = [("mark", mark), *body, ("moved", mark)]
        return [*needed, _split(node.is_lazy, len(body) + 1), *body, ("jump", -len(body) - 2)]
    optional = []
    for _ in range(node.high - node.low):
        optional = [_split(node.is_lazy, len(body) + len(optional)), *body, *optional]
    return [*needed, *optional]


def _split(is_lazy: bool, size: int) -> tuple:
    """Into what follows, or behind it."""
    return ("split", size, 0) if is_lazy else ("split", 0, size)
