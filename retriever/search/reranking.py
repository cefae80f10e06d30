"""The first documents of a ranking in the re-ranker's order, followed by the others (section 3.2.2)."""

from __future__ import annotations

import numpy as np

from lean_extract.common.arrays import Floats, Ids
from retriever.models.reranker import blend


def reranked(scores: Floats, logits: Floats, weight: float, floor: float | None = None) -> tuple[Ids, Floats]:
    """(order int64[k], scores float32[k]) of the first documents of a ranking, by a blend of score and logit.

    Args:
        scores: float32[k], as the ranking gave them.
        logits: float32[k], the re-ranker's; NaN where it could not read a document.
        weight: how much a logit counts relative to a score.
        floor: a score that all the blended ones must reach: the next document's.

    Returns:
        The positions of the documents, best first (ties as they were), and the blended score of each position. If
        one is below `floor`, all are raised by the same amount.
    """
    mixed = blend(scores, logits, weight)
    order = np.argsort(-mixed, kind="stable")
    if floor is not None and len(mixed) and mixed.min() < floor:
        mixed = np.asarray((mixed - mixed.min()) + np.float32(floor), dtype=np.float32)
    return order, mixed
