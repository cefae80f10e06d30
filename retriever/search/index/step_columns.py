"""Steps of documents: further vectors, each with a record of its own, found beside the documents.

Lean's are the steps of proofs whose states are known: the vector is the state's (`retriever.lean.index.steps`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from lean_extract.common.arrays import Bools, Bytes, Floats, Ids, Int32s
from retriever.models.quantise import StoredVectors
from retriever.search.index.exact import ExactSearch
from retriever.search.index.table import Axis, Table, column

READ = 3
"""Of a file that this version has read whole. Older versions kept no trees (2), or steps alone (1), or nothing (0)."""


@dataclass(frozen=True, slots=True)
class StepColumns(Table):
    """m steps of a segment's documents."""

    prefix, about = "step_", "steps"

    owners: Int32s = column(Axis.OWNERS, np.int32)
    """int32[m], ascending: the document that each step is of."""
    vectors: StoredVectors = column(Axis.ROWS, np.int8, is_vectors=True)
    """int8[m, d] or float32[m, d]"""
    scales: Floats = column(Axis.ROWS, np.float32)
    """float32[m]: a step's vector is its row by its scale."""
    records: Sequence[bytes] = column(Axis.ROWS)
    """Each step's record as JSON."""
    read: Bytes = column(Axis.FILES, np.uint8)
    """uint8[f]: `READ` for each of the segment's files of which all was read: steps, mentions, trees."""

    def __len__(self) -> int:
        return len(self.owners)


class StepIndex:
    """The steps of several segments, found by their vectors: those of the first segment, then those of the next.

    Args:
        parts: each segment's steps, None where it has none, and the number of its first document.
    """

    def __init__(self, parts: Sequence[tuple[StepColumns | None, int]]) -> None:
        self._parts = [(steps, base) for steps, base in parts if steps is not None]
        self._bounds = [0, *accumulate(len(steps) for steps, _ in self._parts)]
        owners = [steps.owners.astype(np.int64) + base for steps, base in self._parts]
        self.owners: Ids = np.concatenate([np.zeros(0, dtype=np.int64), *owners])
        """int64[m]: the document that each step is of."""
        self.search = ExactSearch([(steps.vectors, steps.scales) for steps, _ in self._parts])

    def __len__(self) -> int:
        return len(self.owners)

    def record(self, number: int) -> bytes:
        """A step's record as JSON."""
        steps, row = self._locate(number)
        return steps.records[row]

    def vectors_of(self, documents: Bools) -> dict[bytes, Floats]:
        """float32[d] of each step of these documents (bool[n]), by its record."""
        found: dict[bytes, Floats] = {}
        for number in np.flatnonzero(documents[self.owners]).tolist():
            steps, row = self._locate(number)
            found[steps.records[row]] = steps.vectors[row].astype(np.float32) * steps.scales[row]
        return found

    def _locate(self, number: int) -> tuple[StepColumns, int]:
        index = bisect_right(self._bounds, number) - 1
        return self._parts[index][0], number - self._bounds[index]
