"""What a matcher learns from a batch's matrix of scores, gold pairs on its diagonal (chapter 6)."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from retriever.proof_matching.decoding import exact_decoding


def local_loss(scores: Tensor) -> Tensor:
    """L'_LOC of section 6.1 over [b, b], a pair: -log P(p|s), the proofs of the batch being all there are."""
    return functional.cross_entropy(scores, torch.arange(len(scores), device=scores.device))


def global_loss(scores: Tensor) -> Tensor:
    """L_GLOBAL of section 6.2 over [b, b], a pair: a structured hinge, its margin one for every wrong proof.

    The assignment is the best one with the costs added (M' = M + 1 - I): no other violates the margin more.
    """
    count = len(scores)
    raised = scores.detach().float().cpu().numpy() + (1 - np.eye(count, dtype=np.float32))
    found = torch.from_numpy(exact_decoding(raised).proofs).to(scores.device)
    rows = torch.arange(count, device=scores.device)
    cost = (found != rows).sum()
    violated = cost + scores[rows, found].sum() - scores[rows, rows].sum()
    return torch.clamp(violated, min=0.0) / count
