"""The generator's three small networks, evaluated with numpy: a classifier of shapes, and two kinds of pointers.

All arrays are float32. `d` is the size of a word's vector, `m` that of the hidden layer, `c` the number of shapes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lean_extract.common.arrays import Floats, Int64s
from prover.shaped.pointing import HEAD_BUCKETS, LOCAL_FEATURES, PREMISE_FEATURES, TYPE_BUCKETS
from prover.shaped.shape import GROUPS
from prover.shaped.situation import BUCKETS, FIELDS

WORD, HIDDEN, POINTER, TYPE, HEAD = 48, 192, 48, 8, 8
"""The sizes of the layers."""


def sizes(shapes: int) -> dict[str, tuple[int, ...]]:
    """The arrays of a model with this many shapes, by name."""
    width = len(FIELDS) * WORD
    premise = len(PREMISE_FEATURES) + len(GROUPS) + HEAD
    local = len(LOCAL_FEATURES) + len(GROUPS) + TYPE + HEAD
    return {
        "words": (BUCKETS, WORD),
        "hidden.weight": (HIDDEN, width),
        "hidden.bias": (HIDDEN,),
        "shapes.weight": (shapes, HIDDEN),
        "shapes.bias": (shapes,),
        "local.types": (TYPE_BUCKETS, TYPE),
        "premise.heads": (HEAD_BUCKETS, HEAD),
        "local.heads": (HEAD_BUCKETS, HEAD),
        "premise.weight": (POINTER, premise),
        "premise.bias": (POINTER,),
        "premise.out": (POINTER,),
        "local.weight": (POINTER, local),
        "local.bias": (POINTER,),
        "local.out": (POINTER,),
    }


@dataclass(frozen=True, slots=True)
class Networks:
    """The arrays, by the names in `sizes`."""

    arrays: Mapping[str, Floats]

    def shapes(self, bags: Sequence[Int64s]) -> Floats:
        """float32[c]: the log-probability of each shape, given the words of each field."""
        parts = [self._mean(bag) for bag in bags]
        hidden = np.maximum(
            self.arrays["hidden.weight"] @ np.concatenate(parts) + self.arrays["hidden.bias"], 0
        )
        return log_softmax(self.arrays["shapes.weight"] @ hidden + self.arrays["shapes.bias"])

    def _mean(self, bag: Int64s) -> Floats:
        if not len(bag):
            return np.zeros(WORD, dtype=np.float32)
        return np.asarray(self.arrays["words"][bag].sum(axis=0) / np.sqrt(len(bag)), dtype=np.float32)

    def premises(self, table: Floats, group: int, head: int) -> Floats:
        """float32[n]: the score of each premise (float32[n, PREMISE_FEATURES]) for a slot."""
        return self._pointed("premise", table, group, head)

    def locals(self, table: Floats, types: Int64s, group: int, head: int) -> Floats:
        """float32[n]: the score of each local (float32[n, LOCAL_FEATURES], its type's bucket int64[n])."""
        rows = np.concatenate([table, self.arrays["local.types"][types]], axis=1)
        return self._pointed("local", rows, group, head)

    def _pointed(self, kind: str, rows: Floats, group: int, head: int) -> Floats:
        slot = np.concatenate([_one_hot(group), self.arrays[f"{kind}.heads"][head]])
        weight, width = self.arrays[f"{kind}.weight"], rows.shape[1]
        bias = weight[:, width:] @ slot + self.arrays[f"{kind}.bias"]
        hidden = np.maximum(rows @ weight[:, :width].T + bias, 0)
        return np.asarray(hidden @ self.arrays[f"{kind}.out"], dtype=np.float32)


def log_softmax(scores: Floats) -> Floats:
    """The logarithms of probabilities that are proportional to the exponentials of scores."""
    highest = scores.max()
    return np.asarray(scores - highest - np.log(np.exp(scores - highest).sum()), dtype=np.float32)


def _one_hot(group: int) -> Floats:
    found = np.zeros(len(GROUPS), dtype=np.float32)
    found[group] = 1
    return found
