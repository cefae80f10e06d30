"""Trees of a segment's documents, flat: one row a node, in the order in which a reader meets them.

Lean's are the propositions and types of a statement (`retriever.lean.patterns.trees`). A node's arguments follow it:
the first stands behind the node, each further one behind the last node of the argument before.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from lean_extract.common.arrays import Ids, Int32s, UInt16s
from retriever.search.bm25 import Vocabulary

TreeRow = Sequence[tuple[str | int, int]]
"""A document's nodes: (symbol, or a negative number for a variable; how many nodes the subtree has)."""
LARGEST = (1 << 16) - 1
"""The most nodes of a document's trees."""


@dataclass(frozen=True, slots=True)
class TreeColumns:
    """The trees of n documents, m nodes in all.

    Document i has the nodes `starts[i]` to `starts[i + 1]`. Its first tree begins at its first node, the next one
    behind the last node of the first.
    """

    symbols: Vocabulary
    """Sorted."""
    starts: Ids
    """int64[n + 1]"""
    heads: Int32s
    """int32[m]: the position of a node's symbol in `symbols`, negative for a variable of the document."""
    sizes: UInt16s
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
        starts: list[int] = [0]
        heads: list[int] = []
        sizes: list[int] = []
        for row in rows:
            for head, size in row:
                heads.append(numbers.setdefault(head, len(numbers)) if isinstance(head, str) else head)
                sizes.append(size)
            starts.append(len(heads))
        return _sorted(
            list(numbers),
            np.array(starts, dtype=np.int64),
            np.array(heads, dtype=np.int32),
            np.array(sizes, dtype=np.uint16),
        )

    @classmethod
    def nothing(cls, count: int) -> TreeColumns:
        """Of so many documents whose trees are not known."""
        return cls.of_rows([()] * count)

    @classmethod
    def merged(cls, parts: Sequence[tuple[TreeColumns, Ids]]) -> TreeColumns:
        """The chosen documents (int64, ascending) of several segments, as one."""
        numbers: dict[str, int] = {}
        lengths, heads, sizes = [np.zeros(1, dtype=np.int64)], [], []
        for columns, chosen in parts:
            counts = np.diff(columns.starts)
            is_chosen = np.zeros(len(columns), dtype=np.bool_)
            is_chosen[chosen] = True
            kept = np.repeat(is_chosen, counts)
            new = np.array([numbers.setdefault(one, len(numbers)) for one in columns.symbols], dtype=np.int32)
            here = columns.heads[kept]
            heads.append(_renumbered(here, new))
            sizes.append(columns.sizes[kept])
            lengths.append(counts[is_chosen])
        nodes = np.concatenate([np.zeros(0, dtype=np.int32), *heads])
        return _sorted(
            list(numbers),
            np.cumsum(np.concatenate(lengths)),
            nodes,
            np.concatenate([np.zeros(0, dtype=np.uint16), *sizes]),
        )


def _sorted(symbols: Sequence[str], starts: Ids, heads: Int32s, sizes: UInt16s) -> TreeColumns:
    """With the symbols that occur, sorted."""
    used = set(np.unique(heads[heads >= 0]).tolist())
    order = sorted(used, key=symbols.__getitem__)
    position = np.zeros(len(symbols), dtype=np.int32)
    position[order] = np.arange(len(order), dtype=np.int32)
    return TreeColumns([symbols[one] for one in order], starts, _renumbered(heads, position), sizes)


def _renumbered(heads: Int32s, new: Int32s) -> Int32s:
    if not len(new):
        return heads
    return np.where(heads >= 0, new[np.maximum(heads, 0)], heads).astype(np.int32)
