"""The losses: contrastive over a batch (eq. 6), against all premises, and over a list of candidates (eq. 7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

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
        premises: [n, d] the embeddings of all premises.
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
    """[b] The log of the sum of all negatives' exponentials; at most one [b, n] matrix is held."""

    @staticmethod
    def forward(ctx: Any, states: Tensor, premises: Tensor, excluded: Tensor, temperature: float) -> Tensor:
        """See `against_all`."""
        scores = states @ premises.T
        scores /= temperature
        scores[excluded[0], excluded[1]] = float("-inf")
        total = torch.logsumexp(scores, dim=1)
        scores -= total[:, None]
        chances = scores.exp_()
        ctx.save_for_backward(chances @ premises, *((chances, states) if premises.requires_grad else ()))
        ctx.temperature = temperature
        return total

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor | None, None, None]:
        """Of the states, and of the premises where they are trained."""
        expected, *trained = ctx.saved_tensors
        scaled = gradients[0][:, None] / ctx.temperature
        return scaled * expected, trained[0].T @ (scaled * trained[1]) if trained else None, None, None


Form = Literal["softmax", "sigmoid"]


def listwise_loss(logits: Tensor, form: Form) -> Tensor:
    """The mean loss of float[b, 1 + negatives] logits; the positive is in column 0.

    `sigmoid` is eq. (7) as written, `-log(Pr(s, p) / sum of Pr(s, p'))` with Pr a sigmoid. Its gradient for a
    premise fades where Pr is near 1, also when all premises of a state are near 1 together and none is
    distinguished from another. `softmax` uses exp(logit) instead of Pr: the same where all logits are well below zero,
    and without that plateau; logits can then only be compared within one state.
    """
    scores = functional.logsigmoid(logits) if form == "sigmoid" else logits
    return (scores.logsumexp(dim=1) - scores[:, 0]).mean()
