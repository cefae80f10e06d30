from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retriever.metrics.bootstrap import mean_interval
from retriever.metrics.ranks import average_precision, full_at, hits_at, intervals, ranks_of

SCORES = st.lists(st.integers(-3, 3), min_size=2, max_size=30).map(lambda s: np.array(s, dtype=np.float32))
RANKS = st.sets(st.integers(1, 150), min_size=1, max_size=12).map(tuple)


def ranking(scores: np.ndarray) -> list[int]:
    return sorted(range(len(scores)), key=lambda item: (-scores[item], item))


@given(SCORES, st.data())
def test_ranks_are_those_of_the_sorted_list_with_or_without_a_candidate(
    scores: np.ndarray, data: st.DataObject
) -> None:
    gold = data.draw(st.sets(st.integers(0, len(scores) - 1), min_size=1))
    assert ranks_of(scores, list(gold)) == tuple(ranking(scores).index(item) + 1 for item in gold)
    own = data.draw(st.integers(0, len(scores) - 1))
    others = [item for item in gold if item != own]
    left = [item for item in ranking(scores) if item != own]
    assert ranks_of(scores, others, [own]) == tuple(left.index(item) + 1 for item in others)


def test_scores_that_are_no_numbers_and_a_candidate_both_sought_and_left_out_are_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        ranks_of(np.array([1.0, np.nan]), [0])
    with pytest.raises(ValueError, match="left out"):
        ranks_of(np.array([1.0, 2.0]), [0], [0])


def test_metrics_of_one_ranking_by_hand() -> None:
    ranks = (12, 1, 4)
    assert average_precision(ranks) == pytest.approx((1 / 1 + 2 / 4 + 3 / 12) / 3)
    assert [hits_at(ranks, k) for k in (1, 10, 100)] == [1, 2, 3]
    assert [full_at(ranks, k) for k in (11, 12)] == [0.0, 1.0]


@given(RANKS)
def test_average_precision_is_the_sum_of_b4(ranks: tuple[int, ...]) -> None:
    """B.4: over all ranks j, precision at j where the j-th is a reference, by the number of references."""
    total = sum(sum(rank <= j for rank in ranks) / j for j in range(1, max(ranks) + 1) if j in ranks)
    assert average_precision(ranks) == pytest.approx(total / len(ranks))
    assert 0 < average_precision(ranks) <= 1


def test_recall_is_micro_averaged() -> None:
    found = intervals([(1,), (11, 12, 13), (2, 200, 300, 400)])
    assert found["R@10"].mean == pytest.approx(100 * 2 / 8)
    assert found["R@100"].mean == pytest.approx(100 * 5 / 8)
    assert found["Full@10"].mean == pytest.approx(100 / 3)
    assert found["Full@100"].mean == pytest.approx(200 / 3)


@given(st.lists(RANKS, min_size=1, max_size=8))
def test_figures_lie_in_their_intervals_and_in_a_hundred(examples: list[tuple[int, ...]]) -> None:
    found = intervals(examples)
    assert list(found) == ["mAP", "R@10", "R@100", "Full@10", "Full@100"]
    assert found["mAP"].mean == pytest.approx(100 * np.mean([average_precision(p) for p in examples]))
    assert found["R@10"].mean <= found["R@100"].mean + 1e-9
    for one in found.values():
        assert -1e-9 <= one.low <= one.high <= 100 + 1e-9


def test_more_examples_narrow_an_interval() -> None:
    few, many = (mean_interval([0.0, 1.0] * count) for count in (10, 1000))
    assert few.mean == many.mean == 50
    assert many.high - many.low < few.high - few.low


def test_nothing_has_no_metrics() -> None:
    for measure in (average_precision, lambda ranks: hits_at(ranks, 1), lambda ranks: full_at(ranks, 1)):
        for ranks in ((), (0, 1), (2, 2)):
            with pytest.raises(ValueError, match=r"without references|counted from 1"):
                measure(ranks)
    for empty in (intervals, mean_interval):
        with pytest.raises(ValueError, match="nothing to average"):
            empty([])
