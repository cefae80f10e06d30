"""Steps of a segment's documents: further vectors, each with a record of its own, found beside the documents.

Lean's are the steps of proofs whose states are known: the vector is the state's (`retriever.lean.index.steps`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lean_extract.common.arrays import Bytes, Floats, Ids, Int32s
from retriever.models.quantise import StoredVectors

READ = 3
"""Of a file that this version has read whole. Older versions kept no trees (2), or steps alone (1), or nothing (0)."""


@dataclass(frozen=True, slots=True)
class StepColumns:
    """m steps of a segment's documents."""

    owners: Int32s
    """int32[m], ascending: the document that each step is of."""
    vectors: StoredVectors
    """int8[m, d] or float32[m, d]"""
    scales: Floats
    """float32[m]: a step's vector is its row by its scale."""
    records: Sequence[bytes]
    """Each step's record as JSON."""
    read: Bytes
    """uint8[f]: `READ` for each of the segment's files of which all was read: steps, mentions, trees."""

    def __len__(self) -> int:
        return len(self.owners)

    @classmethod
    def joined(cls, parts: Sequence[StepColumns], counts: Sequence[int]) -> StepColumns:
        """The steps of several runs of documents as one; `counts`: the documents of each run."""
        bases = np.cumsum([0, *counts])[:-1].tolist()
        return cls(
            np.concatenate([part.owners + base for part, base in zip(parts, bases, strict=True)]).astype(
                np.int32
            ),
            np.concatenate([part.vectors for part in parts]),
            np.concatenate([part.scales for part in parts]),
            [record for part in parts for record in part.records],
            np.concatenate([part.read for part in parts]),
        )

    @classmethod
    def unread(cls, files: int, dimension: int) -> StepColumns:
        """The columns of so many files whose steps were not read."""
        nothing = np.zeros((0, dimension), dtype=np.int8)
        owners, scales = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.float32)
        return cls(owners, nothing, scales, [], np.zeros(files, dtype=np.uint8))

    def of_chosen(self, documents: Ids, files: Sequence[int], count: int) -> StepColumns:
        """The steps of chosen documents (ascending) out of `count`, and what is known of chosen files."""
        position = np.full(count, -1, dtype=np.int32)
        position[documents] = np.arange(len(documents), dtype=np.int32)
        owners = position[self.owners]
        kept = np.flatnonzero(owners >= 0)
        return StepColumns(
            owners[kept],
            self.vectors[kept],
            self.scales[kept],
            [self.records[row] for row in kept.tolist()],
            self.read[list(files)],
        )
