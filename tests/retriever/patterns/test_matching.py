"""Whole columns match as single trees do; any text is a pattern, or refused in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from lean_extract.common.errors import BadQuery
from lean_extract.syntax.symbol_terms import SymbolTerm
from retriever.lean.patterns.matching import further_trees, matching, same
from retriever.lean.patterns.query import PatternNode, PatternQuery, Shape, is_pattern, parse_pattern
from retriever.lean.patterns.trees import FREE, trees_of
from retriever.lean.structure.statement import ParsedStatement
from retriever.search.index.structure_columns import TreeColumns, TreeRow
from retriever.search.index.table import Kept

T = TypeVar("T")
VARIABLES = ("x", "y")
SYMBOLS = ("add", "mul", "zero", "sin", *VARIABLES)


def nested(
    leaves: SearchStrategy[T], above: Callable[[SearchStrategy[T]], SearchStrategy[T]]
) -> SearchStrategy[T]:
    """Trees of at most two levels above their leaves."""
    found = leaves
    for _ in range(2):
        found = leaves | above(found)
    return found


def terms(arguments: SearchStrategy[tuple[SymbolTerm, ...]]) -> SearchStrategy[SymbolTerm]:
    """Terms with these arguments. Whatever is not given, hypothesis would draw by its type."""
    return st.builds(SymbolTerm, st.sampled_from(SYMBOLS), arguments, st.just(()))


TERMS = nested(terms(st.just(())), lambda inner: terms(st.lists(inner, min_size=1, max_size=2).map(tuple)))
STATEMENTS = st.builds(
    ParsedStatement,
    st.just(frozenset(VARIABLES)),
    st.lists(TERMS, max_size=2).map(tuple),
    st.lists(TERMS, max_size=1).map(tuple),
    TERMS,
)
PATTERNS = nested(
    st.builds(PatternNode, st.sampled_from(("add", "zero", "sin", "other")))
    | st.builds(PatternNode, st.none(), hole=st.sampled_from(("", "a", "b"))),
    lambda inner: st.builds(
        PatternNode,
        st.sampled_from(("add", "mul", "sin", None)),
        st.lists(inner, min_size=1, max_size=2).map(tuple),
        is_name=st.booleans(),
    ),
)
SHAPES = st.builds(
    lambda conclusion, hypotheses, is_whole: Shape(
        conclusion, tuple(hypotheses), is_whole or bool(hypotheses)
    ),
    PATTERNS,
    st.lists(PATTERNS, max_size=2),
    st.booleans(),
)
Bound = dict[str, SymbolTerm]


def subterms(term: SymbolTerm) -> Iterator[SymbolTerm]:
    yield term
    for argument in term.arguments:
        yield from subterms(argument)


def unify(pattern: PatternNode, term: SymbolTerm, bound: Bound, *, is_root: bool) -> Bound | None:
    """What the named holes stand for where a pattern matches a term; None where it does not."""
    if pattern.is_anything:
        if not pattern.hole:
            return bound
        return {**bound, pattern.hole: term} if bound.get(pattern.hole, term) == term else None
    if pattern.head is not None and pattern.head != (None if term.symbol in VARIABLES else term.symbol):
        return None
    given, wanted = len(term.arguments), len(pattern.arguments)
    if (wanted and given < wanted) or (
        given > wanted and not (pattern.is_name and wanted) and (wanted or not is_root)
    ):
        return None
    found: Bound | None = bound
    for part, argument in zip(pattern.arguments, term.arguments, strict=False):
        found = None if found is None else unify(part, argument, found, is_root=False)
    return found


def met(shape: Shape, statement: ParsedStatement) -> bool:
    if not shape.is_whole:
        roots = (statement.conclusion, *statement.hypotheses, *statement.types)
        return any(
            unify(shape.conclusion, part, {}, is_root=True) is not None
            for root in roots
            for part in subterms(root)
        )
    states = [unify(shape.conclusion, statement.conclusion, {}, is_root=True)]
    for hypothesis in shape.hypotheses:
        states = [
            unify(hypothesis, term, bound, is_root=True)
            for bound in states
            if bound is not None
            for term in (*statement.hypotheses, *statement.types)
        ]
    return any(bound is not None for bound in states)


def columns_of(statements: Sequence[ParsedStatement]) -> TreeColumns:
    return TreeColumns.of_rows([trees_of(one) for one in statements])


def rows_of(trees: TreeColumns) -> list[TreeRow]:
    return [
        [
            (trees.symbols[head] if head >= 0 else head, size)
            for head, size in zip(
                trees.heads[start:stop].tolist(), trees.sizes[start:stop].tolist(), strict=True
            )
        ]
        for start, stop in zip(trees.starts.tolist(), trees.starts[1:].tolist(), strict=False)
    ]


@settings(max_examples=30)
@given(st.lists(STATEMENTS, max_size=3), SHAPES)
def test_columns_match_as_trees_do(statements: list[ParsedStatement], shape: Shape) -> None:
    found, _ = matching(columns_of(statements), PatternQuery(shapes=(shape,)))
    assert found.tolist() == [met(shape, one) for one in statements]


@settings(max_examples=30)
@given(st.lists(STATEMENTS, max_size=6), st.lists(st.booleans(), min_size=6, max_size=6))
def test_rows_come_back_from_columns_and_from_merged_ones(
    statements: list[ParsedStatement], keep: list[bool]
) -> None:
    rows = [list(trees_of(one)) for one in statements]
    trees = TreeColumns.of_rows(rows)
    assert rows_of(trees) == rows
    assert list(trees.symbols) == sorted(set(trees.symbols))
    chosen = np.flatnonzero(keep[: len(rows)])
    count = len(rows)
    merged = TreeColumns.merged([(trees, Kept.of_file(count, chosen)), (trees, Kept.of_file(count))])
    assert merged is not None
    assert rows_of(merged) == [rows[i] for i in chosen] + rows


def test_further_trees_are_the_hypotheses_and_types() -> None:
    zero, sine = SymbolTerm("zero"), SymbolTerm("sin", (SymbolTerm("x"),))
    known = frozenset(VARIABLES)
    statements = [
        ParsedStatement(known, (), (), sine),
        ParsedStatement(known, (sine, zero), (sine,), zero),
        ParsedStatement(known, (), (zero,), sine),
    ]
    trees = columns_of(statements)
    found = further_trees(trees, np.arange(3))
    assert trees.documents_of(found).tolist() == [1, 1, 1, 2]
    assert trees.sizes[found].tolist() == [2, 1, 2, 1]
    everywhere = np.arange(len(trees.heads))
    assert same(trees, everywhere, everywhere).all()


def test_a_bound_variable_has_the_same_number_under_any_name() -> None:
    def summed(name: str) -> SymbolTerm:
        return SymbolTerm("sum", (SymbolTerm("s"), SymbolTerm("f", (SymbolTerm(name),))), (name,))

    statement = ParsedStatement(frozenset({"s", "f"}), (), (), SymbolTerm("eq", (summed("i"), summed("j"))))
    row = list(trees_of(statement))
    assert row[1:5] == row[5:]
    assert [head for head, _ in row[1:5]] == ["sum", FREE - 1, FREE, -1]


@settings(max_examples=100)
@given(st.text(alphabet="_?abx*+≤=→⊢∑()[]|‖,\"' .:∈fun↦Real.sin012", max_size=40))
def test_any_text_is_a_pattern_or_refused_in_words(text: str) -> None:
    is_pattern(text)
    try:
        query = parse_pattern(text)
    except BadQuery as error:
        assert error.hint
        return
    assert query.name_parts or query.constants or query.shapes
    found, _ = matching(TreeColumns.empty(2), query)
    assert len(found) == 2
