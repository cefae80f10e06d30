"""A statement's trees as rows of `TreeColumns`: its conclusion first, then its hypotheses and the other types.

Notations and functions share symbols, and namespaces, coercions and ascriptions are dropped
(`lean_extract.syntax.symbol_terms`); `a ≥ b` is `b ≤ a`. A variable of the statement is the number `FREE - i`; one
that an operator binds is `-1 - i`, i the number of binders in between. So equal subterms have equal rows.
"""

from __future__ import annotations

from collections.abc import Mapping

from lean_extract.records import Premise
from lean_extract.syntax.operators import BIG, OPERATORS, PREFIX
from lean_extract.syntax.symbol_terms import SymbolTerm, symbol_of
from retriever.lean.structure.statement import ParsedStatement, statement_of
from retriever.search.index.structure_columns import LARGEST, TreeRow

FREE = -(1 << 16)
"""A statement's variables have this number and those below."""

_FUNCTIONS = {
    symbol: constant.rpartition(".")[2]
    for symbol, constant in (
        *((symbol, operator.constant) for symbol, operator in OPERATORS.items()),
        *((symbol, constant) for symbol, (_, constant) in (*BIG.items(), *PREFIX.items())),
    )
    if constant and constant != "-" and symbol_of(symbol) == symbol
}
"""What those notations stand for that have no word of their own: `tsum` for `∑'`."""


def one_symbol(term: SymbolTerm) -> str:
    """The one symbol for a notation and its function."""
    return _FUNCTIONS.get(term.symbol, term.symbol)


def trees_of_premise(premise: Premise) -> TreeRow:
    """The nodes of a premise; none if it has no statement."""
    return trees_of(statement_of(premise.context, premise.conclusion)) if premise.conclusion else ()


def trees_of(statement: ParsedStatement) -> TreeRow:
    """The nodes of a statement that has been parsed; those that are too many are left out, tree by tree."""
    numbers = {name: FREE - index for index, name in enumerate(sorted(statement.variables))}
    found: list[tuple[str | int, int]] = []
    for term in (statement.conclusion, *statement.hypotheses, *statement.types):
        row = _Row(numbers)
        row.add(term, ())
        if len(found) + len(row.nodes) > LARGEST:
            break
        found += row.nodes
    return found


def row_of(term: SymbolTerm) -> TreeRow:
    """The nodes of one term, all of whose names are fixed."""
    row = _Row({})
    row.add(term, ())
    return row.nodes


class _Row:
    """The nodes of one tree, in preorder."""

    def __init__(self, numbers: Mapping[str, int]) -> None:
        self._numbers = numbers
        self.nodes: list[tuple[str | int, int]] = []

    def add(self, term: SymbolTerm, bound: tuple[str, ...]) -> None:
        """Add a term's nodes. The parser bounds how deep terms are."""
        position = len(self.nodes)
        self.nodes.append((0, 0))
        inner = (*bound, *term.binds)
        last = len(term.arguments) - 1
        for index, argument in enumerate(term.arguments):
            self.add(argument, inner if index == last else bound)
        self.nodes[position] = (self._head(term, bound), len(self.nodes) - position)

    def _head(self, term: SymbolTerm, bound: tuple[str, ...]) -> str | int:
        for distance, name in enumerate(reversed(bound)):
            if name == term.symbol:
                return -1 - distance
        return self._numbers.get(term.symbol) or one_symbol(term)
