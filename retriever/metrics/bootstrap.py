"""95% bootstrap intervals over queries, paired: every method is resampled with the same draws; and their tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lean_extract.common.arrays import Doubles


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure and the range that holds 95% of what resampled queries give."""

    mean: float
    low: float
    high: float


class Bootstrap:
    """Resampled sets of queries; the same seed gives the same draws.

    Raises ValueError when there are no queries.
    """

    def __init__(self, queries: int, *, draws: int = 1000, seed: int = 0) -> None:
        if queries < 1:
            raise ValueError("there is nothing to average")
        chances = np.full(queries, 1 / queries)
        counts = np.random.default_rng(seed).multinomial(queries, chances, size=draws)
        self._weights = counts.astype(np.float64) / queries

    def means(self, values: Doubles) -> Doubles:
        """[1 + draws, c] The means of `values` [queries, c]: as they are first, then every draw's."""
        if values.ndim != 2 or len(values) != self._weights.shape[1]:
            raise ValueError(f"expected {self._weights.shape[1]} queries, got shape {values.shape}")
        return np.concatenate([values.mean(axis=0, keepdims=True), self._weights @ values])

    def intervals(
        self,
        values: Doubles,
        figures: Callable[[Doubles], Doubles] | None = None,
        less: Doubles | None = None,
    ) -> list[Interval]:
        """One interval a figure.

        Args:
            values: [queries, c].
            figures: turns means [1 + draws, c] into figures [1 + draws, f]; None leaves them as they are.
            less: [queries, c] of another method on the same queries, whose figures are taken off.
        """
        found = self._figures(values, figures)
        if less is not None:
            found = found - self._figures(less, figures)
        low, high = np.percentile(found[1:], [2.5, 97.5], axis=0)
        return [Interval(float(m), float(a), float(b)) for m, a, b in zip(found[0], low, high, strict=True)]

    def _figures(self, values: Doubles, figures: Callable[[Doubles], Doubles] | None) -> Doubles:
        means = self.means(values)
        return means if figures is None else figures(means)


def mean_interval(shares: Sequence[float], seed: int = 0) -> Interval:
    """The mean of one share a question, in percent. Raises ValueError when there are no questions."""
    values = 100 * np.array(shares, dtype=np.float64)[:, None]
    return Bootstrap(len(shares), seed=seed).intervals(values)[0]


def table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    return "\n".join(
        [
            "| " + " | ".join(head) + " |",
            "|---" * len(head) + "|",
            *("| " + " | ".join(line) + " |" for line in lines),
        ]
    )


def cell(interval: Interval, *, signed: bool = False, intervals: bool = True) -> str:
    """`12.3 [11.0, 13.6]`, or the figure alone."""
    form = "+.1f" if signed else ".1f"
    if not intervals:
        return f"{interval.mean:{form}}"
    return f"{interval.mean:{form}} [{interval.low:{form}}, {interval.high:{form}}]"
