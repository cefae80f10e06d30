"""The weight of a re-ranker's logit beside the score of what ranked before it, fitted on rankings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lean_extract.common.arrays import Floats
from lean_extract.common.errors import ModelError
from retriever.metrics.fit import RankingExample, fit
from retriever.metrics.ranking import reciprocal_rank
from retriever.models.reranker import FOLDER, blend, write_weight


@dataclass(frozen=True, slots=True)
class FittedWeight:
    """A weight, and what it does on the questions that it was fitted on."""

    weight: float
    before: float
    """Mean reciprocal rank among the first candidates, as they were ranked before."""
    after: float
    """The same as the blend ranks them."""
    fitted_on: str
    """In words."""

    @classmethod
    def on(cls, examples: Sequence[RankingExample], fitted_on: str) -> FittedWeight:
        """The weight that does best. Raises ModelError when there is no example."""
        if not examples:
            hint = "Choose a larger dataset or --limit."
            raise ModelError("No question has a gold document among its first candidates.", hint)
        weight = round(fit_weight(examples), 5)
        before, after = (mean_reciprocal_rank(examples, one) for one in (0.0, weight))
        return cls(weight, before, after, f"{len(examples)} rankings of {fitted_on}")

    def keep(self, model: Path, first: int, by: str) -> None:
        """Write it into the re-ranker of a model folder and print it; `by` names what ranked the first ones before."""
        write_weight(model / FOLDER, self.weight, self.fitted_on)
        before, after = f"{self.before:.4f} by {by}", f"{self.after:.4f} blended"
        print(f"weight {self.weight:g}; MRR of the first {first}: {before}, {after} ({self.fitted_on})")


def fit_weight(examples: Sequence[RankingExample]) -> float:
    """The logit's weight beside a fused score of weight 1, where both are fitted; 0 if it does not help.

    Raises ValueError when there is nothing to fit.
    """
    of_fused, of_logit = fit(examples)
    return max(0.0, float(of_logit) / max(float(of_fused), 1e-3))


def mean_reciprocal_rank(examples: Sequence[RankingExample], weight: float) -> float:
    """The mean reciprocal rank of the blend with this weight among each example's candidates."""
    ranks = []
    for example in examples:
        mixed = blend(example.features[:, 0], example.features[:, 1], weight)
        order = np.argsort(-mixed, kind="stable").tolist()
        ranks.append(reciprocal_rank(order, set(np.flatnonzero(example.gold).tolist())))
    return float(np.mean(ranks))


def filled(logits: Floats) -> Floats:
    """float32[n]: the logits, one that is not known as the mean of the others."""
    known = np.isfinite(logits)
    mean = logits[known].mean() if known.any() else 0.0
    return np.where(known, logits, mean).astype(np.float32)
