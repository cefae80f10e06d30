"""Equation (6): the softmax over one positive and many negatives."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional


def contrastive_loss(
    states: Tensor, premises: Tensor, positives: Tensor, excluded: Tensor, temperature: float
) -> Tensor:
    """The mean of eq. (6) over a batch; a scalar.

    Args:
        states: [b, d] normalised state embeddings.
        premises: [c, d] premise embeddings (eq. 2 or 3) of all candidates of the batch.
        positives: [b] the index of each state's positive among the candidates.
        excluded: [b, c] true where a candidate may not be a negative of a state: its other gold premises
            and its own theorem with its twins.
        temperature: τ.
    """
    scores = states.float() @ premises.float().T / temperature
    return functional.cross_entropy(scores.masked_fill(excluded, float("-inf")), positives)


def matryoshka_loss(
    states: Tensor,
    parts: Sequence[Tensor],
    positives: Tensor,
    excluded: Tensor,
    temperature: float,
    dimensions: Sequence[int],
) -> Tensor:
    """The mean of eq. (6) over embeddings cut to their first numbers (Kusupati et al. 2022).

    Args:
        states: [b, h] pooled, not normalised.
        parts: premise parts [c, h], pooled, not normalised; a premise's embedding is the mean of its
            normalised parts (eq. 3), or the only one (eq. 2).
        positives: as for `contrastive_loss`.
        excluded: as for `contrastive_loss`.
        temperature: τ.
        dimensions: the lengths to cut to, each at most h.
    """
    losses = []
    for size in dimensions:
        premises = torch.stack([functional.normalize(part[:, :size], dim=1) for part in parts]).mean(dim=0)
        cut = functional.normalize(states[:, :size], dim=1)
        losses.append(contrastive_loss(cut, premises, positives, excluded, temperature))
    return torch.stack(losses).mean()
