from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from retriever.proof_matching.decoding import exact_decoding, local_decoding
from retriever.proof_matching.metrics import assignment_counts, assignment_figures, own_ranks, ranking_figures

SQUARES = st.integers(1, 8).flatmap(
    lambda side: arrays(np.float64, (side, side), elements=st.integers(-3, 3).map(float))
)


@given(SQUARES)
def test_a_rank_is_the_place_in_the_sorted_row(scores: np.ndarray) -> None:
    for row, rank in enumerate(own_ranks(scores)):
        order = sorted(range(len(scores)), key=lambda column: (-scores[row, column], column))
        assert order.index(row) + 1 == rank


@given(SQUARES)
def test_accuracy_is_that_of_local_decoding(scores: np.ndarray) -> None:
    figures = ranking_figures(own_ranks(scores))
    decoded = assignment_figures(local_decoding(scores))
    assert figures["Acc"].mean == pytest.approx(decoded["Acc"].mean)
    assert figures["Acc"].mean <= figures["MRR"].mean + 1e-9


def test_figures_by_hand() -> None:
    scores = np.array([[1.0, 2.0, 3.0], [0.0, 5.0, 1.0], [1.0, 3.0, 2.0]])
    assert own_ranks(scores).tolist() == [3, 1, 2]
    figures = ranking_figures(own_ranks(scores))
    assert figures["MRR"].mean == pytest.approx(100 * (1 / 3 + 1 + 1 / 2) / 3)
    assert figures["Acc"].mean == pytest.approx(100 / 3)
    assert figures["MRR"].low <= figures["MRR"].mean <= figures["MRR"].high


def test_more_statements_than_proofs_have_no_rank() -> None:
    with pytest.raises(ValueError):
        own_ranks(np.zeros((3, 2)))


@given(SQUARES)
def test_counts_are_of_all_proofs(scores: np.ndarray) -> None:
    counts = assignment_counts(local_decoding(scores), len(scores), bounds=(5, 2))
    assert counts.at_least["2"] + counts.one + counts.none == len(scores)
    assert counts.at_least["5"] <= counts.at_least["2"]
    even = assignment_counts(exact_decoding(scores).proofs, len(scores))
    assert (even.one, even.none) == (len(scores), 0)


def test_counts_by_hand() -> None:
    counts = assignment_counts(np.array([0, 0, 0, 2, 2, 4]), 6, bounds=(3, 2))
    assert dict(counts.at_least) == {"3": 1, "2": 2}
    assert (counts.one, counts.none, counts.proofs) == (1, 3, 6)
