"""Equation (7): one positive among its hard negatives, each with a logit of eq. (5)."""

from __future__ import annotations

from typing import Literal

from torch import Tensor
from torch.nn import functional

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
