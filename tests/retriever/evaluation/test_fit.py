from __future__ import annotations

import numpy as np
import pytest

from retriever.evaluation.fit_reranker import fit_weight, mean_reciprocal_rank
from retriever.lean.evaluation.fit_fusion import EXACT_MATCH_FLOOR, IN_SCOPE_CEILING, bounded
from retriever.lean.features import FEATURES
from retriever.metrics.fit import RankingExample, fit


def _examples(weights: list[float], count: int, seed: int) -> list[RankingExample]:
    """Candidates whose gold is drawn with the softmax of known weights."""
    generator = np.random.default_rng(seed)
    examples = []
    for _ in range(count):
        features = generator.normal(size=(20, len(weights))).astype(np.float32)
        scores = features @ np.array(weights)
        chance = np.exp(scores - scores.max())
        gold = np.zeros(20, dtype=np.bool_)
        gold[generator.choice(20, p=chance / chance.sum())] = True
        examples.append(RankingExample(features, gold))
    return examples


def test_known_weights_are_found_again() -> None:
    found = fit(_examples([2.0, -1.0, 0.0], 3000, seed=0))
    assert found == pytest.approx([2.0, -1.0, 0.0], abs=0.12)


def test_a_feature_that_never_varies_gets_no_weight() -> None:
    examples = _examples([1.0, 0.0], 50, seed=1)
    for example in examples:
        example.features[:, 1] = 0.5
    assert fit(examples)[1] == pytest.approx(0.0, abs=1e-6)


def test_nothing_to_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="gold"):
        fit([])


def test_being_in_scope_never_hides_what_needs_an_import() -> None:
    fitted = [9.0 if name in ("in_scope", "dense") else -1.0 for name in FEATURES]
    kept = dict(zip(FEATURES, bounded(fitted), strict=True))
    assert kept["in_scope"] == IN_SCOPE_CEILING
    assert kept["dense"] == 9.0


def test_stating_the_goal_never_weighs_little() -> None:
    kept = dict(zip(FEATURES, bounded([-1.0] * len(FEATURES)), strict=True))
    assert kept.pop("exact_match") == EXACT_MATCH_FLOOR
    assert set(kept.values()) == {-1.0}
    without = dict(zip(FEATURES, bounded([0.0] * len(FEATURES), ["dense"]), strict=True))
    assert without["exact_match"] == 0.0, "a feature that is left out stays out"


@pytest.mark.parametrize("truth", [(1.0, 2.0), (2.0, 1.0), (1.5, 0.0), (1.0, -1.0)])
def test_a_rerankers_weight_is_the_ratio_that_the_labels_follow(truth: tuple[float, float]) -> None:
    found = _examples([*truth], 400, seed=0)
    weight = fit_weight(found)
    assert weight == pytest.approx(max(0.0, truth[1] / truth[0]), abs=0.25 * max(1.0, truth[1] / truth[0]))
    assert mean_reciprocal_rank(found, weight) >= mean_reciprocal_rank(found, 0.0) - 0.02


def test_the_reciprocal_rank_is_of_the_first_gold_one() -> None:
    features = np.array([[3.0, 0.0], [2.0, 0.0], [1.0, 5.0]], dtype=np.float32)
    example = RankingExample(features, np.array([False, True, True]))
    assert mean_reciprocal_rank([example], 0.0) == pytest.approx(1 / 2)
    assert mean_reciprocal_rank([example], 1.0) == pytest.approx(1.0)
