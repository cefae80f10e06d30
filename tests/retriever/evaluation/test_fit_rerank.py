from __future__ import annotations

import numpy as np
import pytest

from retriever.evaluation.fit_reranker import fit_weight, mean_reciprocal_rank
from retriever.metrics.fit import RankingExample


def examples(of_fused: float, of_logit: float, count: int = 400) -> list[RankingExample]:
    """Candidates of which the gold one is drawn from a softmax over a known blend."""
    generator = np.random.default_rng(0)
    found = []
    for _ in range(count):
        features = generator.normal(size=(8, 2)).astype(np.float32)
        scores = features @ np.array([of_fused, of_logit])
        chance = np.exp(scores) / np.exp(scores).sum()
        found.append(RankingExample(features, np.arange(8) == generator.choice(8, p=chance)))
    return found


@pytest.mark.parametrize("truth", [(1.0, 2.0), (2.0, 1.0), (1.5, 0.0), (1.0, -1.0)])
def test_the_weight_is_the_ratio_that_the_labels_follow(truth: tuple[float, float]) -> None:
    found = examples(*truth)
    weight = fit_weight(found)
    assert weight == pytest.approx(max(0.0, truth[1] / truth[0]), abs=0.25 * max(1.0, truth[1] / truth[0]))
    assert mean_reciprocal_rank(found, weight) >= mean_reciprocal_rank(found, 0.0) - 0.02


def test_the_reciprocal_rank_is_of_the_first_gold_one() -> None:
    features = np.array([[3.0, 0.0], [2.0, 0.0], [1.0, 5.0]], dtype=np.float32)
    example = RankingExample(features, np.array([False, True, True]))
    assert mean_reciprocal_rank([example], 0.0) == pytest.approx(1 / 2)
    assert mean_reciprocal_rank([example], 1.0) == pytest.approx(1.0)


def test_nothing_to_fit_is_told() -> None:
    with pytest.raises(ValueError, match="no example"):
        fit_weight([])
