"""What the texts of a segment's documents say: hashed features, by document and by hash, and trees.

Lean's are what a statement says (`retriever.lean.structure.hashes`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lean_extract.common.arrays import Ids, Int32s, UInt16s, UInt32s
from retriever.search.index.table import Axis, Table, Vocabulary, column, sorted_keys, starts_of


@dataclass(frozen=True, slots=True)
class StructureColumns(Table):
    """n documents and m distinct hashes, as compressed sparse rows both ways.

    Hash `hashes[i]` is in the documents `documents[starts[i]:starts[i + 1]]`; document j has the hashes
    `rows[row_starts[j]:row_starts[j + 1]]`. Both lists ascend.
    """

    prefix, about, may_be_missing = "structure_", "structure", False

    hashes: UInt32s = column(Axis.KEYS, np.uint32)
    """uint32[m], ascending."""
    starts: Ids = column(Axis.KEY_STARTS, np.int64)
    """int64[m + 1]"""
    documents: Int32s = column(Axis.ENTRIES, np.int32)
    row_starts: Ids = column(Axis.STARTS, np.int64)
    """int64[n + 1]"""
    rows: UInt32s = column(Axis.VALUES, np.uint32)

    @classmethod
    def of_rows(cls, rows: Sequence[Iterable[int]]) -> StructureColumns:
        """From the distinct hashes of each document."""
        lists = [list(row) for row in rows]
        lengths = np.array([len(row) for row in lists], dtype=np.int64)
        owners = np.repeat(np.arange(len(lists), dtype=np.int32), lengths)
        return cls.of_pairs(
            np.array([one for row in lists for one in row], dtype=np.uint32), owners, len(lists)
        )

    @classmethod
    def of_pairs(cls, hashes: UInt32s, documents: Int32s, count: int) -> StructureColumns:
        """From distinct (hash, document) pairs in any order, over `count` documents."""
        order = np.lexsort((documents, hashes))
        distinct, first = np.unique(hashes[order], return_index=True)
        starts = np.append(first, len(hashes)).astype(np.int64)
        return cls(
            distinct, starts, documents[order], *rows_by_document(distinct, starts, documents[order], count)
        )

    def spread(self, keys: dict[str, int]) -> _Rows:
        """The lists by document."""
        return _Rows(self.row_starts, self.rows)

    @classmethod
    def gathered(cls, spread: _Rows, keys: Sequence[str]) -> StructureColumns:
        """The inverse of `spread`."""
        count = len(spread.starts) - 1
        documents = np.repeat(np.arange(count, dtype=np.int32), np.diff(spread.starts))
        return cls.of_pairs(spread.rows, documents, count)

    def __len__(self) -> int:
        return len(self.row_starts) - 1

    def find(self, token: int) -> Int32s:
        """The documents that have a hash."""
        position = int(np.searchsorted(self.hashes, np.uint32(token)))
        if position == len(self.hashes) or int(self.hashes[position]) != token:
            return self.documents[:0]
        return self.documents[int(self.starts[position]) : int(self.starts[position + 1])]


@dataclass(frozen=True, slots=True)
class _Rows(Table):
    starts: Ids = column(Axis.STARTS, np.int64)
    rows: UInt32s = column(Axis.VALUES, np.uint32)


def rows_by_document(hashes: UInt32s, starts: Ids, documents: Int32s, count: int) -> tuple[Ids, UInt32s]:
    """(row_starts int64[count + 1], rows uint32): the lists by hash turned into lists by document."""
    order = np.argsort(documents, kind="stable")
    return starts_of(np.bincount(documents, minlength=count)), np.repeat(hashes, np.diff(starts))[order]


TreeRow = Sequence[tuple[str | int, int]]
"""A document's nodes: (symbol, or a negative number for a variable; how many nodes the subtree has)."""
LARGEST = (1 << 16) - 1
"""The most nodes of a document's trees."""


@dataclass(frozen=True, slots=True)
class TreeColumns(Table):
    """The trees of n documents, flat: m nodes in all, in the order in which a reader meets them.

    Lean's are the propositions and types of a statement (`retriever.lean.patterns.trees`). A node's arguments follow
    it: the first comes after the node, each further one after the last node of the argument before.

    Document i has the nodes `starts[i]` to `starts[i + 1]`. Its first tree begins at its first node, the next one
    after the last node of the first.
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
