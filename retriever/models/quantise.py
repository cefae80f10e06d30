"""Vectors as int8 with one scale for each row."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Floats, Int8s

StoredVectors = npt.NDArray[np.int8 | np.float32]
"""[n, d] Rows that times their scales are vectors."""


_LARGEST = 127


def quantise(vectors: Floats) -> tuple[Int8s, Floats]:
    """(int8[n, d], float32[n]): each row divided by its scale, its largest element becoming 127."""
    largest = np.abs(vectors).max(axis=1, initial=0.0)
    scales = np.where(largest > 0, largest / _LARGEST, 1.0).astype(np.float32)
    return np.rint(vectors / scales[:, None]).astype(np.int8), scales
