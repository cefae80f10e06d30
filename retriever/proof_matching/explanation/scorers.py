"""What is explained: the log-odds of a proof against a pool of others, by a trained matcher or by TF-IDF."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from retriever.proof_matching.explanation.explain import Side, log_odds
from retriever.proof_matching.schema import Token
from retriever.proof_matching.tfidf import tfidf_scores

Text = Sequence[Token]


class ScoreMatrix(Protocol):
    """What a matcher gives; `retriever.proof_matching.training.matcher.OpenMatcher` is one."""

    def scores(self, statements: Sequence[Text], proofs: Sequence[Text]) -> NDArray[np.float32]:
        """float32[statements, proofs] of any texts."""


@dataclass(frozen=True, slots=True)
class AgainstPool:
    """A trained matcher as `explain_pair` asks it: a proof's log-odds against those of a pool."""

    model: ScoreMatrix
    pool: Sequence[Text]
    """Proofs of other statements, at least one."""

    def __call__(self, side: Side, variants: Sequence[Text], other: Text) -> NDArray[np.float64]:
        """float64[variants] In nats. Raises BadSettings without a pool."""
        if side == "statement":
            return log_odds(self.model.scores(variants, [other, *self.pool]), 0)
        row = self.model.scores([other], [*variants, *self.pool])[0]
        others = np.broadcast_to(row[len(variants) :], (len(variants), len(self.pool)))
        return log_odds(np.column_stack([row[: len(variants)], others]), 0)


class TfIdfAgainstPool:
    """A proof's log-odds by TF-IDF against those of a pool; cosines times a hundred, to tell them apart."""

    def __init__(self, pool: Sequence[Text]) -> None:
        self._pool = list(pool)

    def __call__(self, side: Side, variants: Sequence[Text], other: Text) -> NDArray[np.float64]:
        """float64[variants] In nats."""
        if side == "statement":
            return log_odds(100 * tfidf_scores(list(variants), [other, *self._pool]), 0)
        # one by one: together they would count in each other's document frequencies
        rows = [tfidf_scores([other], [variant, *self._pool])[0] for variant in variants]
        return log_odds(100 * np.stack(rows), 0)
