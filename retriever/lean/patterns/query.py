"""Patterns as people write them: `Real.sin, "add", ?a * _ ≤ ?b * _`.

The parts are separated by commas, and a statement has to meet all of them. A part is

    "add"               a part of the premise's name, in any case
    Real.sin            a constant in the statement
    _ * (_ ^ _)         a shape anywhere in it; `_` is any term, `?a` the same term at each place
    ⊢ _ < _             a shape that is the whole conclusion (also `|-`)
    0 ≤ ?a → _ ≤ ?a * _   shapes of hypotheses, in any order, and of the conclusion

The notation is that of Loogle, whose patterns are elaborated by Lean; these are text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from lean_extract.common.errors import BadQuery
from lean_extract.syntax.brackets import BARS, PAIRS
from lean_extract.syntax.operators import BIG, OPERATORS, POSTFIX, PREFIX
from lean_extract.syntax.symbol_terms import SymbolTerm, parse_term
from lean_extract.syntax.words import WORDS
from retriever.lean.patterns.trees import one_symbol
from retriever.lean.tokens import VARIABLE, raw_tokens

MOST_LETTERS = 2_000
_MOST_PARTS = 16
_MOST_NODES = 64
_TURNSTILES = ("⊢", "|-")
_HOLE = re.compile(r"(?<![\w.?!'»])(?:\?[A-Za-zα-ω][\w']*|_(?![\w'.]))")
_QUOTED = re.compile(r'"([^"]*)"\Z')
NAME = re.compile(r"(?<![\w.?'])(?:«[^«»]+»|[^\W\d][\w'!?]*)(?:\.(?:«[^«»]+»|[^\W\d][\w'!?]*))*")
"""A dotted name in a text."""
_BINDERS = frozenset((*BIG, "∀", "∫", "∫⁻", "Σ", "Π"))
_SIGNS = frozenset((*PREFIX, *BIG, *BARS, "-", "¬"))
"""What may begin an operand."""
_HOLE_NAME = "__"
"""A hole's name for the parser begins with this; it is one that nobody writes."""
_ANY = "_"


@dataclass(frozen=True, slots=True)
class PatternNode:
    """A node of a shape: a symbol, a variable that the shape binds (negative), or, if None, a hole."""

    head: str | int | None
    arguments: tuple[PatternNode, ...] = ()
    hole: str = ""
    """The name of a hole that stands for the same term wherever it is; empty for `_`."""
    is_name: bool = False
    """Whether it is written as a name, which may be applied to further arguments."""

    def nodes(self) -> Iterator[PatternNode]:
        """The node and those below it."""
        yield self
        for argument in self.arguments:
            yield from argument.nodes()

    @property
    def is_anything(self) -> bool:
        """Whether it is a hole without arguments, of any name."""
        return self.head is None and not self.arguments


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape that occurs in a statement, or, if `is_whole`, is its conclusion, with hypotheses of these shapes."""

    conclusion: PatternNode
    hypotheses: tuple[PatternNode, ...] = ()
    is_whole: bool = False
    column: int = 1
    """Where it begins in the query, from 1."""

    def nodes(self) -> Iterator[PatternNode]:
        """All nodes."""
        for root in (*self.hypotheses, self.conclusion):
            yield from root.nodes()


@dataclass(frozen=True, slots=True)
class Mentioned:
    """A name that is written in a pattern."""

    name: str
    symbol: str
    column: int
    """From 1."""


@dataclass(frozen=True, slots=True)
class PatternQuery:
    """What a statement has to meet."""

    name_parts: tuple[str, ...] = ()
    """In lower case."""
    constants: tuple[Mentioned, ...] = ()
    shapes: tuple[Shape, ...] = ()
    mentioned: tuple[Mentioned, ...] = ()
    """All names in constants and shapes."""

    @property
    def is_of_names(self) -> bool:
        """Whether it asks for parts of names only, for which no statement is needed."""
        return not self.constants and not self.shapes

    @property
    def nodes(self) -> int:
        """How many nodes of a statement it fixes."""
        shaped = sum(node.head is not None for shape in self.shapes for node in shape.nodes())
        return shaped + len(self.constants)


def is_pattern(text: str) -> bool:
    """Whether a query is a pattern: it has a hole, a quoted name, or is a list of dotted names.

    A goal as Lean prints it, whose `⊢` follows hypotheses, is not a pattern.
    """
    lines = text.strip().split("\n")
    if len(lines) > 1 or len(text) > MOST_LETTERS:
        return False
    for turnstile in _TURNSTILES:
        before, found, _ = text.partition(turnstile)
        if found and before.strip() and not before.rstrip().endswith(","):
            return False
    parts = [part for part, _ in pattern_parts(text)]
    if any(_QUOTED.match(part) for part in parts) or any(_HOLE.search(part) for part in parts):
        return True
    return len(parts) > 1 and all(map(NAME.fullmatch, parts)) and any("." in part for part in parts)


def parse_pattern(text: str, write: Callable[[str], str] = str) -> PatternQuery:
    """Read a pattern. Raises BadQuery: the message says what is wrong and at which column, from 1.

    `write` gives the shapes in another way of writing, with names for their holes.
    """
    parts = list(pattern_parts(text))
    if len(parts) > _MOST_PARTS:
        raise BadQuery(
            f"The pattern has {len(parts)} parts; at most {_MOST_PARTS} are read.", "Leave some out."
        )
    names: list[str] = []
    constants: list[Mentioned] = []
    shapes: list[Shape] = []
    mentioned: list[Mentioned] = []
    for part, column in parts:
        if not part:
            raise _fault("A part of the pattern is missing", column, "Write something between the commas.")
        if quoted := _QUOTED.match(part):
            names.append(_name_part(quoted[1], column))
        elif NAME.fullmatch(part) and part != _ANY:
            constants.append(_constant(part, column))
        else:
            shape, used = _shape(part, column, write)
            shapes.append(shape)
            mentioned += used
    return PatternQuery(tuple(names), tuple(constants), tuple(shapes), (*constants, *mentioned))


def _name_part(quoted: str, column: int) -> str:
    if not quoted.strip():
        raise _fault(
            "The quotation marks hold nothing", column, 'Write a part of a name between them, as in "add".'
        )
    return quoted.strip().lower()


def _constant(part: str, column: int) -> Mentioned:
    term = parse_term(part)
    _refuse_variable(part, column)
    return Mentioned(part, one_symbol(term), column)


def pattern_parts(text: str) -> Iterator[tuple[str, int]]:
    """The parts between commas, stripped, each with the column where it begins.

    A comma in brackets, in quotation marks or after a binder (`∑ i, _`) separates nothing.
    """
    start = depth = owed = 0
    is_quoted = False
    for position, letter in enumerate(f"{text},"):
        if letter == '"':
            is_quoted = not is_quoted
        if is_quoted and position < len(text):
            continue
        depth += (letter in PAIRS) - (letter in PAIRS.values())
        owed += letter in _BINDERS
        if letter != ",":
            continue
        if position == len(text) or (depth <= 0 and not owed):
            part = text[start:position]
            yield part.strip(), start + 1 + len(part) - len(part.lstrip())
            start, owed = position + 1, 0
        else:
            owed -= depth <= 0


def _shape(part: str, column: int, write: Callable[[str], str]) -> tuple[Shape, list[Mentioned]]:
    text, at, is_whole = part, column, False
    for turnstile in _TURNSTILES:
        if part.startswith(turnstile):
            rest = part[len(turnstile) :]
            text, is_whole = rest.lstrip(), True
            at = column + len(part) - len(text)
    if not text:
        raise _fault("There is no conclusion", column, "Write a shape after the turnstile, as in `⊢ _ < _`.")
    _check_brackets(text, at)
    holes: set[str] = set()

    def named(match: re.Match[str]) -> str:
        name = _HOLE_NAME + match[0][1:] if match[0] != _ANY else _ANY
        holes.add(name)
        return name

    marked = write(_HOLE.sub(named, text))
    tokens = raw_tokens(marked)
    _check_operators(tokens, text, at)
    written = {token for token in tokens if NAME.fullmatch(token)}
    conclusion, *hypotheses = _split(parse_term(marked, frozenset(holes)), frozenset(holes), written)
    shape = Shape(conclusion, tuple(hypotheses), is_whole or bool(hypotheses), column)
    _check_size(shape, part, column)
    return shape, list(_names(text, at, shape))


def _split(term: SymbolTerm, holes: frozenset[str], written: set[str]) -> list[PatternNode]:
    """The conclusion of `p → q → r`, and the hypotheses."""
    last = {name.rpartition(".")[2] for name in written} | written
    hypotheses: list[PatternNode] = []
    while term.symbol == "→" and len(term.arguments) == 2:
        hypotheses.append(_node(term.arguments[0], holes, last, ()))
        term = term.arguments[1]
    return [_node(term, holes, last, ()), *hypotheses]


def _node(term: SymbolTerm, holes: frozenset[str], names: set[str], bound: tuple[str, ...]) -> PatternNode:
    inner = (*bound, *term.binds)
    end = len(term.arguments) - 1
    arguments = tuple(
        _node(argument, holes, names, inner if index == end else bound)
        for index, argument in enumerate(term.arguments)
    )
    if term.symbol in holes:
        hole = term.symbol.removeprefix(_HOLE_NAME) if term.symbol != _ANY else ""
        if arguments and all(isinstance(one.head, int) and not one.arguments for one in arguments):
            return PatternNode(None, hole=hole)  # `?f i` under a binder of `i` is any term
        return PatternNode(None, arguments, hole)
    for distance, name in enumerate(reversed(bound)):
        if name == term.symbol:
            return PatternNode(-1 - distance, arguments)
    return PatternNode(one_symbol(term), arguments, is_name=term.symbol in names)


def _names(text: str, column: int, shape: Shape) -> Iterator[Mentioned]:
    """The names in a shape that are symbols of it, each with its column."""
    symbols = {node.head for node in shape.nodes() if isinstance(node.head, str)}
    for match in NAME.finditer(text):
        symbol = one_symbol(parse_term(match[0]))
        if match[0] != _ANY and symbol in symbols:
            _refuse_variable(match[0], column + match.start())
            yield Mentioned(match[0], symbol, column + match.start())


def _refuse_variable(name: str, column: int) -> None:
    if VARIABLE.match(name) and name not in WORDS:
        raise _fault(
            f"`{name}` looks like a variable",
            column,
            f"For any term write `_`, or `?{name}` for the same one.",
        )


def _check_brackets(text: str, column: int) -> None:
    closers = set(PAIRS.values())
    opened: list[tuple[str, int]] = []
    for position, letter in enumerate(text):
        if letter in PAIRS:
            opened.append((PAIRS[letter], position))
        elif letter in closers and (not opened or opened.pop()[0] != letter):
            raise _fault(f"The bracket `{letter}` closes none", column + position, "Take it away.")
    if opened:
        letter = text[opened[-1][1]]
        raise _fault(f"The bracket `{letter}` is not closed", column + opened[-1][1], "Close it.")


def _check_operators(tokens: Sequence[str], text: str, column: int) -> None:
    """Raise BadQuery where an operator has nothing on one of its sides."""
    before = ""
    for token in (*tokens, ""):
        is_end = token in ("", ",", *PAIRS.values())
        lacks_right = _joins(before) and (is_end or _joins(token))
        lacks_left = _joins(token) and (before in ("", ",", *PAIRS))
        if lacks_left or lacks_right:
            what, side = (before, "after") if lacks_right else (token, "before")
            position = max(text.find(what), 0)
            raise _fault(
                f"There is nothing {side} `{what}`", column + position, "Write `_` there for any term."
            )
        before = token


def _joins(token: str) -> bool:
    """Whether a token is an operator between two operands and nothing else."""
    return token in OPERATORS and token not in _SIGNS and token not in POSTFIX


def _check_size(shape: Shape, part: str, column: int) -> None:
    nodes = list(shape.nodes())
    if len(nodes) > _MOST_NODES:
        message = f"The pattern has a shape of {len(nodes)} symbols; at most {_MOST_NODES} are read"
        raise _fault(message, column, "Write `_` for a part of it.")
    if any(node.head == "…" for node in nodes):
        raise _fault(f"`{part}` cannot be read as a term", column, "See docs/pattern-search.md.")
    if all(node.head is None for node in nodes):
        message = (
            "The pattern fits every statement" if not nodes[0].arguments else "The pattern has no symbol"
        )
        raise _fault(message, column, "Add an operator or a constant, as in `_ * _ ≤ _`.")


def _fault(message: str, column: int, hint: str) -> BadQuery:
    return BadQuery(f"{message} (column {column} of the pattern).", hint)
