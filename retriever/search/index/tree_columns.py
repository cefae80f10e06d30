"""Trees of a segment's documents, flat: one row a node, in the order in which a reader meets them.

Lean's are the propositions and types of a statement (`retriever.lean.patterns.trees`). A node's arguments follow it:
the first stands behind the node, each further one behind the last node of the argument before.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lean_extract.common.arrays import Ids, Int32s, UInt16s
from retriever.search.index.table import Axis, Table, Vocabulary, column, sorted_keys, starts_of

TreeRow = Sequence[tuple[str | int, int]]
"""A document's nodes: (symbol, or a negative number for a variable; how many nodes the subtree has)."""
LARGEST = (1 << 16) - 1
"""The most nodes of a document's trees."""


@dataclass(frozen=True, slots=True)
class TreeColumns(Table):
    """The trees of n documents, m nodes in all.

    Document i has the nodes `starts[i]` to `starts[i + 1]`. Its first tree begins at its first node, the next one
    behind the last node of the first.
    """

    prefix, about = "tree_", "trees"

    symbols: Vocabulary = column(Axis.KEYS)
    """Sorted."""
    starts: Ids = column(Axis.STARTS, np.int64)
    """int64[n + 1]"""
    heads: Int32s = column(Axis.VALUES, np.int32)
    """int32[m]: the position of a node's symbol in `symbols`, negative for a variable of the document."""
    sizes: UInt16s = column(Axis.VALUES, np.uint16)
    """uint16[m]: how many nodes the subtree at a node has, itself included."""

    def __len__(self) -> int:
        return len(self.starts) - 1

    def find(self, symbol: str) -> int | None:
        """The position of a symbol; None if no tree has it."""
        index = bisect_left(self.symbols, symbol)
        return index if index < len(self.symbols) and self.symbols[index] == symbol else None

    def documents_of(self, nodes: Ids) -> Ids:
        """int64: the document of each node."""
        return np.searchsorted(self.starts, nodes, side="right") - 1

    @classmethod
    def of_rows(cls, rows: Iterable[TreeRow]) -> TreeColumns:
        """From the nodes of each document."""
        numbers: dict[str, int] = {}
        lengths: list[int] = []
        heads: list[int] = []
        sizes: list[int] = []
        for row in rows:
            lengths.append(len(row))
            for head, size in row:
                heads.append(numbers.setdefault(head, len(numbers)) if isinstance(head, str) else head)
                sizes.append(size)
        starts = starts_of(np.array(lengths, dtype=np.int64))
        spread = cls([], starts, np.array(heads, dtype=np.int32), np.array(sizes, dtype=np.uint16))
        return cls.gathered(spread, list(numbers))

    def spread(self, keys: dict[str, int]) -> TreeColumns:
        """With the numbers of `keys`."""
        numbers = np.array([keys.setdefault(one, len(keys)) for one in self.symbols], dtype=np.int64)
        return replace(self, symbols=[], heads=_renumbered(self.heads, numbers))

    @classmethod
    def gathered(cls, spread: TreeColumns, keys: Sequence[str]) -> TreeColumns:
        """With the symbols that occur, sorted."""
        symbols, position = sorted_keys(keys, spread.heads)
        return replace(spread, symbols=symbols, heads=_renumbered(spread.heads, position))


def _renumbered(heads: Int32s, new: Ids) -> Int32s:
    return np.where(heads >= 0, new[np.maximum(heads, 0)], heads).astype(np.int32) if len(new) else heads
