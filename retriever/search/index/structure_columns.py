"""Hashed features of a segment's documents, by document and by hash.

Lean's are what a statement says (`retriever.lean.structure.hashes`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from lean_extract.common.arrays import Ids, Int32s, UInt32s
from retriever.search.index.table import Axis, Table, column, starts_of


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
