"""Matches a pattern with the trees of all statements of a segment at once.

A shape's root is looked for in one pass over the nodes; what is found is narrowed down, symbol by symbol, by
looking at the place where each argument begins. So time grows with the number of nodes (2 ms a million), and with
how often the root's symbol occurs, not with the number of statements that are parsed: none is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lean_extract.common.arrays import Bools, Ids
from retriever.lean.patterns.query import PatternNode, PatternQuery, Shape
from retriever.search.index.structure_columns import TreeColumns

MOST_PAIRS = 4_000_000
"""The most pairs of a conclusion and a hypothesis that are compared."""


def matching(trees: TreeColumns, query: PatternQuery) -> tuple[Bools, Bools]:
    """(bool[n], bool[n]): which documents meet a query's shapes and constants; whose conclusion is a shape."""
    count = len(trees)
    found, is_conclusion = np.ones(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
    for mentioned in query.constants:
        found &= _marked(count, trees.documents_of(_with_symbol(trees, mentioned.symbol)))
    for shape in query.shapes:
        if not found.any():
            break
        documents, wholes = _documents(trees, shape)
        found &= _marked(count, documents)
        is_conclusion |= _marked(count, wholes)
    return found, is_conclusion


def _marked(count: int, documents: Ids) -> Bools:
    marked = np.zeros(count, dtype=np.bool_)
    marked[documents] = True
    return marked


def _with_symbol(trees: TreeColumns, symbol: str) -> Ids:
    number = trees.find(symbol)
    return np.flatnonzero(trees.heads == number) if number is not None else np.zeros(0, dtype=np.int64)


def _conclusions(trees: TreeColumns) -> Ids:
    return np.asarray(trees.starts[:-1][np.diff(trees.starts) > 0], dtype=np.int64)


def _documents(trees: TreeColumns, shape: Shape) -> tuple[Ids, Ids]:
    """(documents that have a shape, those whose conclusion it is)."""
    if shape.is_whole:
        table = Table(trees, _conclusions(trees))
        table.narrow(shape.conclusion)
        for hypothesis in shape.hypotheses:
            table = table.with_hypothesis(hypothesis)
        documents = trees.documents_of(table.roots)
        return documents, documents
    head = shape.conclusion.head
    anywhere = (
        _with_symbol(trees, head) if isinstance(head, str) else np.arange(len(trees.heads), dtype=np.int64)
    )
    table = Table(trees, anywhere)
    table.narrow(shape.conclusion)
    documents = trees.documents_of(table.roots)
    return documents, documents[trees.starts[documents] == table.roots]


class Table:
    """Places where a pattern may match, one a row, with what its named holes stand for there.

    Args:
        trees: the trees that are searched.
        roots: int64[rows], the nodes where the pattern's root may be.
    """

    def __init__(self, trees: TreeColumns, roots: Ids) -> None:
        self._trees = trees
        self._columns: dict[str, Ids] = {"": roots}

    @property
    def roots(self) -> Ids:
        """int64[rows]: the places that are left."""
        return self._columns[""]

    def narrow(self, pattern: PatternNode) -> None:
        """Keep the rows where a pattern matches."""
        waiting = [(pattern, "")]
        while waiting:
            node, at = waiting.pop()
            self._check(node, at)
            below = [f"{at}/{index}" for index in range(len(node.arguments))]
            self._descend(at, below, is_open=node.is_name)
            waiting += zip(node.arguments, below, strict=True)
            if at:
                del self._columns[at]

    def with_hypothesis(self, pattern: PatternNode) -> Table:
        """The rows, each as often as its document has a further tree that a pattern matches.

        Of more than `MOST_PAIRS` the rest is left out.
        """
        trees = self._trees
        further = Table(trees, further_trees(trees, np.unique(trees.documents_of(self.roots))))
        further.narrow(pattern)
        mine, theirs = _joined(trees.documents_of(self.roots), trees.documents_of(further.roots))
        found = Table(trees, self.roots[mine])
        for name, values in self._columns.items():
            found._columns[name] = values[mine]
        for name, values in further._columns.items():
            if name:
                found._columns[f"/{name}" if name in self._columns else name] = values[theirs]
        for name in set(self._columns) & set(further._columns) - {""}:
            found._columns["/"] = found._columns.pop(f"/{name}")
            found._check_hole(name, "/")
            del found._columns["/"]
        return found

    def _keep(self, mask: Bools) -> None:
        if not mask.all():
            self._columns = {name: values[mask] for name, values in self._columns.items()}

    def _check(self, node: PatternNode, at: str) -> None:
        """Keep the rows whose node has the pattern's head; note what a named hole stands for."""
        trees = self._trees
        if isinstance(node.head, int):
            self._keep(trees.heads[self._columns[at]] == node.head)
        elif node.head is not None:
            number = trees.find(node.head)
            places = self._columns[at]
            self._keep(
                trees.heads[places] == number if number is not None else np.zeros(len(places), dtype=np.bool_)
            )
            if not node.arguments and at:
                self._keep(trees.sizes[self._columns[at]] == 1)
        elif node.hole:
            self._check_hole(f"?{node.hole}" + ("()" if node.arguments else ""), at)

    def _check_hole(self, name: str, at: str) -> None:
        """Note what a named hole stands for, or keep the rows where it is that; of one with arguments, the head."""
        trees = self._trees
        if name not in self._columns:
            self._columns[name] = self._columns[at]
            return
        known, here = self._columns[name], self._columns[at]
        is_head = name.endswith("()")
        self._keep(trees.heads[known] == trees.heads[here] if is_head else same(trees, known, here))

    def _descend(self, at: str, below: Sequence[str], *, is_open: bool) -> None:
        """Add columns with the arguments of a column's nodes, of those that have so many.

        `is_open`: they may have more.
        """
        if not below:
            return
        trees = self._trees
        place = self._columns[at] + 1
        for index, name in enumerate(below):
            if index:
                before = self._columns[below[index - 1]]
                place = before + trees.sizes[before]
            is_there = place < self._end(at)
            self._columns[name] = place
            self._keep(is_there)
        if not is_open:
            last = self._columns[below[-1]]
            self._keep(last + trees.sizes[last] == self._end(at))

    def _end(self, at: str) -> Ids:
        places = self._columns[at]
        return np.asarray(places + self._trees.sizes[places])


def further_trees(trees: TreeColumns, documents: Ids) -> Ids:
    """int64, ascending: the roots of all trees of these documents but the first."""
    found = [np.zeros(0, dtype=np.int64)]
    first, end = trees.starts[documents], trees.starts[documents + 1]
    place = first + trees.sizes[first]
    while len(place):
        inside = place < end
        place, end = place[inside], end[inside]
        found.append(place)
        place = place + trees.sizes[place]
    return np.sort(np.concatenate(found))


def same(trees: TreeColumns, left: Ids, right: Ids) -> Bools:
    """bool[rows]: whether the subtrees at two nodes of each row are equal."""
    equal = np.asarray(trees.sizes[left] == trees.sizes[right])
    rows = np.flatnonzero(equal)
    lengths = trees.sizes[left[rows]]
    for offset in range(int(lengths.max(initial=0))):
        going_on = lengths > offset
        rows, lengths = rows[going_on], lengths[going_on]
        one, other = left[rows] + offset, right[rows] + offset
        is_same = (trees.heads[one] == trees.heads[other]) & (trees.sizes[one] == trees.sizes[other])
        equal[rows[~is_same]] = False
        rows, lengths = rows[is_same], lengths[is_same]
    return equal


def _joined(left: Ids, right: Ids) -> tuple[Ids, Ids]:
    """All pairs of a position in one ascending list and one in another with equal values."""
    first = np.searchsorted(right, left, side="left")
    counts = np.searchsorted(right, left, side="right") - first
    if int(counts.sum()) > MOST_PAIRS:
        counts = counts[: int(np.searchsorted(np.cumsum(counts), MOST_PAIRS))]
    mine = np.repeat(np.arange(len(counts)), counts)
    within = np.arange(len(mine)) - np.repeat(np.cumsum(counts) - counts, counts)
    return mine, first[mine] + within
