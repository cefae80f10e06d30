from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retriever.metrics import ranking as metrics
from retriever.metrics.bootstrap import Bootstrap

RANKINGS = st.permutations(range(12))
GOLD = st.sets(st.integers(0, 15), min_size=1, max_size=8)
DEPTHS = st.integers(1, 20)


def test_a_ranking_with_the_gold_premise_in_one_place_has_exact_figures() -> None:
    for place in range(10):
        ranking = [*range(1, place + 1), 0, *range(place + 1, 12)]
        assert metrics.reciprocal_rank(ranking, {0}) == 1 / (place + 1)
        for k in (1, 5, 10):
            found = place < k
            assert metrics.recall_at(ranking, {0}, k) == float(found)
            assert metrics.precision_at(ranking, {0}, k) == (1 / k if found else 0.0)


def test_ndcg_of_table_1_by_hand() -> None:
    modules = np.array([7, 8, 7, 9])
    ranking = [1, 2, 0]  # irrelevant, of the gold's module, gold
    grades = metrics.grades_of(ranking, {0}, modules, {7})
    assert grades == [0.0, 0.3, 1.0]
    gain = 0.3 / math.log2(3) + 1.0 / math.log2(4)
    best = 1.0 + 0.3 / math.log2(3)
    assert metrics.ndcg_at(grades, metrics.ideal_grades(1, 1, 10), 10) == pytest.approx(gain / best)


@given(RANKINGS, GOLD, DEPTHS)
def test_recall_grows_with_depth_and_precision_counts_the_same_hits(
    ranking: list[int], gold: set[int], k: int
) -> None:
    recall = metrics.recall_at(ranking, gold, k)
    assert 0.0 <= recall <= metrics.recall_at(ranking, gold, k + 1) <= 1.0
    assert recall * len(gold) == pytest.approx(metrics.precision_at(ranking, gold, k) * k)


@given(
    RANKINGS, st.sets(st.integers(0, 11), min_size=1), st.lists(st.integers(0, 3), min_size=12, max_size=12)
)
def test_ndcg_is_one_exactly_for_rankings_in_order_of_relevance(
    ranking: list[int], gold: set[int], modules: list[int]
) -> None:
    numbers = np.array(modules)
    own = {modules[item] for item in gold}
    grades = metrics.grades_of(ranking, gold, numbers, own)
    neighbours = sum(module in own for module in modules) - len(gold)
    ideal = metrics.ideal_grades(len(gold), neighbours, 10)
    assert 0.0 <= metrics.ndcg_at(grades, ideal, 10) <= 1.0 + 1e-12
    assert metrics.ndcg_at(sorted(grades, reverse=True), ideal, 10) == pytest.approx(1.0)


def test_a_query_without_gold_is_refused() -> None:
    with pytest.raises(ValueError, match="gold"):
        metrics.recall_at([1, 2], set(), 1)


@pytest.mark.parametrize(
    ("recall", "precision", "f1"),
    [(4.63, 8.35, 5.96), (20.09, 7.45, 10.87), (37.70, 7.24, 12.15), (15.17, 26.80, 19.38)],
)
def test_f1_is_the_papers(recall: float, precision: float, f1: float) -> None:
    """Tables 3 and 4: from the averages, not averaged."""
    found = metrics.f1_of(np.array([precision]), np.array([recall]))
    assert found[0] == pytest.approx(f1, abs=0.01)


def test_f1_of_nothing_found_is_zero() -> None:
    assert metrics.f1_of(np.zeros(2), np.array([0.0, 1.0])).tolist() == [0.0, 0.0]


VALUES = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=40)


@given(VALUES)
def test_the_interval_holds_its_mean_and_does_not_vary(values: list[tuple[float, float]]) -> None:
    array = np.array(values)
    intervals = Bootstrap(len(array), draws=50).intervals(array)
    assert intervals == Bootstrap(len(array), draws=50).intervals(array)
    for column, interval in enumerate(intervals):
        assert array[:, column].min() - 1e-9 <= interval.low <= interval.high <= array[:, column].max() + 1e-9
        assert interval.mean == pytest.approx(array[:, column].mean())


@given(VALUES, st.floats(-1, 1))
def test_a_constant_difference_has_no_width(values: list[tuple[float, float]], by: float) -> None:
    """Paired: what both methods share in a resampled query cancels."""
    array = np.array(values)
    for interval in Bootstrap(len(array), draws=30).intervals(array + by, less=array):
        assert (interval.low, interval.mean, interval.high) == pytest.approx((by, by, by), abs=1e-9)


def test_values_of_other_queries_are_refused() -> None:
    with pytest.raises(ValueError, match="3 queries"):
        Bootstrap(3).intervals(np.zeros((2, 1)))
    with pytest.raises(ValueError, match="nothing"):
        Bootstrap(0)
