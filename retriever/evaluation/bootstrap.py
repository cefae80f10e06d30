"""Means with 95% bootstrap intervals over queries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and the range that holds 95% of the means of resampled queries."""

    mean: float
    low: float
    high: float


def bootstrap_mean(values: NDArray[np.float64], *, draws: int = 1000, seed: int = 0) -> Interval:
    """The mean of `values` [queries] with its percentile interval; the same seed gives the same interval.

    Raises ValueError when there is nothing to average.
    """
    if values.ndim != 1 or not len(values):
        raise ValueError(f"expected one value a query, got shape {values.shape}")
    generator = np.random.default_rng(seed)
    means = np.array([values[generator.integers(0, len(values), len(values))].mean() for _ in range(draws)])
    low, high = np.percentile(means, [2.5, 97.5])
    return Interval(float(values.mean()), float(low), float(high))
