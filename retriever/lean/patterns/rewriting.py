"""Which equations and equivalences rewrite a term: those one side of which the term is an instance of.

The sides of all conclusions are compared with the term at once, a node of the term at a time. Where a side has a
variable, it stands for the whole subterm there. That a variable which occurs twice stands for the same is checked on
what is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

import numpy as np

from lean_extract.common.arrays import Bools, Ids
from lean_extract.syntax.placed import TextRange, range_of
from lean_extract.syntax.statement_syntax import placed_words, words_of
from lean_extract.syntax.symbol_terms import SymbolTerm, parse_term, syntax_of
from lean_extract.syntax.terms import SyntaxNode
from retriever.lean.patterns.trees import FREE, row_of
from retriever.search.index.structure_columns import TreeColumns, TreeRow

_RELATIONS = ("eq", "iff")
_NOWHERE = -(1 << 30)
"""The number of a symbol that no tree has; no variable has it."""
_MOST_CHECKED = 20_000


@dataclass(frozen=True, slots=True)
class Sides:
    """bool[n] each: whose left side, and whose right side, a term is an instance of."""

    left: Bools
    right: Bools


def subterms(term: SymbolTerm) -> Iterator[SymbolTerm]:
    """A term and all terms in it."""
    waiting = [term]
    while waiting:
        here = waiting.pop()
        yield here
        waiting += here.arguments


def is_part(part: SymbolTerm, whole: SymbolTerm) -> bool:
    """Whether a term is one of another's subterms, or all of it."""
    return part in subterms(whole)


def is_free_part(part: SymbolTerm, whole: SymbolTerm) -> bool:
    """Whether a term occurs in another without a variable that is bound around it. `rw` rewrites only such terms."""
    symbols = {one.symbol for one in subterms(part)}
    waiting = [whole]
    while waiting:
        here = waiting.pop()
        if here == part:
            return True
        last = len(here.arguments) - 1
        for index, argument in enumerate(here.arguments):
            if index < last or symbols.isdisjoint(here.binds):
                waiting.append(argument)
    return False


def rewriting(trees: TreeColumns, term: SymbolTerm, local: frozenset[str]) -> Sides:
    """Which conclusions of these trees are equations or equivalences that rewrite a term.

    `local` are names of hypotheses in it, which are no constants of the same name.
    """
    row = row_of(term)
    heads = [_NOWHERE if head in local else _number(trees, head) for head, _ in row]
    numbers = [trees.find(relation) for relation in _RELATIONS]
    roots = trees.starts[:-1][np.diff(trees.starts) > 0]
    roots = roots[np.isin(trees.heads[roots], [one for one in numbers if one is not None])]
    left = roots + 1
    right = left + trees.sizes[left]
    documents = trees.documents_of(roots)
    right_is_there = right < roots + trees.sizes[roots]
    sides = (
        _instances(trees, left, row, heads),
        _instances(trees, np.where(right_is_there, right, left), row, heads) & right_is_there,
    )
    found = [np.zeros(len(trees), dtype=np.bool_) for _ in sides]
    for marked, mask in zip(found, sides, strict=True):
        marked[documents[mask]] = True
    return Sides(*found)


def _instances(trees: TreeColumns, sides: Ids, row: TreeRow, heads: Sequence[int]) -> Bools:
    """bool[len(sides)]: whether the term is an instance of the tree at each node. `heads`: its heads as numbers."""
    sizes = [size for _, size in row]
    end = sides + trees.sizes[sides]
    at, upto = sides.astype(np.int64), np.zeros(len(sides), dtype=np.int64)
    alive = trees.heads[sides] == heads[0]  # a side that is a variable would rewrite anything
    for index, head in enumerate(heads):
        rows = np.flatnonzero(alive & (upto == index))
        inside = at[rows] < end[rows]
        alive[rows[~inside]] = False
        rows = rows[inside]
        places = at[rows]
        here = trees.heads[places]
        is_free = here <= FREE
        is_same = (here == head) & ~is_free
        at[rows] = places + np.where(is_free, trees.sizes[places], 1)
        upto[rows] = np.where(is_free, index + sizes[index], index + 1)
        alive[rows[~(is_free | is_same)]] = False
    alive &= (at == end) & (upto == len(row))
    for number in np.flatnonzero(alive)[:_MOST_CHECKED].tolist():
        start = int(sides[number])
        stop = start + int(trees.sizes[start])
        tree = list(zip(trees.heads[start:stop].tolist(), trees.sizes[start:stop].tolist(), strict=True))
        alive[number] = _is_consistent(tree, row)
    return np.asarray(alive)


def _number(trees: TreeColumns, head: str | int) -> int:
    if isinstance(head, int):
        return head
    number = trees.find(head)
    return number if number is not None else _NOWHERE


def _is_consistent(tree: Sequence[tuple[int, int]], row: TreeRow) -> bool:
    """Whether each variable of a tree stands for the same in a term that it was compared with."""
    known: dict[int, TreeRow] = {}
    at = index = 0
    while at < len(tree):
        head, size = tree[at]
        if head > FREE:
            at, index = at + 1, index + 1
            continue
        part = row[index : index + row[index][1]]
        if size == 1 and known.setdefault(head, part) != part:
            return False
        at, index = at + size, index + row[index][1]
    return True


LONGEST_PART = 4_000
"""Characters; a longer part cannot be selected."""


def parts_of(target: str, local: Set[str]) -> list[TextRange]:
    """The ranges of a target's subexpressions: each once, in order, a part before those inside it.

    Args:
        target: as Lean prints it; words after `symbol_terms.MOST_TOKENS` have no parts.
        local: the names of hypotheses.
    """
    words = placed_words(target)
    terms: set[SymbolTerm] = set(subterms(parse_term(target, local)))
    ranges = {range_of(node, words) for node in _selectable(syntax_of(words_of(target)))}
    texts = {target[start:end] for start, end in ranges if end - start <= LONGEST_PART}
    # A few spellings read otherwise without what is around them.
    readable = {text for text in texts if parse_term(text, local) in terms}
    return sorted(
        (part for part in ranges if target[part.start : part.end] in readable),
        key=lambda part: (part.start, -part.end),
    )


def _selectable(node: SyntaxNode) -> Iterator[SyntaxNode]:
    """The nodes that are subexpressions. Brackets around one are left out, and names that are applied."""
    waiting = [node]
    while waiting:
        here = waiting.pop()
        parts = here.parts
        if here.end > here.start and not _is_wrapper(here):
            yield here
        if here.kind == "applied" and parts[0].kind == "name":
            parts = parts[1:]
        waiting += parts


def _is_wrapper(node: SyntaxNode) -> bool:
    """Whether a node is brackets around one term, without a type: `(a + b)`, not `(a : ℝ)`."""
    if node.kind == "set":
        return True
    return (
        node.kind == "brackets"
        and node.text == "("
        and len(node.parts) == 1
        and node.parts[0].end == node.end - 1
    )
