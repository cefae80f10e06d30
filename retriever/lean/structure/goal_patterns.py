"""Hashes that show how a premise could be used on a goal, by kind of match."""

from __future__ import annotations

from dataclasses import dataclass, fields

from lean_extract.syntax.symbol_terms import SymbolTerm
from retriever.lean.structure.hashes import Channel, hash_of, symbol_hash
from retriever.lean.structure.statement import ParsedStatement, nodes_of


@dataclass(frozen=True, slots=True)
class GoalPatterns:
    """Hashes of conclusions and HYPOTHESES that show how a premise could be used on a goal, by kind of match."""

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
    sides = [frozenset((symbol_hash((side,), _root(one)),)) for side, one in enumerate(target.arguments[:2])]
    return GoalPatterns(
        head=frozenset((symbol_hash((), _root(target)),)),
        left_of_target=sides[0] if sides else frozenset(),
        right_of_target=sides[1] if len(sides) > 1 else frozenset(),
        left_inside=frozenset(symbol_hash((0,), root) for root in roots),
        right_inside=frozenset(symbol_hash((1,), root) for root in roots),
        left_subterms=frozenset(
            symbol_hash((0, *node.path), symbol)
            for term in applied[:_MOST_LEFT_SIDES]
            for node in nodes_of(term, variables, is_goal=True)
            if len(node.path) <= _DEEPEST_LEFT_SIDE
            for symbol in node.symbols
        ),
        hypotheses=frozenset(hash_of(Channel.HYPOTHESES, f" {root}") for root in map(_root, known)),
    )


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
