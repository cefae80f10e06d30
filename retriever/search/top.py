"""The best of a list of scores."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def top(
    scores: npt.NDArray[np.float32], k: int, allowed: npt.NDArray[np.bool_] | None = None
) -> npt.NDArray[np.int64]:
    """The positions of the k best finite scores among `allowed` (bool[n]; None: all), best first.

    Ties are in order of position.
    """
    if allowed is not None:
        positions = np.flatnonzero(allowed)
        return positions[top(scores[positions], k)]
    if k <= 0:
        return np.zeros(0, dtype=np.int64)
    if k < len(scores):
        # Everything that ties with the k-th is sorted too, so that ties break by position.
        border = np.partition(scores, len(scores) - k)[len(scores) - k]
        chosen = np.flatnonzero(scores >= border)
    else:
        chosen = np.arange(len(scores))
    chosen = chosen[np.isfinite(scores[chosen])]
    return chosen[np.argsort(-scores[chosen], kind="stable")][:k]
