"""What means NaturalProofs where no backend is named; it has no kind of training run of its own."""

from __future__ import annotations

MEANT_BY = ("pairwise", "joint", "autoregressive", "mining", "evaluation", "reranker weight")
