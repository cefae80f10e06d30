"""The steps of several segments, found by their vectors."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from lean_extract.common.arrays import Bools, Floats, Ids
from retriever.search.index.exact import ExactSearch
from retriever.search.index.step_columns import StepColumns


class StepIndex:
    """Steps by number: those of the first segment, then those of the next.

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
