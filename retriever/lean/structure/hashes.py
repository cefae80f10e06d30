"""Hashes of a statement's structure, by which a goal finds the statements of which it is an instance.

This is a path index (Stickel 1989) over the statements' text (`lean_extract.syntax.symbol_terms`). For each position
of a term, given by the argument indices from the root, one token contains the symbol there. A variable of a premise
has no symbol. Instead, tokens state that all positions of the same variable hold equal subterms. So, as far as the
text shows, a goal is an instance of a conclusion if it has all of the conclusion's tokens. There are five channels:

    CONCLUSION     the conclusion, without leading `∀` and `→`
    LEFT, RIGHT    each side of a conclusion that is an `↔`
    HYPOTHESES     the propositions among the binders, and what they have in common with the conclusion
    TYPES          the symbols in the types of the other binders

None of them contains names of variables, namespaces or instances.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import IntEnum
from functools import lru_cache

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
    """The part of a statement that a token belongs to, in the lowest three bits of its hash."""

    CONCLUSION = 0
    LEFT = 1
    RIGHT = 2
    HYPOTHESES = 3
    TYPES = 4


SIDES = (Channel.CONCLUSION, Channel.LEFT, Channel.RIGHT)
"""The channels that are searched for a goal's target."""


@dataclass(frozen=True, slots=True)
class GoalStructure:
    """The hashes of a goal, by channel. `mirrored` holds those of its target with the sides swapped."""

    target: frozenset[int]
    own: frozenset[int]
    """The hashes in `target` that contain symbols."""
    mirrored: frozenset[int]
    hypotheses: frozenset[int]
    types: frozenset[int]

    def also(self, other: GoalStructure) -> GoalStructure:
        """The structure of a goal that is written in another way, too."""
        return GoalStructure(
            self.target | other.target,
            self.own,
            self.mirrored | other.mirrored,
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
    found = set(_pattern(concluded, Channel.CONCLUSION))
    if statement.conclusion.symbol == "iff" and len(statement.conclusion.arguments) == 2:
        for side, channel in zip(statement.conclusion.arguments, (Channel.LEFT, Channel.RIGHT), strict=True):
            found |= set(_pattern(list(nodes_of(side, statement.variables, is_goal=False)), channel))
    found |= set(_assumed(statement, groups_of(concluded)))
    found |= {_hash(Channel.TYPES, symbol) for symbol in symbols_of(statement.types, statement.variables)}
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
    return GoalStructure(
        frozenset(_answered(nodes)),
        frozenset(
            _hash(Channel.CONCLUSION, f"{_step(one.path)} {one.symbols[0]}")
            for one in nodes
            if one.symbols
            and one.symbols[0][0] not in "@#"  # a premise may have a variable there, which matches anything
        ),
        frozenset(_answered(list(nodes_of(mirrored, known, is_goal=True)))) if mirrored else frozenset(),
        frozenset(_known(nodes, hypotheses)),
        frozenset(_hash(Channel.TYPES, symbol) for symbol in types),
    )


@dataclass(frozen=True, slots=True)
class GoalPatterns:
    """Hashes of CONCLUSION and HYPOTHESES that show how a premise could be used on a goal, by kind of match."""

    head: frozenset[int]
    """The root symbol of the target."""
    left_of_target: frozenset[int]
    """The root of the target's first argument, in the same position: a relation with the same left side."""
    right_of_target: frozenset[int]
    left_inside: frozenset[int]
    """The roots of the target's subterms as first arguments: an equation that rewrites one of them."""
    right_inside: frozenset[int]
    """The same as second arguments: one that rewrites from right to left."""
    left_subterms: frozenset[int]
    """The subterms down to some depth as first arguments: how much of a left side is met."""
    hypotheses: frozenset[int]
    """The roots of the hypotheses' subterms as hypotheses: what could be proved by one of them."""

    def also(self, other: GoalPatterns) -> GoalPatterns:
        """The patterns of a goal that is written in another way, too."""
        both = ((one.name, getattr(self, one.name) | getattr(other, one.name)) for one in fields(self))
        return GoalPatterns(**dict(both))


EQUATION, EQUIVALENCE = (zlib.crc32(f" {symbol}/2".encode()) & ~7 for symbol in ("eq", "iff"))
"""The hashes of a conclusion that is an equation, or an `↔`."""
_MOST_SUBTERMS = 64
_MOST_LEFT_SIDES = 24
_DEEPEST_LEFT_SIDE = 3


def patterns_of(statement: ParsedStatement) -> GoalPatterns:
    """The patterns of a goal that has been parsed."""
    target, variables = statement.conclusion, statement.variables
    inside = [term for term in _subterms(target, _MOST_SUBTERMS) if term.symbol not in variables]
    applied = [term for term in inside if term.arguments]
    known = [
        term
        for hypothesis in (*statement.hypotheses, *statement.types)
        for term in _subterms(hypothesis, _MOST_LEFT_SIDES)
        if term.arguments and term.symbol not in variables
    ]
    roots = {_root(term) for term in applied}
    sides = [
        frozenset(_conclusions([f"{side} {_root(one)}"])) for side, one in enumerate(target.arguments[:2])
    ]
    return GoalPatterns(
        head=frozenset(_conclusions([f" {_root(target)}"])),
        left_of_target=sides[0] if sides else frozenset(),
        right_of_target=sides[1] if len(sides) > 1 else frozenset(),
        left_inside=frozenset(_conclusions(f"0 {root}" for root in roots)),
        right_inside=frozenset(_conclusions(f"1 {root}" for root in roots)),
        left_subterms=frozenset(
            _hash(Channel.CONCLUSION, f"{_step((0, *node.path))} {symbol}")
            for term in applied[:_MOST_LEFT_SIDES]
            for node in nodes_of(term, variables, is_goal=True)
            if len(node.path) <= _DEEPEST_LEFT_SIDE
            for symbol in node.symbols
        ),
        hypotheses=frozenset(_hash(Channel.HYPOTHESES, f" {root}") for root in map(_root, known)),
    )


def _conclusions(tokens: Iterable[str]) -> Iterator[int]:
    return (_hash(Channel.CONCLUSION, token) for token in tokens)


def _root(term: SymbolTerm) -> str:
    return f"{term.symbol}/{len(term.arguments)}"


def _subterms(term: SymbolTerm, most: int) -> list[SymbolTerm]:
    """The term and its subterms, those nearest to the root first, at most so many."""
    found = [term]
    for one in found:
        if len(found) >= most:
            break
        found += one.arguments
    return found[:most]


def in_channel(token: int, channel: Channel) -> int:
    """The same hash in another channel."""
    return (token & ~7) | channel


def _hash(channel: Channel, token: str) -> int:
    return (zlib.crc32(token.encode()) & ~7) | channel


def _bare(name: str) -> str:
    return without_marks(name) or "_"


@lru_cache(8192)
def _step(path: Path) -> str:
    return "".join(map(str, path)) if all(number < 10 for number in path) else ".".join(map(str, path))


def _tokens(nodes: Sequence[TermNode]) -> Iterator[str]:
    for node in nodes:
        for symbol in node.symbols:
            yield f"{_step(node.path)} {symbol}"


def _pattern(nodes: Sequence[TermNode], channel: Channel) -> Iterator[int]:
    """The hashes that a goal needs to match a part of a premise."""
    for token in _tokens(nodes):
        yield _hash(channel, token)
    for first, *others in groups_of(nodes).values():
        for other in others:
            yield _hash(channel, f"{_step(first)}={_step(other)}")


def _answered(nodes: Sequence[TermNode]) -> Iterator[int]:
    """The hashes of a goal's target."""
    for token in _tokens(nodes):
        yield _hash(Channel.CONCLUSION, token)
    count = 0
    for group in groups_of(nodes).values():
        for index, first in enumerate(group):
            for other in group[index + 1 :]:
                count += 1
                if count > _MOST_LINKS:
                    return
                yield _hash(Channel.CONCLUSION, f"{_step(first)}={_step(other)}")


def _assumed(statement: ParsedStatement, concluded: Mapping[str, Sequence[Path]]) -> Iterator[int]:
    """The hashes that a context needs to match the hypotheses of a premise.

    `concluded` are the positions of equal terms in its conclusion (`groups_of`).
    """
    for hypothesis in statement.hypotheses:
        nodes = list(nodes_of(hypothesis, statement.variables, is_goal=False))
        for token in _tokens(nodes):
            yield _hash(Channel.HYPOTHESES, token)
        for name, (first, *others) in groups_of(nodes).items():
            for other in others:
                yield _hash(Channel.HYPOTHESES, f"{_step(first)}={_step(other)}")
            if name in concluded:
                shared = f"{hypothesis.symbol} {_step(first)}~{_step(concluded[name][0])}"
                yield _hash(Channel.HYPOTHESES, shared)


def _known(
    nodes: Sequence[TermNode], hypotheses: Sequence[tuple[SymbolTerm, list[TermNode]]]
) -> Iterator[int]:
    """The hashes of a goal's context."""
    targets = groups_of(nodes)
    count = 0
    for hypothesis, inside in hypotheses:
        for token in _tokens(inside):
            yield _hash(Channel.HYPOTHESES, token)
        for key, group in groups_of(inside).items():
            links = [f"{_step(a)}={_step(b)}" for i, a in enumerate(group) for b in group[i + 1 :]]
            head = hypothesis.symbol
            links += [f"{head} {_step(a)}~{_step(b)}" for a in group for b in targets.get(key, ())]
            for token in links:
                count += 1
                if count > 4 * _MOST_LINKS:
                    return
                yield _hash(Channel.HYPOTHESES, token)


def _mirrored(term: SymbolTerm) -> SymbolTerm | None:
    """The term with its sides swapped, if its symbol is symmetric; otherwise None."""
    if term.symbol in ("eq", "ne", "iff", "and", "or") and len(term.arguments) == 2:
        return SymbolTerm(term.symbol, term.arguments[::-1])
    return None
