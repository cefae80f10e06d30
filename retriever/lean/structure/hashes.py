"""Hashes of a statement's structure, by which a goal finds the statements of which it is an instance.

This is a path index (Stickel 1989) over the statements' text (`lean_extract.syntax.symbol_terms`). For each position
of a term, given by the argument indices from the root, one token contains the symbol there. A variable of a premise
has no symbol. Instead, tokens state that all positions of the same variable hold equal subterms. So, as far as the
text shows, a goal is an instance of a conclusion if it has all of the conclusion's tokens, and a term is an instance
of a side of it if it has, there, all of that side's. There are five channels:

    CONCLUSION     the conclusion, without leading `∀` and `→`: its root, and all that is in neither side
    LEFT, RIGHT    what is in its first and in its second argument
    HYPOTHESES     the propositions among the binders, and what they have in common with the conclusion
    TYPES          the symbols in the types of the other binders

None of them contains names of variables, namespaces or instances.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

import numpy as np

from lean_extract.common.arrays import UInt32s
from lean_extract.records import Goal, Premise
from lean_extract.syntax.inaccessible import without_marks
from lean_extract.syntax.symbol_terms import SymbolTerm
from retriever.lean.structure.statement import (
    MOST_HYPOTHESES,
    ParsedStatement,
    Path,
    TermNode,
    groups_of,
    nodes_of,
    statement_of,
    symbols_of,
)

_MOST_LINKS = 400


class Channel(IntEnum):
    """The part of a statement that a token belongs to, in the highest three bits of its hash."""

    CONCLUSION = 0
    LEFT = 1
    RIGHT = 2
    HYPOTHESES = 3
    TYPES = 4


_SHIFT = 29
_SIDES = (Channel.LEFT, Channel.RIGHT)


@dataclass(frozen=True, slots=True)
class GoalStructure:
    """The hashes of a goal, by channel. `mirrored` holds those of its target with the sides swapped."""

    target: frozenset[int]
    sides: frozenset[int]
    """Those of the target as either side of a conclusion."""
    own: frozenset[int]
    """The hashes in `target` that contain symbols."""
    mirrored: frozenset[int]
    mirrored_sides: frozenset[int]
    hypotheses: frozenset[int]
    types: frozenset[int]

    def also(self, other: GoalStructure) -> GoalStructure:
        """The structure of a goal that is written in another way, too."""
        return GoalStructure(
            self.target | other.target,
            self.sides | other.sides,
            self.own,
            self.mirrored | other.mirrored,
            self.mirrored_sides | other.mirrored_sides,
            self.hypotheses | other.hypotheses,
            self.types | other.types,
        )


def of_premise(premise: Premise) -> frozenset[int]:
    """The hashes of a premise; empty if it has no statement."""
    if not premise.conclusion:
        return frozenset()
    return of_parsed(statement_of(premise.context, premise.conclusion))


def of_parsed(statement: ParsedStatement) -> frozenset[int]:
    """The hashes of a premise whose statement has been parsed."""
    concluded = list(nodes_of(statement.conclusion, statement.variables, is_goal=False))
    found = set(_pattern(concluded))
    found |= set(_assumed(statement, groups_of(concluded)))
    found |= {hash_of(Channel.TYPES, symbol) for symbol in symbols_of(statement.types, statement.variables)}
    return frozenset(found)


def of_goal(goal: Goal) -> GoalStructure:
    """The hashes of a goal, for the channels in which they can be matched."""
    return of_statement(goal_statement(goal))


def goal_statement(goal: Goal) -> ParsedStatement:
    """A goal parsed like a theorem's signature, the last MOST_HYPOTHESES hypotheses as binders."""
    context = tuple(
        f"({' '.join(map(_bare, one.names))} : {one.type})" if one.names else f"[{one.type}]"
        for one in goal.hypotheses[-MOST_HYPOTHESES:]
    )
    return statement_of(tuple(map(without_marks, context)), without_marks(goal.target))


def of_statement(statement: ParsedStatement) -> GoalStructure:
    """`of_goal` of a goal that has been parsed."""
    known = statement.variables
    nodes = list(nodes_of(statement.conclusion, known, is_goal=True))
    hypotheses = [
        (hypothesis, list(nodes_of(hypothesis, known, is_goal=True))) for hypothesis in statement.hypotheses
    ]
    types = symbols_of((*statement.types, *statement.hypotheses, statement.conclusion), known)
    mirrored = _mirrored(statement.conclusion)
    turned = list(nodes_of(mirrored, known, is_goal=True)) if mirrored else []
    return GoalStructure(
        frozenset(_answered(nodes)),
        frozenset(_answered_by_sides(nodes)),
        frozenset(
            symbol_hash(one.path, one.symbols[0])
            for one in nodes
            if one.symbols
            and one.symbols[0][0] not in "@#"  # a premise may have a variable there, which matches anything
        ),
        frozenset(_answered(turned)),
        frozenset(_answered_by_sides(turned)),
        frozenset(_known(nodes, hypotheses)),
        frozenset(hash_of(Channel.TYPES, symbol) for symbol in types),
    )


EQUATION, EQUIVALENCE = (zlib.crc32(f" {symbol}/2".encode()) >> 3 for symbol in ("eq", "iff"))
"""The hashes of a conclusion that is an equation, or an `↔`."""


def hash_of(channel: Channel, token: str) -> int:
    """The hash of a token of a part of a statement."""
    return zlib.crc32(token.encode()) >> 3 | channel << _SHIFT


def channels_of(hashes: UInt32s) -> UInt32s:
    """uint32[n]: the channel of each hash."""
    return hashes >> np.uint32(_SHIFT)


def channel_start(channel: int) -> int:
    """Hashes of a channel are not below this one, and below that of the next channel."""
    return channel << _SHIFT


def symbol_hash(path: Path, symbol: str) -> int:
    """The hash of a symbol at a position of a conclusion."""
    before, channel = _before(path)
    return zlib.crc32(symbol.encode(), before) >> 3 | channel


@lru_cache(1 << 14)
def _before(path: Path) -> tuple[int, int]:
    """(the checksum of what a token has before its symbol, the bits of the channel)."""
    return zlib.crc32(f"{_step(path)} ".encode()), _channel(path) << _SHIFT


def link_hash(first: Path, other: Path) -> int:
    """The hash that two positions of a conclusion hold equal terms."""
    channel = _channel(first)
    return hash_of(
        channel if channel == _channel(other) else Channel.CONCLUSION, f"{_step(first)}={_step(other)}"
    )


def _channel(path: Path) -> Channel:
    return _SIDES[path[0]] if path and path[0] < len(_SIDES) else Channel.CONCLUSION


def _bare(name: str) -> str:
    return without_marks(name) or "_"


@lru_cache(8192)
def _step(path: Path) -> str:
    return "".join(map(str, path)) if all(number < 10 for number in path) else ".".join(map(str, path))


def _tokens(nodes: Sequence[TermNode]) -> Iterator[str]:
    for node in nodes:
        for symbol in node.symbols:
            yield f"{_step(node.path)} {symbol}"


def _pattern(nodes: Sequence[TermNode]) -> Iterator[int]:
    """The hashes that a goal needs to match a conclusion."""
    for node in nodes:
        for symbol in node.symbols:
            yield symbol_hash(node.path, symbol)
    for first, *others in groups_of(nodes).values():
        for other in others:
            yield link_hash(first, other)


def _answered(nodes: Sequence[TermNode], under: Path = ()) -> Iterator[int]:
    """The hashes of a goal's target, as a conclusion or the part `under` one."""
    for node in nodes:
        for symbol in node.symbols:
            yield symbol_hash((*under, *node.path), symbol)
    count = 0
    for group in groups_of(nodes).values():
        for index, first in enumerate(group):
            for other in group[index + 1 :]:
                count += 1
                if count > _MOST_LINKS:
                    return
                yield link_hash((*under, *first), (*under, *other))


def _answered_by_sides(nodes: Sequence[TermNode]) -> Iterator[int]:
    return (token for side, _ in enumerate(_SIDES) for token in _answered(nodes, (side,)))


def _assumed(statement: ParsedStatement, concluded: Mapping[str, Sequence[Path]]) -> Iterator[int]:
    """The hashes that a context needs to match the hypotheses of a premise.

    `concluded` are the positions of equal terms in its conclusion (`groups_of`).
    """
    for hypothesis in statement.hypotheses:
        nodes = list(nodes_of(hypothesis, statement.variables, is_goal=False))
        for token in _tokens(nodes):
            yield hash_of(Channel.HYPOTHESES, token)
        for name, (first, *others) in groups_of(nodes).items():
            for other in others:
                yield hash_of(Channel.HYPOTHESES, f"{_step(first)}={_step(other)}")
            if name in concluded:
                shared = f"{hypothesis.symbol} {_step(first)}~{_step(concluded[name][0])}"
                yield hash_of(Channel.HYPOTHESES, shared)


def _known(
    nodes: Sequence[TermNode], hypotheses: Sequence[tuple[SymbolTerm, list[TermNode]]]
) -> Iterator[int]:
    """The hashes of a goal's context."""
    targets = groups_of(nodes)
    count = 0
    for hypothesis, inside in hypotheses:
        for token in _tokens(inside):
            yield hash_of(Channel.HYPOTHESES, token)
        for key, group in groups_of(inside).items():
            links = [f"{_step(a)}={_step(b)}" for i, a in enumerate(group) for b in group[i + 1 :]]
            head = hypothesis.symbol
            links += [f"{head} {_step(a)}~{_step(b)}" for a in group for b in targets.get(key, ())]
            for token in links:
                count += 1
                if count > 4 * _MOST_LINKS:
                    return
                yield hash_of(Channel.HYPOTHESES, token)


def _mirrored(term: SymbolTerm) -> SymbolTerm | None:
    """The term with its sides swapped, if its symbol is symmetric; otherwise None."""
    if term.symbol in ("eq", "ne", "iff", "and", "or") and len(term.arguments) == 2:
        return SymbolTerm(term.symbol, term.arguments[::-1])
    return None
