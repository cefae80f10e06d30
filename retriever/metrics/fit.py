"""Fitting the fusion's weights: a linear model under a softmax over each question's candidates.

The objective is the mean cross entropy between the softmax of the scores and the uniform distribution
over the gold premises among the candidates (ListNet), plus a small ridge. It is convex; Newton's method
finds its one minimum in a few steps, and the weights can be read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lean_extract.common.arrays import Doubles


@dataclass(frozen=True, slots=True)
class RankingExample:
    """One question's candidates."""

    features: NDArray[np.float32]
    """[n, f]"""
    gold: NDArray[np.bool_]
    """[n] At least one is true."""


def fit(examples: Sequence[RankingExample], ridge: float = 1e-3, steps: int = 30) -> Doubles:
    """[f] The weights. Features are scaled to unit deviation while fitting, so the ridge treats them alike.

    Raises ValueError when there is nothing to fit.
    """
    if not examples:
        raise ValueError("no example has a gold premise among its candidates")
    scale = np.concatenate([example.features for example in examples]).std(axis=0).astype(np.float64)
    scale[scale < 1e-9] = 1.0
    weights = np.zeros(len(scale))
    value, gradient, hessian = _objective(examples, scale, weights, ridge)
    for _ in range(steps):
        direction = np.linalg.solve(hessian, gradient)
        size = 1.0
        while size > 1e-6:
            tried = weights - size * direction
            found = _objective(examples, scale, tried, ridge)
            if found[0] <= value:
                break
            size /= 2
        if size <= 1e-6 or value - found[0] < 1e-10:
            break
        weights, (value, gradient, hessian) = tried, found
    return np.asarray(weights / scale)


def _objective(
    examples: Sequence[RankingExample], scale: Doubles, weights: Doubles, ridge: float
) -> tuple[float, Doubles, Doubles]:
    value = ridge / 2 * float(weights @ weights)
    gradient = ridge * weights
    hessian = ridge * np.eye(len(weights))
    for example in examples:
        features = example.features.astype(np.float64) / scale
        scores = features @ weights
        scores -= scores.max()
        log_sum = np.log(np.exp(scores).sum())
        chance = np.exp(scores - log_sum)
        target = example.gold / example.gold.sum()
        mean = chance @ features
        value += float(log_sum - target @ scores) / len(examples)
        gradient = gradient + (mean - target @ features) / len(examples)
        hessian = hessian + ((features * chance[:, None]).T @ features - np.outer(mean, mean)) / len(examples)
    return value, gradient, hessian
