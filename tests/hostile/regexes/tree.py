"""A regular expression as a tree of few kinds of nodes, over an alphabet of few letters.

Letters that no part of the expression tells apart are one letter: the alphabet has one of each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from re import _compiler, _constants, _parser
from typing import Any, Literal

_SAMPLES = " x\0\t\n\r!\"#$%'()*+,-./0:;<=>?@A[\\]^_`{|}~\x85«»é₁α←⊢✝\u2028𝔸\ud800"
_MOST_TIMES, _SOME_TIMES = 1000, 8
"""A repeat of at most so many times is read as one of at most a few, since it takes a bounded time."""
_INHERITED = re.IGNORECASE | re.MULTILINE | re.DOTALL | re.ASCII | re.UNICODE


@dataclass(frozen=True, slots=True)
class Letter:
    """One character of a set; `index` is that of the set in `Tree.masks`."""

    index: int


@dataclass(frozen=True, slots=True)
class Row:
    """One part after the other."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """The first of the parts that leads to a match."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """`body`, from `low` to `high` times; `high` is None where there is no limit."""

    body: Node
    low: int
    high: int | None
    is_lazy: bool


@dataclass(frozen=True, slots=True)
class Atomic:
    """The first match of `body`; no other is tried."""

    body: Node


@dataclass(frozen=True, slots=True)
class Look:
    """What must (or must not) stand here, or in the `width` letters before."""

    body: Node
    is_wanted: bool
    width: int


@dataclass(frozen=True, slots=True)
class At:
    """A place: `$`, `^`, `\\b` and the like."""

    kind: str


@dataclass(frozen=True, slots=True)
class Group:
    """What a number refers to."""

    number: int
    body: Node


@dataclass(frozen=True, slots=True)
class Reference:
    """The text of a group again."""

    number: int


Node = Letter | Row | Choice | Repeat | Atomic | Look | At | Group | Reference
NOTHING = Row(())


@dataclass(frozen=True, slots=True)
class Tree:
    """An expression: its root, the letters of its alphabet, and of each set of characters the bits of its
    letters. `words` and `breaks` are the bits of `\\w` and of the line break."""

    root: Node
    letters: str
    masks: tuple[int, ...]
    words: int
    breaks: int

    @property
    def everything(self) -> int:
        """The bits of all letters."""
        return (1 << len(self.letters)) - 1

    def text(self, letters: tuple[int, ...]) -> str:
        """Letters as characters."""
        return "".join(self.letters[letter] for letter in letters)


def read(pattern: str | bytes, flags: int) -> Tree:
    """Read an expression. Raises re.error, and NotImplementedError for `(?(1)a|b)`, which nobody needs."""
    parsed = _parser.parse(pattern, flags & (_INHERITED | re.VERBOSE) if isinstance(pattern, str) else 0)
    reader = _Reader(isinstance(pattern, bytes))
    root = reader.row(parsed, parsed.state.flags)
    letters, masks = reader.alphabet()
    return Tree(
        root,
        letters,
        masks,
        sum(1 << index for index, one in enumerate(letters) if re.match(r"\w", one)),
        sum(1 << index for index, one in enumerate(letters) if one == "\n"),
    )


@dataclass(slots=True)
class _Reader:
    """Turns the parser's operations into nodes, and gathers the sets of characters."""

    is_bytes: bool
    sets: dict[str, int] = field(default_factory=dict)
    tests: list[Callable[[Any], Any]] = field(default_factory=list)
    seen: dict[str, None] = field(default_factory=lambda: dict.fromkeys(_SAMPLES))

    def row(self, parsed: Any, flags: int) -> Node:
        parts = tuple(self.node(parsed.state, op, flags) for op in parsed)
        return parts[0] if len(parts) == 1 else Row(parts)

    def node(self, state: Any, op: tuple[Any, Any], flags: int) -> Node:
        name, value = str(op[0]), op[1]
        match name:
            case "LITERAL" | "NOT_LITERAL" | "IN" | "ANY":
                return self.letter(state, op, flags)
            case "BRANCH":
                return Choice(tuple(self.row(part, flags) for part in value[1]))
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                low, high, body = value
                limit = None if high is _constants.MAXREPEAT or high > _MOST_TIMES else min(high, _SOME_TIMES)
                found = Repeat(self.row(body, flags), min(low, _SOME_TIMES), limit, name == "MIN_REPEAT")
                return Atomic(found) if name == "POSSESSIVE_REPEAT" else found
            case "SUBPATTERN":
                number, added, removed, body = value
                inside = self.row(body, (flags | added) & ~removed)
                return inside if number is None else Group(number, inside)
            case "ATOMIC_GROUP":
                return Atomic(self.row(value, flags))
            case "ASSERT" | "ASSERT_NOT":
                direction, body = value
                width = 0 if direction > 0 else body.getwidth()[0]
                return Look(self.row(body, flags), name == "ASSERT", width)
            case "AT":
                is_line = flags & re.MULTILINE and str(value) in ("AT_BEGINNING", "AT_END")
                return At(f"{value}_LINE" if is_line else str(value))
            case "GROUPREF":
                return Reference(value)
            case "FAILURE":
                return Look(NOTHING, False, 0)
        raise NotImplementedError(name)

    def letter(self, state: Any, op: tuple[Any, Any], flags: int) -> Letter:
        key = f"{op} {flags}"
        if key not in self.sets:
            self.sets[key] = len(self.tests)
            single = _parser.SubPattern(state, [op])
            self.tests.append(_compiler.compile(single, flags & _INHERITED).fullmatch)
            for code in _edges(op):
                for one in {chr(code), chr(code).swapcase()}:
                    if len(one) == 1:
                        self.seen.setdefault(one)
        return Letter(self.sets[key])

    def alphabet(self) -> tuple[str, tuple[int, ...]]:
        kinds: dict[tuple[bool, ...], str] = {}
        for one in self.seen:
            if not self.is_bytes:
                kinds.setdefault(self.signature(one, one), one)
            elif ord(one) < 256:
                kinds.setdefault(self.signature(one, one.encode("latin-1")), one)
        masks = [0] * len(self.tests)
        for index, signature in enumerate(kinds):
            for number in range(len(masks)):
                masks[number] |= signature[number] << index
        return "".join(kinds.values()), tuple(masks)

    def signature(self, one: str, subject: str | bytes) -> tuple[bool, ...]:
        return (
            *(test(subject) is not None for test in self.tests),
            re.match(r"\w", one) is not None,
            one == "\n",
        )


def _edges(op: tuple[Any, Any]) -> Iterator[int]:
    """The characters that an operation names, and those beside its ranges."""
    name, value = str(op[0]), op[1]
    if name in ("LITERAL", "NOT_LITERAL"):
        yield value
    elif name == "RANGE":
        yield from (code for code in (value[0] - 1, *value, value[1] + 1) if 0 <= code < 0x110000)
    elif name == "IN":
        for inner in value:
            yield from _edges(inner)


Mode = Literal["match", "fullmatch", "search", "all"]
"""How an expression is used: at one place, at one place and to the end, from any place, again and again."""
