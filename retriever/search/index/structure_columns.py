"""Hashed features of a segment's documents, by document and by hash.

Lean's are what a statement says (`retriever.lean.structure.hashes`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from lean_extract.common.arrays import Ids, Int32s, UInt32s


@dataclass(frozen=True, slots=True)
class StructureColumns:
    """n documents and m distinct hashes, as compressed sparse rows both ways.

    Hash `hashes[i]` is in the documents `documents[starts[i]:starts[i + 1]]`; document j has the hashes
    `rows[row_starts[j]:row_starts[j + 1]]`. Both lists ascend.
    """

    hashes: UInt32s
    """uint32[m], ascending."""
    starts: Ids
    """int64[m + 1]"""
    documents: Int32s
    row_starts: Ids
    """int64[n + 1]"""
    rows: UInt32s

    @classmethod
    def of_rows(cls, rows: Sequence[Iterable[int]]) -> StructureColumns:
        """From the distinct hashes of each document."""
        lengths = np.zeros(len(rows), dtype=np.int64)
        flat: list[int] = []
        for position, row in enumerate(rows):
            before = len(flat)
            flat.extend(row)
            lengths[position] = len(flat) - before
        owners = np.repeat(np.arange(len(rows), dtype=np.int32), lengths)
        return cls.of_pairs(np.array(flat, dtype=np.uint32), owners, len(rows))

    @classmethod
    def of_pairs(cls, hashes: UInt32s, documents: Int32s, count: int) -> StructureColumns:
        """From distinct (hash, document) pairs in any order, over `count` documents."""
        order = np.lexsort((documents, hashes))
        distinct, first = np.unique(hashes[order], return_index=True)
        starts = np.append(first, len(hashes)).astype(np.int64)
        return cls(
            distinct, starts, documents[order], *rows_by_document(distinct, starts, documents[order], count)
        )

    @classmethod
    def merged(cls, parts: Sequence[tuple[StructureColumns, Ids]]) -> StructureColumns:
        """The chosen documents (int64, ascending) of several segments, as one."""
        hashes, documents = [np.zeros(0, dtype=np.uint32)], [np.zeros(0, dtype=np.int32)]
        base = 0
        for columns, chosen in parts:
            position = np.full(len(columns), -1, dtype=np.int32)
            position[chosen] = base + np.arange(len(chosen), dtype=np.int32)
            moved = np.repeat(position, np.diff(columns.row_starts))
            hashes.append(columns.rows[moved >= 0])
            documents.append(moved[moved >= 0])
            base += len(chosen)
        return cls.of_pairs(np.concatenate(hashes), np.concatenate(documents), base)

    def __len__(self) -> int:
        return len(self.row_starts) - 1

    def find(self, token: int) -> Int32s:
        """The documents that have a hash."""
        position = int(np.searchsorted(self.hashes, np.uint32(token)))
        if position == len(self.hashes) or int(self.hashes[position]) != token:
            return self.documents[:0]
        return self.documents[int(self.starts[position]) : int(self.starts[position + 1])]


def rows_by_document(hashes: UInt32s, starts: Ids, documents: Int32s, count: int) -> tuple[Ids, UInt32s]:
    """(row_starts int64[count + 1], rows uint32): the lists by hash turned into lists by document."""
    order = np.argsort(documents, kind="stable")
    row_starts = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(documents, minlength=count), out=row_starts[1:])
    return row_starts, np.repeat(hashes, np.diff(starts))[order]
