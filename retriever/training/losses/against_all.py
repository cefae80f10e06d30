"""Equation (6) against every premise there is, whose vectors stay as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Positives:
    """The positives of a batch's states, and how much each counts."""

    rows: Tensor
    """int64[p] The state in the batch."""
    premises: Tensor
    """int64[p] The premise."""
    weights: Tensor
    """float32[p] Those of one state add up to 1."""


def against_all(
    states: Tensor, premises: Tensor, positives: Positives, excluded: Tensor, temperature: float
) -> Tensor:
    """The mean of eq. (6) over a batch, and over the positives of each state by their weights; a scalar.

    Every premise that is not excluded is a negative of a state; a state's other positives have to be excluded.

    Args:
        states: [b, d] normalised state embeddings.
        premises: [n, d] the embeddings of all premises; no gradient flows to them.
        positives: of the states.
        excluded: int64[2, x] pairs of a state in the batch and a premise that is never its negative.
        temperature: τ.
    """
    own = states[positives.rows] * premises[positives.premises]
    similarities = own.sum(dim=1) / temperature
    negatives: Tensor = _Negatives.apply(states, premises, excluded, temperature)  # type: ignore[no-untyped-call]
    each = torch.logaddexp(negatives[positives.rows], similarities) - similarities
    return (positives.weights * each).sum() / len(states)


class _Negatives(torch.autograd.Function):
    """[b] The log of the sum of all negatives' exponentials; one [b, n] matrix is held, not several."""

    @staticmethod
    def forward(ctx: Any, states: Tensor, premises: Tensor, excluded: Tensor, temperature: float) -> Tensor:
        """See `against_all`."""
        scores = states @ premises.T
        scores /= temperature
        scores[excluded[0], excluded[1]] = float("-inf")
        total = torch.logsumexp(scores, dim=1)
        scores -= total[:, None]
        ctx.save_for_backward(scores.exp_() @ premises)
        ctx.temperature = temperature
        return total

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None, None]:
        """Of the states alone."""
        [expected] = ctx.saved_tensors
        return gradients[0][:, None] * expected / ctx.temperature, None, None, None
